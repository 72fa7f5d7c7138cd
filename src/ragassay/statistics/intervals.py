"""Intervals that need no resampling: for rates and for percentiles."""

import math
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, betaincinv, ndtri  # pyright: ignore[reportMissingTypeStubs]  SciPy has none

Method = Literal["wilson", "bootstrap", "bootstrap-multiplier", "order-statistic", "none"]


class Interval(msgspec.Struct, frozen=True):
    """A two-sided confidence interval and the name of the method that gave it.

    An end that is None is an end on which the data set no bound; with method "none" both are.
    """

    low: float | None
    high: float | None
    method: Method


def wilson(successes: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson score interval for a rate over n queries.

    successes: sum of per-query values in [0, 1]; may be fractional, which makes the interval conservative, because
    such values vary no more than 0/1 values of the same mean.
    Raises ValueError for n < 1, successes outside [0, n] or a level outside (0, 1).
    Source: Wilson, E. B. (1927), JASA 22:209-212; no continuity correction.
    """
    _check_rate(successes, n, level)
    z = float(ndtri(0.5 + level / 2))
    rate = successes / n
    low, failures_low = (_wilson_low(count / n, n, z) for count in (successes, n - successes))
    return min(rate, low), max(rate, 1 - failures_low)


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Exact two-sided interval for successes out of n; coverage is never below the level.

    Raises ValueError for n < 1, successes outside [0, n] or a level outside (0, 1).
    Source: Clopper, C. J. and Pearson, E. S. (1934), Biometrika 26:404-413.
    """
    _check_rate(successes, n, level)
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return low, high


def exact_lower_bound(n: int, level: float = 0.95) -> float:
    """One-sided exact lower bound for a rate when all n of n queries succeeded: (1 - level) ** (1 / n).

    59 of 59 shows a rate of at least 0.95 at level 0.95. Raises ValueError for n < 1 or a level outside (0, 1).
    Source: the one-sided Clopper-Pearson bound at n successes.
    """
    _check_rate(n, n, level)
    return float((1 - level) ** (1 / n))


def percentile_nearest_rank(values: ArrayLike, q: float) -> float:
    """The smallest value such that at least a share q of all values is no greater; always one of the values.

    values: (n,), n >= 1; infinity is a value (a latency without end), NaN is refused.
    q: a share in (0, 1], so the 95th percentile is q = 0.95.
    Raises ValueError for no values, NaN, or q out of range.
    """
    ordered = _ordered(values, q)
    return float(ordered[_nearest_rank(len(ordered), q) - 1])


def percentile_interval(values: ArrayLike, q: float, level: float = 0.95) -> Interval:
    """Distribution-free interval for a percentile, between two of the values, chosen by binomial ranks.

    values and q as in percentile_nearest_rank, whose value the interval always holds. An end is None where n is too
    small to bound it: for q = 0.95 at level 0.95 the upper end needs 72 values.
    Raises ValueError as percentile_nearest_rank does, and for a level outside (0, 1).
    Source: David, H. A. and Nagaraja, H. N. (2003), Order Statistics, section 7.1.
    """
    check_level(level)
    ordered = _ordered(values, q)
    n = len(ordered)
    tail = (1 - level) / 2
    rank = _nearest_rank(n, q)
    # below[r] = P(at most r values lie at or below the true percentile), r = 0 .. n - 1
    below: NDArray[np.float64] = np.asarray(bdtr(np.arange(n), n, q), dtype=np.float64)
    low_rank = min(rank, int(np.searchsorted(below, tail, side="right")))
    high_rank = max(rank, int(np.searchsorted(below, 1 - tail, side="left")) + 1)
    low = float(ordered[low_rank - 1]) if low_rank >= 1 else None
    high = float(ordered[high_rank - 1]) if high_rank <= n else None
    return Interval(low, high, "order-statistic")


def _wilson_low(rate: float, n: int, z: float) -> float:
    # The two ends have the product rate² / (1 + z²/n); dividing loses no digits where centre - half would.
    shrink = 1 + z * z / n
    high = (rate + z * z / (2 * n) + z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))) / shrink
    return rate * rate / (shrink * high)


def check_level(level: float) -> None:
    """Raises ValueError unless 0 < level < 1."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, expected a share between 0 and 1; for 95 % give 0.95")


def _check_rate(successes: float, n: int, level: float) -> None:
    check_level(level)
    if n < 1:
        raise ValueError(f"n is {n}, expected at least 1 query; a rate over no queries is undefined, do not ask for it")
    if not 0 <= successes <= n:
        raise ValueError(f"successes is {successes}, expected 0 to n = {n}; each query adds a value in [0, 1]")


def _ordered(values: ArrayLike, q: float) -> NDArray[np.float64]:
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if not 0 < q <= 1:
        raise ValueError(f"q is {q}, expected a share above 0 and up to 1; for the 95th percentile give 0.95")
    if ordered.ndim != 1 or ordered.size == 0:
        raise ValueError(f"values have shape {ordered.shape}, expected (n,) with n of at least 1")
    if np.isnan(ordered[-1]):
        count = int(np.isnan(ordered).sum())
        raise ValueError(f"{count} of {ordered.size} values are NaN; leave undefined values out and count them")
    return ordered


def _nearest_rank(n: int, q: float) -> int:
    # 0.07 * 100 is 7.000000000000001 in floating point and must stay rank 7.
    return max(1, math.ceil(q * n * (1 - 1e-12)))
