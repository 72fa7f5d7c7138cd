"""Tests for two systems measured on the same queries."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr  # pyright: ignore[reportMissingTypeStubs]  SciPy has none

from ragassay.statistics.byte_tables import TwoPoint, weighted_sums
from ragassay.statistics.intervals import wilson

_EXACT_UP_TO = 15
_FAIR_SIGN = TwoPoint(low=-1.0, high=1.0, chance=0.5)


def sign_flip(differences: ArrayLike, seed: int, resamples: int = 10_000) -> NDArray[np.float64]:
    """Two-sided p-values of the paired randomisation test that the mean difference is 0.

    differences: (n, m), one row per query that both systems share and one column per metric; finite. A pair in which
    either value is undefined is given as 0, which changes nothing. Returns (m,), each in (0, 1].
    A column with at most 15 non-zero differences is enumerated exactly. Otherwise p = (count + 1) / (resamples + 1),
    and signs depend on the seed and n alone, so that a column's p-value does not depend on its neighbours.
    Raises ValueError for a wrong shape, a value that is not finite, or fewer than 1 resamples.
    Source: Fisher, R. A. (1935), The Design of Experiments; Phipson, B. and Smyth, G. K. (2010), SAGMB 9(1):39.
    """
    matrix = np.asarray(differences, dtype=np.float64)
    _check(matrix, resamples)
    nonzero = np.count_nonzero(matrix, axis=0)
    p_values = np.ones(matrix.shape[1])
    for column in np.flatnonzero(nonzero <= _EXACT_UP_TO):
        values = matrix[:, column]
        p_values[column] = _exact(values[values != 0])
    sampled = np.flatnonzero(nonzero > _EXACT_UP_TO)
    if sampled.size:
        generator = np.random.Generator(np.random.PCG64([seed, len(matrix)]))
        sums = weighted_sums(matrix[:, sampled], _FAIR_SIGN, resamples, generator)
        count = np.count_nonzero(np.abs(sums) >= _threshold(matrix[:, sampled]), axis=0)
        p_values[sampled] = (count + 1) / (resamples + 1)
    return p_values


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided exact McNemar p-value for a 0/1 metric.

    b, c: the queries on which only the first, only the second system succeeded. 1.0 if there are none.
    Raises ValueError for a negative count. Source: McNemar, Q. (1947), Psychometrika 12:153-157, binomial form.
    """
    if b < 0 or c < 0:
        raise ValueError(f"b is {b} and c is {c}, expected counts of queries of at least 0")
    return min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5)))


def newcombe(both: int, only_first: int, only_second: int, neither: int, level: float = 0.95) -> tuple[float, float]:
    """Interval of the difference of two rates on the same queries, second less first.

    The four counts are queries on which both, only the first, only the second, neither of two systems succeeded.
    Raises ValueError for a negative count or no query at all. Source: Newcombe, R. G. (1998), Stat. Med. 17:2635-2650,
    method 10.
    """
    counts = (both, only_first, only_second, neither)
    n = sum(counts)
    if min(counts) < 0 or n == 0:
        raise ValueError(f"counts are {counts}, expected at least 0 each and a query at all")
    first, second = both + only_first, both + only_second
    (low1, high1), (low2, high2) = wilson(first, n, level), wilson(second, n, level)
    rate1, rate2 = first / n, second / n
    phi = _correlation(both, only_first, only_second, neither)

    def reach(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))

    difference = rate2 - rate1
    return difference - reach(rate2 - low2, high1 - rate1), difference + reach(high2 - rate2, rate1 - low1)


def _correlation(both: int, only_first: int, only_second: int, neither: int) -> float:
    n = both + only_first + only_second + neither
    margins = (both + only_first) * (only_second + neither) * (both + only_second) * (only_first + neither)
    if margins == 0:
        return 0.0
    cross = both * neither - only_first * only_second
    return (max(cross - n / 2, 0.0) if cross > 0 else float(cross)) / math.sqrt(margins)


def _exact(values: NDArray[np.float64]) -> float:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums - value, sums + value])
    return float(np.mean(np.abs(sums) >= _threshold(values)))


def _threshold(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The observed |sum|, less the rounding that separates sums equal on paper."""
    return np.abs(values.sum(axis=0)) - 1e-12 * np.abs(values).sum(axis=0)


def _check(matrix: NDArray[np.float64], resamples: int) -> None:
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}, expected at least 1; 10,000 is usual")
    if matrix.ndim != 2:
        raise ValueError(f"differences have shape {matrix.shape}, expected (queries, metrics)")
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"{len(bad)} differences are not finite, the first, {matrix[row, column]}, at row {row}, column {column};"
            " give 0 for a pair that is undefined"
        )
