"""Chances of passing k times, from how often each query passed in the repetitions that there are."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def every_time(passed: ArrayLike, outcomes: ArrayLike, k: int) -> NDArray[np.float64]:
    """pass^k of each query: the share of the ways to choose k of its outcomes in which all passed.

    passed, outcomes: (n,) counts, 0 <= passed <= outcomes. Returns (n,), 0 where there are fewer than k outcomes; leave
    those out. The mean over queries is an unbiased estimate of the chance to pass k times of k.
    Raises ValueError for k < 1 or counts that cannot be. Source: Yao, S. et al. (2024), arXiv:2406.12045, section 3.
    """
    hits, size = _counts(passed, outcomes, k)
    share = np.where(size >= k, 1.0, 0.0)
    for drawn in range(k):
        share *= np.maximum(hits - drawn, 0) / np.maximum(size - drawn, 1)
    return share


def at_least_once(passed: ArrayLike, outcomes: ArrayLike, k: int) -> NDArray[np.float64]:
    """pass@k of each query: the share of the ways to choose k of its outcomes in which at least one passed.

    As `every_time`. Source: Chen, M. et al. (2021), arXiv:2107.03374, section 2.1.
    """
    hits, size = _counts(passed, outcomes, k)
    return np.where(size >= k, 1 - every_time(size - hits, size, k), 0.0)


def _counts(passed: ArrayLike, outcomes: ArrayLike, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    hits, size = np.asarray(passed, dtype=np.intp), np.asarray(outcomes, dtype=np.intp)
    if k < 1:
        raise ValueError(f"k is {k}, expected at least 1")
    if hits.shape != size.shape or bool(((hits < 0) | (hits > size)).any()):
        raise ValueError("expected for each query a count of outcomes and of those that passed, never more than it")
    return hits, size
