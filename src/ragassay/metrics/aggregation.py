"""From fractions to estimates: one number for a set of queries, with everything that was left out of it.

Macro is the mean of the defined values, micro the ratio of the sums, count the sum of the numerators, percentile the
nearest rank. Undefined, errored and excluded queries have no value and are counted beside it, by reason.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ragassay.metrics.definition import Choice, Fractions
from ragassay.metrics.ranking import Bools, Floats
from ragassay.records import Estimate
from ragassay.statistics import bootstrap
from ragassay.statistics.intervals import Interval, percentile_interval, percentile_nearest_rank


class Sampling(NamedTuple):
    """How intervals are made: the seed, the number of resamples, the level."""

    seed: int
    resamples: int
    level: float


class Measured(NamedTuple):
    """A choice with its fractions on all queries."""

    choice: Choice
    fractions: Fractions


def estimates(
    measured: Sequence[Measured], members: Bools, excluded: Sequence[str | None], sampling: Sampling
) -> dict[str, Estimate]:
    """The estimate of each metric over the member queries. `members` and `excluded` have shape (n,)."""
    included = np.array([reason is None for reason in excluded], dtype=np.bool_) & members
    dropped = Counter(reason for reason, member in zip(excluded, members, strict=True) if member and reason is not None)
    intervals = _intervals(measured, included, sampling)
    return {
        each.choice.id: _estimate(each, included, dict(dropped), interval)
        for each, interval in zip(measured, intervals, strict=True)
    }


def worst_and_best(choice: Choice, estimate: Estimate) -> tuple[float | None, float | None]:
    """A macro estimate with every errored query at the worst, and at the best, value that the metric allows.

    None where the estimate is undefined and nothing errored, or where the metric has no bound on that side.
    """
    low, high = choice.metric.bounds
    ends = (low, high) if choice.metric.direction == "higher" else (high, low)
    n = estimate.n + estimate.errored
    worst, best = (None if end is None or n == 0 else (estimate.numerator + estimate.errored * end) / n for end in ends)
    return worst, best


def _estimate(measured: Measured, included: Bools, excluded: dict[str, int], interval: Interval) -> Estimate:
    choice, fractions = measured
    defined = included & fractions.defined
    undefined, errored = _absences(fractions, included)
    n = int(defined.sum())
    numerators, denominators = fractions.numerator[defined], fractions.denominator[defined]
    value, top, bottom = _value(choice, numerators, denominators)
    has_value = value is not None and not undefined.keys() & set(choice.metric.voided_by)
    return Estimate(
        metric=choice.id,
        aggregation=choice.metric.aggregation,
        value=value if has_value else None,
        interval=(interval.low, interval.high) if has_value and interval.method != "none" else None,
        method=interval.method if has_value and interval.method != "none" else None,
        numerator=top,
        denominator=bottom,
        n=n,
        undefined=undefined,
        errored=errored,
        excluded=excluded,
        beside=_beside(choice, numerators, denominators) if has_value else {},
    )


def _value(choice: Choice, numerators: Floats, denominators: Floats) -> tuple[float | None, float, float]:
    """(value, numerator, denominator) of the aggregate."""
    n = float(len(numerators))
    if choice.metric.aggregation == "micro":
        top, bottom = float(numerators.sum()), float(denominators.sum())
        return (top / bottom if bottom > 0 else None), top, bottom
    if choice.metric.aggregation == "count":
        return (float(numerators.sum()) if n else None), float(numerators.sum()), n
    values = numerators / denominators
    if choice.metric.aggregation == "percentile":
        rank = percentile_nearest_rank(values, _share(choice)) if n else None
        return rank, float(values.sum()), n
    return (float(values.sum()) / n if n else None), float(values.sum()), n


def _share(choice: Choice) -> float:
    return int(choice.variant["p"]) / 100


def _beside(choice: Choice, numerators: Floats, denominators: Floats) -> dict[str, float]:
    if not choice.metric.beside:
        return {}
    if choice.metric.aggregation == "macro":
        return {"micro": float(numerators.sum() / denominators.sum())}
    return {"macro": float(np.mean(numerators / denominators))}


def _absences(fractions: Fractions, included: Bools) -> tuple[dict[str, int], int]:
    """Undefined queries by reason, and how many errored."""
    counts = np.bincount(fractions.state[included], minlength=len(fractions.absences) + 1)[1:].tolist()
    named = {reason: count for reason, count in zip(fractions.absences, counts, strict=True) if count}
    undefined = {reason: count for reason, count in named.items() if not reason.startswith("error:")}
    return undefined, sum(named.values()) - sum(undefined.values())


def _intervals(measured: Sequence[Measured], included: Bools, sampling: Sampling) -> list[Interval]:
    intervals = [Interval(None, None, "none")] * len(measured)
    sampled = [index for index, each in enumerate(measured) if _is_resampled(each.choice)]
    for index, interval in zip(sampled, _bootstrap([measured[i] for i in sampled], included, sampling), strict=True):
        intervals[index] = interval
    for index, (choice, fractions) in enumerate(measured):
        defined = included & fractions.defined
        if choice.metric.aggregation == "percentile" and defined.any():
            values = fractions.numerator[defined] / fractions.denominator[defined]
            intervals[index] = percentile_interval(values, _share(choice), sampling.level)
    return intervals


def _is_resampled(choice: Choice) -> bool:
    """Counts are totals, not estimates. An unbounded ratio may divide by queries whose denominator is 0."""
    metric = choice.metric
    return metric.aggregation == "macro" or (metric.aggregation == "micro" and metric.bounds == (0.0, 1.0))


def _bootstrap(measured: Sequence[Measured], included: Bools, sampling: Sampling) -> list[Interval]:
    if not measured:
        return []
    chosen = [each.choice.metric for each in measured]
    columns = bootstrap.Fractions(
        numerators=np.column_stack([each.fractions.numerator[included] for each in measured]),
        denominators=np.column_stack([each.fractions.denominator[included] for each in measured]),
        defined=np.column_stack([each.fractions.defined[included] for each in measured]),
        aggregation=["micro" if metric.aggregation == "micro" else "macro" for metric in chosen],
        bounded=[metric.bounds == (0.0, 1.0) for metric in chosen],
    )
    return bootstrap.bootstrap_intervals(columns, sampling.seed, sampling.resamples, sampling.level)
