"""Turn texts into rows of ids and draw balanced, length-sorted batches."""

import random
from collections import defaultdict
from collections.abc import Iterator

import torch
from pieces import END, PAD, START, Pieces
from sources import SUPPORTS
from torch import Tensor

MAX_TOKENS, MAX_CLAIM = 84, 36
BATCH, SORTED_TOGETHER = 32, 32
# What share of the pairs seen each source gets; nearly half is Russian or in Russian words.
SHARES = {
    "snli": 16, "breaking_nli": 3, "negation_nli": 10, "fever_symmetric": 6, "factcheck_bench": 7, "expertqa": 3,
    "q2_wow": 4, "twins_en": 2, "made_en": 2, "ru_terra": 11, "ru_rcb": 2, "made_ru": 10, "answers_ru": 0.5,
    "twins_ru": 3, "across": 2, "reworded_snli": 10, "reworded_negation_nli": 3, "reworded_fever_symmetric": 3,
    "reworded_factcheck_bench": 1, "reworded_q2_wow": 1, "reworded_breaking_nli": 1,
    "strangers_ru": 3, "strangers_en": 3,
}  # fmt: skip


def row(pieces: Pieces, claim: str, passage: str) -> list[int]:
    """`<s> claim </s></s> passage </s>`: the claim cut to 36 pieces, the passage to what is left of 84."""
    head = [START, *pieces.encode(claim)[:MAX_CLAIM], END, END]
    return [*head, *pieces.encode(passage)[: MAX_TOKENS - 1 - len(head)], END]


def padded(rows: list[list[int]]) -> tuple[Tensor, Tensor]:
    longest = max(map(len, rows))
    ids = torch.tensor([found + [PAD] * (longest - len(found)) for found in rows])
    return ids, (ids != PAD).long()


class Draw:
    """Endless batches: sources by SHARES, half of each source supported, no row again before all were drawn."""

    def __init__(self, rows: list[tuple[str, int, list[int]]], seed: int) -> None:
        self.chance = random.Random(seed)
        self.pools: dict[tuple[str, bool], list[tuple[list[int], int]]] = defaultdict(list)
        for source, target, ids in rows:
            self.pools[source, target == SUPPORTS].append((ids, target))
        self.left: dict[tuple[str, bool], list[tuple[list[int], int]]] = defaultdict(list)

    def one(self, key: tuple[str, bool]) -> tuple[list[int], int]:
        if not self.left[key]:
            self.left[key] = self.chance.sample(self.pools[key], len(self.pools[key]))
        return self.left[key].pop()

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        names, weights = list(SHARES), list(SHARES.values())
        while True:
            drawn = self.chance.choices(names, weights, k=BATCH * SORTED_TOGETHER)
            rows = [self.one((name, self.chance.random() < 0.5 and (name, True) in self.pools)) for name in drawn]
            found = sorted(rows, key=lambda item: len(item[0]))
            starts = list(range(0, len(found), BATCH))
            self.chance.shuffle(starts)
            for start in starts:
                part = found[start : start + BATCH]
                yield *padded([ids for ids, _ in part]), torch.tensor([target for _, target in part])
