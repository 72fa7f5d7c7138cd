"""How many queries a difference needs, and what a number of queries can show."""

import math
from collections.abc import Callable

from scipy.special import ndtri  # pyright: ignore[reportMissingTypeStubs]  SciPy has none

from ragassay.statistics.intervals import check_level

_HALVINGS = 60


def mcnemar_queries(difference: float, discordance: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Queries that two systems must share for a two-sided McNemar test to show a difference of two rates.

    difference: of the rates, above 0 and up to 1. discordance: the share of queries on which exactly one of the two
    succeeds, 0 to 1; a difference cannot be larger than it, so that a smaller one counts as the difference.
    Raises ValueError outside these ranges, or for alpha or power outside (0, 1).
    Source: Connor, R. J. (1987), Biometrics 43:207-211. The exact test has slightly less power than this promises.
    """
    _check(difference, alpha, power)
    if difference > 1 or not 0 <= discordance <= 1:
        raise ValueError(f"difference is {difference} and discordance {discordance}, expected shares of up to 1")
    psi = max(discordance, difference)
    reach = _z(1 - alpha / 2) * math.sqrt(psi) + _z(power) * math.sqrt(psi - difference**2)
    return max(_whole((reach / difference) ** 2), _whole(_fewest(alpha) / psi))


def paired_queries(difference: float, deviation: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Queries that two systems must share for a two-sided paired test to show a mean difference.

    deviation: the standard deviation of the differences of single queries, in the unit of `difference`; at least 0.
    Raises ValueError for a difference not above 0, a negative deviation, or alpha or power outside (0, 1).
    Source: Guenther, W. C. (1981), The American Statistician 35:243-244: the t-test to within one query.
    """
    _check(difference, alpha, power)
    if not (math.isfinite(deviation) and deviation >= 0):
        raise ValueError(f"deviation is {deviation}, expected a finite number of at least 0")
    tail = _z(1 - alpha / 2)
    return max(_whole(((tail + _z(power)) * deviation / difference) ** 2 + tail**2 / 2), _fewest(alpha))


def independent_discordance(rate: float, difference: float) -> float:
    """The discordance of two systems of which one has the given rate, and that fail independently of each other.

    The other's rate lies `difference` above or below; the side on which more queries differ counts. Systems that fail
    on the same queries differ on fewer. Raises ValueError for a rate outside [0, 1] or a difference outside (0, 1].
    """
    if not 0 <= rate <= 1 or not 0 < difference <= 1:
        raise ValueError(f"rate is {rate} and difference {difference}, expected shares of up to 1")
    others = (max(0.0, rate - difference), min(1.0, rate + difference))
    return max(rate * (1 - other) + other * (1 - rate) for other in others)


def detectable(queries: Callable[[float], int], n: int, largest: float) -> float | None:
    """The smallest difference that needs at most n queries; None where even the largest needs more.

    queries: difference → queries that it needs, never more for a larger one; asked above 0 and up to `largest`.
    """
    if queries(largest) > n:
        return None
    low, high = 0.0, largest
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle > 0 and queries(middle) <= n:
            high = middle
        else:
            low = middle
    return high


def unanimous_queries(rate: float, level: float = 0.95) -> int:
    """How many queries must all succeed to show a rate of at least `rate`: 59 for 0.95 at level 0.95.

    The inverse of `intervals.exact_lower_bound`. Raises ValueError for a rate or a level outside (0, 1).
    """
    check_level(level)
    if not 0 < rate < 1:
        raise ValueError(f"rate is {rate}, expected a share between 0 and 1; no number of queries shows 1 itself")
    return math.ceil(math.log(1 - level) / math.log(rate) - 1e-9)


def _z(share: float) -> float:
    return float(ndtri(share))


def _fewest(alpha: float) -> int:
    """Differing pairs below which no exact test of their signs reaches alpha: all on one side give 2 / 2**n."""
    return _whole(1 - math.log2(alpha))


def _whole(queries: float) -> int:
    return max(1, math.ceil(queries - 1e-9))


def _check(difference: float, alpha: float, power: float) -> None:
    if not (math.isfinite(difference) and difference > 0):
        raise ValueError(f"difference is {difference}, expected a finite number above 0")
    for name, share in (("alpha", alpha), ("power", power)):
        if not 0 < share < 1:
            raise ValueError(f"{name} is {share}, expected a share between 0 and 1; usual are alpha 0.05 and power 0.8")
