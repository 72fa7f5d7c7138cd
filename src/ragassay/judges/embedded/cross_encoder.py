"""The fine-tuned cross-encoder: claim and passage read together, on onnxruntime."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray

from ragassay.judges.embedded.pieces import END, START, Pieces
from ragassay.judges.embedded.window import window

_runtime: Any = onnxruntime
_MODEL, _PIECES, _RECIPE = "cross_encoder.onnx", "pieces.json", "recipe.json"


class Reading(NamedTuple):
    """Log-odds that the passage supports the claim, and that it contradicts it."""

    supports: float
    contradicts: float


class _Vocabulary(msgspec.Struct):
    pieces: list[str]
    scores: list[float]


class _Window(msgspec.Struct):
    max_words: int


class _Recipe(msgspec.Struct):
    """How the weights expect their input to be cut."""

    max_tokens: int
    max_claim_tokens: int
    window: _Window


class CrossEncoder:
    """Reads one pair at a time: with int8 arithmetic a pair read among others would come out a little differently,
    and a verdict must not depend on its neighbours.
    """

    def __init__(self, folder: Path, *, threads: int = 2) -> None:
        """`folder` holds `cross_encoder.onnx`, `pieces.json` and `recipe.json`."""
        stored = msgspec.json.decode((folder / _PIECES).read_bytes(), type=_Vocabulary)
        self._pieces = Pieces(stored.pieces, stored.scores)
        self._threads = threads
        self._recipe = msgspec.json.decode((folder / _RECIPE).read_bytes(), type=_Recipe)
        options = _runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session: Any = _runtime.InferenceSession(
            (folder / _MODEL).read_bytes(), options, providers=["CPUExecutionProvider"]
        )

    @staticmethod
    def is_in(folder: Path) -> bool:
        return all((folder / name).is_file() for name in (_MODEL, _PIECES, _RECIPE))

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """One reading per claim and passage; each is computed by itself, several at a time."""
        if len(pairs) < self._threads:
            return [self._read(pair) for pair in pairs]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(self._read, pairs))

    def _read(self, pair: tuple[str, str]) -> Reading:
        ids = np.asarray([self._row(*pair)], dtype=np.int64)
        outputs: Sequence[Any] = self._session.run(["logits"], {"ids": ids, "mask": np.ones_like(ids)})
        logits: NDArray[np.float64] = np.asarray(outputs[0], dtype=np.float64)[0]
        return Reading(_log_odds(logits, 0), _log_odds(logits, 1))

    def _row(self, claim: str, passage: str) -> list[int]:
        """`<s> claim </s></s> passage </s>`, the passage cut to its window."""
        recipe, cut = self._recipe, window(claim, passage, self._recipe.window.max_words)
        head = [START, *self._pieces.encode(claim, recipe.max_claim_tokens), END, END]
        return [*head, *self._pieces.encode(cut, recipe.max_tokens - 1 - len(head)), END]


def _log_odds(logits: NDArray[np.float64], place: int) -> float:
    others = np.delete(logits, place)
    return float(logits[place] - np.logaddexp.reduce(others))
