"""The cut unigram vocabulary: how text becomes ids. Plain Python, the same at training and at run time."""

import json
import math
import unicodedata
from functools import lru_cache
from pathlib import Path

START, PAD, END, UNKNOWN = 0, 1, 2, 3
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
STRESS = "\u0301"


def normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).replace(STRESS, "").split())


class Pieces:
    """Splits words into the most probable pieces (unigram model, Viterbi)."""

    def __init__(self, pieces: list[str], scores: list[float]) -> None:
        self.pieces, self.scores = pieces, scores
        self.ids = {piece: number for number, piece in enumerate(pieces) if number >= len(SPECIALS)}
        self.longest = max(map(len, self.ids))
        self.unknown_score = min(scores) - 10.0
        self.word = lru_cache(maxsize=200_000)(self._word)

    @classmethod
    def load(cls, path: Path) -> "Pieces":
        stored = json.loads(path.read_text(encoding="utf-8"))
        return cls(stored["pieces"], stored["scores"])

    def save(self, path: Path) -> None:
        stored = {"pieces": self.pieces, "scores": [round(score, 4) for score in self.scores]}
        path.write_text(json.dumps(stored, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")

    def encode(self, text: str) -> list[int]:
        return [number for word in normal(text).split(" ") if word for number in self.word("▁" + word)]

    def _word(self, word: str) -> tuple[int, ...]:
        best = [0.0] + [-math.inf] * len(word)
        step: list[tuple[int, int]] = [(0, UNKNOWN)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(start + self.longest, len(word)) + 1):
                number = self.ids.get(word[start:end])
                if number is None and end > start + 1:
                    continue
                score = best[start] + (self.unknown_score if number is None else self.scores[number])
                if score > best[end]:
                    best[end], step[end] = score, (start, UNKNOWN if number is None else number)
        return tuple(self._trace(step, len(word)))

    def _trace(self, step: list[tuple[int, int]], end: int) -> list[int]:
        found: list[int] = []
        while end > 0:
            end, number = step[end]
            if not (number == UNKNOWN and found and found[-1] == UNKNOWN):
                found.append(number)
        return found[::-1]
