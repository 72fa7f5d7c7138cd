"""Intervals and p-values of the differences of many metrics on one set of queries."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ragassay.comparison.pairs import Pairs, values
from ragassay.metrics.aggregation import Sampling
from ragassay.metrics.ranking import Bools, Floats
from ragassay.records import Interval
from ragassay.statistics import bootstrap
from ragassay.statistics.intervals import percentile_nearest_rank, wilson
from ragassay.statistics.paired import mcnemar_exact, newcombe, sign_flip

_FEW = 20


class Tested(NamedTuple):
    """The aggregates over the pairs, their difference (candidate less baseline), its interval and p-value."""

    baseline: float | None = None
    candidate: float | None = None
    difference: float | None = None
    interval: Interval | None = None
    name: Literal["mcnemar", "sign_flip", "none"] = "none"
    p: float | None = None


class Effect(NamedTuple):
    """What each query adds to a difference that is their mean: `steps` of shape (n,), over the pairs alone."""

    baseline: float
    candidate: float
    steps: Floats


def tested(all_pairs: Sequence[Pairs], members: Bools, sampling: Sampling) -> list[Tested]:
    """One result for each metric over the member queries, shape (n,). Without pairs there is no difference."""
    effects = [effect_of(pairs, pairs.defined & members) for pairs in all_pairs]
    intervals = _bootstrapped(all_pairs, members, effects, sampling)
    p_values = _flipped(all_pairs, members, effects, sampling)
    return [
        _tested(pairs, pairs.defined & members, effect, interval, p, sampling.level)
        for pairs, effect, interval, p in zip(all_pairs, effects, intervals, p_values, strict=True)
    ]


def _tested(
    pairs: Pairs, inside: Bools, effect: Effect | None, interval: Interval | None, p: float, level: float
) -> Tested:
    if effect is None:
        return Tested()
    difference = effect.candidate - effect.baseline
    before, after = values(pairs.before)[inside], values(pairs.after)[inside]
    aggregation = pairs.choice.metric.aggregation
    if aggregation == "percentile":
        return Tested(effect.baseline, effect.candidate, difference)
    if aggregation == "macro" and is_binary(pairs, inside, before, after):
        b, c = int(((before == 1) & (after == 0)).sum()), int(((before == 0) & (after == 1)).sum())
        counts = int(((before == 1) & (after == 1)).sum()), b, c, int(((before == 0) & (after == 0)).sum())
        found = newcombe(*counts, level)
        return Tested(effect.baseline, effect.candidate, difference, found, "mcnemar", mcnemar_exact(b, c))
    is_poor = len(effect.steps) < _FEW or bool((effect.steps == effect.steps[0]).all())
    if is_poor:
        interval = _bounded(pairs, effect, level)
    scale = len(effect.steps) if aggregation == "count" else 1
    found = None if interval is None or interval[0] is None or interval[1] is None else interval
    scaled = None if found is None else (scale * (found[0] or 0.0), scale * (found[1] or 0.0))
    return Tested(effect.baseline, effect.candidate, difference, scaled, "sign_flip", p)


def is_binary(pairs: Pairs, inside: Bools, before: Floats, after: Floats) -> bool:
    """One 0/1 value per query on both sides."""
    ones = (pairs.before.denominator[inside] == 1).all() and (pairs.after.denominator[inside] == 1).all()
    return bool(ones) and set(np.unique(np.concatenate([before, after])).tolist()) <= {0.0, 1.0}


def effect_of(pairs: Pairs, inside: Bools) -> Effect | None:
    """The difference over the pairs inside; None where there are none."""
    n = int(inside.sum())
    if n == 0:
        return None
    before, after = values(pairs.before)[inside], values(pairs.after)[inside]
    aggregation = pairs.choice.metric.aggregation
    if aggregation == "percentile":
        share = int(pairs.choice.variant["p"]) / 100
        ends = [percentile_nearest_rank(side, share) for side in (before, after)]
        return Effect(ends[0], ends[1], after - before)
    if aggregation == "micro":
        sides = pairs.before, pairs.after
        (first, one), (second, other) = (ratio(side.numerator[inside], side.denominator[inside]) for side in sides)
        return Effect(first, second, other - one + (second - first))
    scale = n if aggregation == "count" else 1
    return Effect(float(before.mean()) * scale, float(after.mean()) * scale, after - before)


def ratio(numerators: Floats, denominators: Floats) -> tuple[float, Floats]:
    """A ratio of sums, and by how much each query moves it, to first order."""
    ratio = float(numerators.sum() / denominators.sum())
    return ratio, (numerators - ratio * denominators) / denominators.mean()


def _bounded(pairs: Pairs, effect: Effect, level: float) -> Interval | None:
    """For few pairs or equal steps: a mean of values in [0, 1] varies no more than a rate does."""
    n, metric = len(effect.steps), pairs.choice.metric
    if metric.bounds != (0.0, 1.0):
        return None
    successes = float(np.clip((effect.steps.mean() + 1) / 2, 0.0, 1.0)) * n
    low, high = wilson(min(successes, n), n, level)
    return 2 * low - 1, 2 * high - 1


def _columns(all_pairs: Sequence[Pairs], members: Bools, effects: Sequence[Effect | None]) -> tuple[Floats, Bools]:
    """Steps and where they are defined, one row for each member and one column for each metric."""
    n = int(members.sum())
    steps, defined = np.zeros((n, len(all_pairs))), np.zeros((n, len(all_pairs)), dtype=np.bool_)
    for column, (pairs, effect) in enumerate(zip(all_pairs, effects, strict=True)):
        if effect is not None:
            defined[:, column] = pairs.defined[members]
            steps[defined[:, column], column] = effect.steps
    return steps, defined


def _bootstrapped(
    all_pairs: Sequence[Pairs], members: Bools, effects: Sequence[Effect | None], sampling: Sampling
) -> list[Interval | None]:
    if not all_pairs or not members.any():
        return [None] * len(all_pairs)
    steps, defined = _columns(all_pairs, members, effects)
    fractions = bootstrap.Fractions(
        numerators=steps,
        denominators=np.ones_like(steps),
        defined=defined,
        aggregation=["macro" for _ in all_pairs],
        bounded=[False] * len(all_pairs),
    )
    found = bootstrap.bootstrap_intervals(fractions, sampling.seed, sampling.resamples, sampling.level)
    return [None if each.method == "none" else (each.low, each.high) for each in found]


def _flipped(
    all_pairs: Sequence[Pairs], members: Bools, effects: Sequence[Effect | None], sampling: Sampling
) -> list[float]:
    if not all_pairs or not members.any():
        return [1.0] * len(all_pairs)
    steps, _ = _columns(all_pairs, members, effects)
    return sign_flip(steps, sampling.seed, sampling.resamples).tolist()
