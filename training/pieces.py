"""The cut unigram vocabulary as a file. How text becomes ids is the run time's own code."""

import json
import sys
from pathlib import Path

from ragassay.judges.embedded.pieces import END, PAD, START, UNKNOWN
from ragassay.judges.embedded.pieces import Pieces as Splitter

__all__ = ["END", "PAD", "SPECIALS", "START", "UNKNOWN", "Pieces"]
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")


class Pieces:
    """Splits words into the most probable pieces (unigram model, Viterbi)."""

    def __init__(self, pieces: list[str], scores: list[float]) -> None:
        self.pieces, self.scores = pieces, scores
        self._splitter = Splitter(pieces, scores)

    @classmethod
    def load(cls, path: Path) -> "Pieces":
        stored = json.loads(path.read_text(encoding="utf-8"))
        return cls(stored["pieces"], stored["scores"])

    def save(self, path: Path) -> None:
        stored = {"pieces": self.pieces, "scores": [round(score, 4) for score in self.scores]}
        path.write_text(json.dumps(stored, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")

    def encode(self, text: str) -> list[int]:
        return self._splitter.encode(text, sys.maxsize)
