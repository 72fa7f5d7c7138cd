"""Labelled claims put to a judge: one item per claim and context, what people say, what the judge says."""

import hashlib
from collections.abc import Sequence

import msgspec

from ragassay.judges.protocol import Judge, Pair
from ragassay.records import Failure, Label, Opinion, Stance
from ragassay.statistics.votes import majority
from ragassay.text.language import language_of
from ragassay.text.normalise import comparable

STANCES: tuple[Stance, ...] = ("supports", "contradicts", "neutral")


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A labelled claim. `label` is the majority of its votes, None where they are evenly divided.

    A rater who says the same twice has one vote; `repeated` counts such rows.

    `passage` is the hash of the context: items that share it are never split between development and test.
    """

    claim: str
    context: tuple[str, ...]
    label: Stance | None
    votes: tuple[tuple[str | None, Stance], ...]
    lang: str
    slices: tuple[str, ...]
    passage: str
    repeated: int = 0

    @property
    def is_supported(self) -> bool:
        return self.label == "supports"


def items_of(labels: Sequence[Label]) -> list[Item]:
    """The items of current labels, in order of first appearance. Labels belong together by their texts."""
    groups: dict[tuple[str, tuple[str, ...]], list[Label]] = {}
    for label in labels:
        key = comparable(label.claim), tuple(comparable(text) for text in label.context)
        groups.setdefault(key, []).append(label)
    return [_item(group, context) for (_, context), group in groups.items()]


def _item(group: Sequence[Label], context: tuple[str, ...]) -> Item:
    first = group[0]
    given: list[tuple[str | None, Stance]] = [(label.rater, label.label) for label in group]
    votes = tuple(dict.fromkeys(given))
    verdicts: list[Stance] = [verdict for _, verdict in votes]
    return Item(
        claim=first.claim,
        context=first.context,
        label=majority(verdicts),
        votes=votes,
        repeated=len(group) - len(votes),
        lang=next((label.lang for label in group if label.lang), None) or language_of(first.claim),
        slices=tuple(dict.fromkeys(name for label in group for name in label.slices)),
        passage=hashlib.sha256(msgspec.json.encode(context)).hexdigest(),
    )


def is_development(item: Item) -> bool:
    """Whether an item belongs to the half on which thresholds are chosen: the first bit of its passage's hash is 0."""
    return int(item.passage[0], 16) < 8


def fold(item: Item, folds: int) -> int:
    """The held-out part of an item, 0 to folds - 1, by another piece of its passage's hash."""
    return int(item.passage[8:16], 16) % folds


async def put_to(judge: Judge, items: Sequence[Item]) -> list[Opinion | Failure]:
    """One outcome for each item. Every distinct text goes to the judge once."""
    claims: dict[str, int] = {}
    texts: dict[str, int] = {}
    pairs: dict[Pair, int] = {}
    asked: list[list[int]] = []
    for item in items:
        claim = claims.setdefault(item.claim, len(claims))
        places = [(claim, texts.setdefault(text, len(texts))) for text in item.context]
        asked.append([pairs.setdefault(pair, len(pairs)) for pair in places])
    said = await judge.verify(list(claims), list(texts), list(pairs))
    return [combined([said[place] for place in places]) for places in asked]


def combined(outcomes: Sequence[Opinion | Failure]) -> Opinion | Failure:
    """The outcome of a claim beside several texts: supported where one supports it, else contradicted where one does.

    A text on which the judge failed could have supported the claim, so that only support survives a failure.
    """
    opinions = [outcome for outcome in outcomes if isinstance(outcome, Opinion)]
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    best = max(opinions, key=lambda opinion: (opinion.verdict == "supports", opinion.probability), default=None)
    if failures and (best is None or best.verdict != "supports"):
        return failures[0]
    if best is None:
        return Opinion(verdict="neutral", probability=0.0, reason="the context is empty")
    against = max(opinions, key=lambda opinion: (opinion.verdict == "contradicts", opinion.contradiction))
    chosen = against if best.verdict != "supports" and against.verdict == "contradicts" else best
    return msgspec.structs.replace(chosen, probability=best.probability, contradiction=against.contradiction)
