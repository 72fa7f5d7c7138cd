"""The two ends of an aggregate at a gate: everything open at its worst, and everything open at its best."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ragassay.gates.standing import HEAVIEST, Standing, capped
from ragassay.metrics.aggregation import Measured, Sampling, estimates
from ragassay.metrics.definition import Choice, Fractions
from ragassay.statistics.intervals import exact_lower_bound

Pick = Callable[[float, float], float]
RATE = (0.0, 1.0)
EDGE = 1e-9
"""How far beyond a threshold a value still counts as reaching it: sums of decimals are not exact."""


class Aggregate(NamedTuple):
    """A value with its interval. None: no value; an end that is None is one that the data do not bound."""

    value: float | None
    low: float | None
    high: float | None


class Ends(NamedTuple):
    """The aggregate at its worst and at its best, of a metric of which more is better, or less."""

    worst: Aggregate
    best: Aggregate
    is_higher_better: bool
    on_bound: bool

    def hold(self, threshold: float) -> bool:
        """The threshold is reached whatever the open queries are."""
        least = self.worst.low if self.is_higher_better else self.worst.high
        return self._reaches(least if self.on_bound else self.worst.value, threshold)

    def fail(self, threshold: float) -> bool:
        """The threshold is missed whatever the open queries are."""
        most = self.best.high if self.is_higher_better else self.best.low
        most = most if self.on_bound else self.best.value
        return most is not None and not math.isnan(most) and not self._reaches(most, threshold)

    def _reaches(self, value: float | None, threshold: float) -> bool:
        if value is None:
            return False
        return value >= threshold - EDGE if self.is_higher_better else value <= threshold + EDGE


def ends(standing: Standing, sampling: Sampling, *, on_bound: bool) -> Ends:
    """Both ends of a metric. Without `on_bound`, no interval is made."""
    choice = standing.choice
    higher = choice.metric.direction == "higher"
    worst = _extreme(choice, standing.worst, sampling if on_bound else None, min if higher else max)
    best = _extreme(choice, standing.best, sampling if on_bound else None, max if higher else min)
    return Ends(worst, best, higher, on_bound)


def aggregate(choice: Choice, fractions: Fractions, sampling: Sampling | None) -> Aggregate:
    """The aggregate of all queries with a value; an infinite one has no bound and no interval."""
    defined = fractions.defined
    if not defined.any():
        return Aggregate(None, None, None)
    if choice.metric.aggregation != "percentile" and not np.isfinite(fractions.numerator[defined]).all():
        return Aggregate(math.inf, None, None)
    how = sampling or Sampling(seed=0, resamples=1, level=0.5)
    found = estimates([Measured(choice, fractions)], defined, [None] * len(defined), how)[choice.id]
    if sampling is None or found.value is None:
        return Aggregate(found.value, None, None)
    low, high = found.interval or (None, None)
    return _exact(choice, Aggregate(found.value, low, high), found.n, sampling.level)


def _exact(choice: Choice, found: Aggregate, n: int, level: float) -> Aggregate:
    """The exact one-sided bound where all n of n queries have the best value there is."""
    if choice.metric.bounds != RATE:
        return found
    if choice.metric.direction == "higher" and found.value == 1.0:
        return found._replace(low=exact_lower_bound(n, level))
    if choice.metric.direction == "lower" and found.value == 0.0:
        return found._replace(high=1.0 - exact_lower_bound(n, level))
    return found


def _extreme(choice: Choice, fractions: Fractions, sampling: Sampling | None, pick: Pick) -> Aggregate:
    """The aggregate; of a rate over claims, also the one in which no answer weighs more than `HEAVIEST`."""
    found = aggregate(choice, fractions, sampling)
    is_rate = choice.metric.aggregation == "micro" and choice.metric.bounds == RATE
    if not is_rate or not (fractions.denominator[fractions.defined] > HEAVIEST).any():
        return found
    both = zip(found, aggregate(choice, capped(fractions), sampling), strict=True)
    return Aggregate(*(None if one is None or other is None else pick(one, other) for one, other in both))
