"""Text as ids of the cross-encoder's vocabulary (unigram pieces of XLM-R, cut to English and Russian)."""

import math
import unicodedata
from collections.abc import Sequence

START, PAD, END, UNKNOWN = 0, 1, 2, 3
_SPECIALS = 4
_STRESS = "\u0301"
_MOST_WORDS = 50_000
_LONGEST_WORD = 200


class Pieces:
    """Splits words into the most probable pieces (Kudo 2018), each word once."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float]) -> None:
        self._scores = scores
        self._ids = {piece: number for number, piece in enumerate(pieces) if number >= _SPECIALS}
        self._longest = max(map(len, self._ids))
        self._unknown_score = min(scores) - 10.0
        self._known: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str, most: int) -> list[int]:
        """The first `most` ids of a text."""
        found: list[int] = []
        for word in unicodedata.normalize("NFKC", text).replace(_STRESS, "").split():
            found.extend(self._word("▁" + word[:_LONGEST_WORD]))
            if len(found) >= most:
                break
        return found[:most]

    def _word(self, word: str) -> tuple[int, ...]:
        found = self._known.get(word)
        if found is None:
            found = self._split(word)
            if len(self._known) < _MOST_WORDS:
                self._known[word] = found
        return found

    def _split(self, word: str) -> tuple[int, ...]:
        best = [0.0] + [-math.inf] * len(word)
        step: list[tuple[int, int]] = [(0, UNKNOWN)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(start + self._longest, len(word)) + 1):
                number = self._ids.get(word[start:end])
                if number is None and end > start + 1:
                    continue
                score = best[start] + (self._unknown_score if number is None else self._scores[number])
                if score > best[end]:
                    best[end], step[end] = score, (start, UNKNOWN if number is None else number)
        return _traced(step, len(word))


def _traced(step: Sequence[tuple[int, int]], end: int) -> tuple[int, ...]:
    found: list[int] = []
    while end > 0:
        end, number = step[end]
        if not (number == UNKNOWN and found and found[-1] == UNKNOWN):
            found.append(number)
    return tuple(reversed(found))
