"""Confidence intervals of means and ratios over queries, for many metrics at once.

Queries are resampled, never the claims or citations inside one: those are correlated.
"""

import math
from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ragassay.statistics.byte_tables import TwoPoint, weighted_sums
from ragassay.statistics.intervals import Interval, Method, check_level, wilson

EFRON_UP_TO = 2_000
WILSON_BELOW = 20

# Mean 1, variance 1, third central moment 1, as the count of a query in Efron's resample has (Mammen 1993).
_GOLDEN = (1 + math.sqrt(5)) / 2
_MAMMEN = TwoPoint(low=2 - _GOLDEN, high=1 + _GOLDEN, chance=(math.sqrt(5) - 1) / (2 * math.sqrt(5)))
_CELLS_AT_ONCE = 1 << 20
_ROUNDING = 1e-9
_NONE = Interval(None, None, "none")

Floats = NDArray[np.float64]
Aggregation = Literal["macro", "micro"]
Resampled = Literal["bootstrap", "bootstrap-multiplier"]


class Fractions(msgspec.Struct, frozen=True, eq=False):
    """Per-query fractions of m metrics on n queries.

    numerators, denominators: (n, m) float64. defined: (n, m) bool; where it is False the other two are not read.
    aggregation: m names; macro = mean of numerator / denominator, micro = sum of numerators / sum of denominators.
    bounded: m booleans; True promises that every per-query value lies in [0, 1].
    """

    numerators: Floats
    denominators: Floats
    defined: NDArray[np.bool_]
    aggregation: Sequence[Aggregation]
    bounded: Sequence[bool]


class _Column(msgspec.Struct, frozen=True, eq=False):
    """One metric: (n,) parts of a ratio of sums, 0 where undefined; a macro mean is the ratio of values to ones."""

    numerators: Floats
    denominators: Floats
    defined: NDArray[np.bool_]
    bounded: bool

    @property
    def estimate(self) -> float:
        return float(self.numerators.sum() / self.denominators.sum())


def bootstrap_intervals(
    fractions: Fractions, seed: int, resamples: int = 10_000, level: float = 0.95
) -> list[Interval]:
    """The interval of each metric's aggregate, in column order. It always holds the estimate itself.

    - "wilson": a bounded metric with fewer than 20 defined queries, with equal values throughout, or with one equally
      weighted 0/1 value per query. Wilson's interval with n = defined queries.
    - "bootstrap": up to 2,000 defined queries. Efron's resampling of the defined queries, percentile interval.
    - "bootstrap-multiplier": above that. Every query has a random weight of mean, variance and skewness 1.
    - "none", without ends: no defined query; or an unbounded metric with one, or with equal values throughout, from
      which nothing follows about its spread.

    Randomness depends on the seed and the number of queries alone: adding a metric changes no other metric's interval.
    Raises ValueError for a level outside (0, 1), else one that names all faults: resamples, shapes, and of the defined
    cells those not finite, with a denominator not above 0, or outside [0, 1] though bounded.
    Source: Efron, B. and Tibshirani, R. (1993), An Introduction to the Bootstrap; Mammen, E. (1993), Ann. Stat. 21:255.
    """
    _check(fractions, resamples, level)
    columns = [_column(fractions, index) for index in range(fractions.numerators.shape[1])]
    intervals = [_without_resampling(column, level) for column in columns]
    open_columns = [index for index, interval in enumerate(intervals) if interval is None]
    tail = (1 - level) / 2
    for group in _groups(columns, open_columns):
        method, ratios = _resample([columns[index] for index in group], seed, resamples)
        lows, highs = np.quantile(ratios, [tail, 1 - tail], axis=0)
        for index, low, high in zip(group, lows, highs, strict=True):
            intervals[index] = _around(columns[index], float(low), float(high), method)
    return [interval for interval in intervals if interval is not None]


def _column(fractions: Fractions, index: int) -> _Column:
    defined = fractions.defined[:, index]
    numerators = np.where(defined, fractions.numerators[:, index], 0.0)
    denominators = np.where(defined, fractions.denominators[:, index], 0.0)
    if fractions.aggregation[index] == "macro":
        numerators = np.divide(numerators, denominators, out=np.zeros(len(defined)), where=defined)
        denominators = defined.astype(np.float64)
    return _Column(numerators, denominators, defined, fractions.bounded[index])


def _without_resampling(column: _Column, level: float) -> Interval | None:
    """The interval where resampling would be degenerate or is not the best there is, else None."""
    n = int(np.count_nonzero(column.defined))
    if n == 0:
        return _NONE
    weights = column.denominators[column.defined]
    values = column.numerators[column.defined] / weights
    constant = _is_constant(values)
    if not column.bounded:
        return _NONE if constant else None
    binary = _is_constant(weights) and bool(np.all((values == 0) | (values == 1)))
    if n < WILSON_BELOW or constant or binary:
        return _around(column, *wilson(min(max(column.estimate, 0.0), 1.0) * n, n, level), "wilson")
    return None


def _is_constant(values: Floats) -> bool:
    return bool(np.ptp(values) <= 1e-12 * np.max(np.abs(values)))


def _groups(columns: Sequence[_Column], indices: Sequence[int]) -> list[list[int]]:
    """Columns that may share random numbers: those with as many defined queries, and all above Efron's limit."""
    groups: dict[int, list[int]] = {}
    for index in indices:
        n = int(np.count_nonzero(columns[index].defined))
        groups.setdefault(min(n, EFRON_UP_TO + 1), []).append(index)
    return list(groups.values())


def _resample(columns: Sequence[_Column], seed: int, resamples: int) -> tuple[Resampled, Floats]:
    """The ratio of each column in each resample: (resamples, columns)."""
    n = int(np.count_nonzero(columns[0].defined))
    if n <= EFRON_UP_TO:
        return "bootstrap", _efron(columns, n, _generator(seed, n), resamples)
    # All queries, not the defined ones, so that columns with different gaps share one pass. A query that is undefined
    # adds (0, 0), and weights are positive, so that no denominator can vanish.
    parts = np.column_stack([part for column in columns for part in (column.numerators, column.denominators)])
    sums = weighted_sums(parts, _MAMMEN, resamples, _generator(seed, len(parts)))
    return "bootstrap-multiplier", sums[:, 0::2] / sums[:, 1::2]


def _efron(columns: Sequence[_Column], n: int, generator: np.random.Generator, resamples: int) -> Floats:
    pairs = [(column.numerators[column.defined], column.denominators[column.defined]) for column in columns]
    ratios = np.empty((resamples, len(columns)))
    step = max(1, _CELLS_AT_ONCE // n)
    for start in range(0, resamples, step):
        chosen = generator.integers(0, n, size=(min(step, resamples - start), n))
        for index, (numerators, denominators) in enumerate(pairs):
            sums = numerators[chosen].sum(axis=1) / denominators[chosen].sum(axis=1)
            ratios[start : start + len(chosen), index] = sums
    return ratios


def _generator(seed: int, n: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64([seed, n]))


def _around(column: _Column, low: float, high: float, method: Method) -> Interval:
    estimate = column.estimate
    low, high = min(low, estimate), max(high, estimate)
    if column.bounded:
        low, high = max(low, 0.0), min(high, 1.0)
    return Interval(low, high, method)


def _check(fractions: Fractions, resamples: int, level: float) -> None:
    check_level(level)
    shape = fractions.numerators.shape
    faults: list[str] = []
    if resamples < 1:
        faults.append(f"resamples is {resamples}, expected at least 1; 10,000 is usual")
    if len(shape) != 2:
        faults.append(f"numerators have shape {shape}, expected (queries, metrics)")
    for name in ("denominators", "defined"):
        if getattr(fractions, name).shape != shape:
            faults.append(f"{name} have shape {getattr(fractions, name).shape}, expected {shape} as numerators have")
    for name in ("aggregation", "bounded"):
        if len(getattr(fractions, name)) != shape[-1]:
            faults.append(f"{name} has {len(getattr(fractions, name))} entries, expected {shape[-1]}, one per metric")
    # Cells can be read only where all shapes agree.
    faults = faults or _cell_faults(fractions)
    if faults:
        raise ValueError("; ".join(faults))


def _cell_faults(fractions: Fractions) -> list[str]:
    numerators, denominators, defined = fractions.numerators, fractions.denominators, fractions.defined
    finite = np.isfinite(numerators) & np.isfinite(denominators)
    positive = denominators > 0
    spare = _ROUNDING * denominators
    inside = (numerators >= -spare) & (numerators <= denominators + spare)
    bounded = np.asarray(fractions.bounded, dtype=np.bool_)
    checks = [
        (defined & ~finite, "expected finite numbers; mark the query as undefined or errored"),
        (defined & finite & ~positive, "expected a denominator above 0; mark the query as undefined"),
        (defined & finite & positive & ~inside & bounded, "expected a value in [0, 1]; the metric is not bounded"),
    ]
    faults: list[str] = []
    for wrong, remedy in checks:
        for row, column in np.argwhere(wrong)[:1]:
            fraction = f"{numerators[row, column]} / {denominators[row, column]}"
            count = np.count_nonzero(wrong)
            faults.append(f"{fraction} in row {row}, column {column} (first of {count}): {remedy}")
    return faults
