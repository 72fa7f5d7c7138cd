"""The same queries asked again and again: how often each passes, and how far its values spread."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from ragassay.comparison.comparability import comparability
from ragassay.comparison.self_agreement import Said, same_answers, self_agreement
from ragassay.comparison.sides import Side, aligned, shared, unknown_metrics
from ragassay.matrices import Matrices
from ragassay.metrics.aggregation import Measured, Sampling
from ragassay.metrics.definition import Choice
from ragassay.metrics.ranking import Bools, Floats, Ints
from ragassay.records import Answer, FaultyInput, Mismatch, Run
from ragassay.records.stability import Repeated, Share, Stability, Unsteady
from ragassay.statistics.bootstrap import Aggregation, Fractions, bootstrap_intervals
from ragassay.statistics.repeating import at_least_once, every_time

_RATE = (0.0, 1.0)
_ROUNDING = 1e-12


class Repetition(NamedTuple):
    """One of the runs, with its evidence and what was answered."""

    run: Run
    fractions: pl.DataFrame
    matrices: Matrices
    answers: Sequence[Answer]


class _Values(NamedTuple):
    """One metric, everything (queries, repetitions). `outcome`: it passed or did not; `passed` is read only there."""

    choice: Choice
    numerator: Floats
    denominator: Floats
    defined: Bools
    outcome: Bools
    passed: Bools
    rule: str | None

    @property
    def values(self) -> Floats:
        return np.divide(
            self.numerator, self.denominator, out=np.zeros_like(self.numerator), where=self.denominator > 0
        )


def stability(
    repetitions: Sequence[Repetition], metrics: Collection[str] = (), threshold: float | None = None
) -> Stability:
    """How far at least two repetitions agree on the queries that all of them hold.

    A 0/1 metric passes at its better value, any other share where it reaches the `threshold`, if one is given. An
    answer that failed or broke off does not pass where another repetition has a value for its query. `metrics`: the
    only ones wanted (identities without version; none: all that every repetition measured). Where anything refuses that
    the runs are repetitions of each other, another judge too, the mismatches say so and nothing else is given.
    Raises `FaultyInput` with every metric that not all measured.
    """
    mismatches = tuple(_mismatches([each.run for each in repetitions]))
    runs = tuple(each.run.id for each in repetitions)
    if any(each.refuses for each in mismatches):
        return Stability(runs=runs, mismatches=mismatches, metrics=(), unsteady=(), same_answers=0, judge=None)
    sides = [Side(each.run, each.fractions, each.matrices.queries) for each in repetitions]
    queries, _ = shared(sides)
    measured = [aligned(side, queries) for side in sides]
    lost = np.column_stack([_lost(each.matrices, queries) for each in repetitions])
    common = [name for name in measured[0] if all(name in each for each in measured)]
    faults = list(unknown_metrics(metrics, common))
    if faults:
        raise FaultyInput(faults)
    chosen = [name for name in common if not metrics or name in metrics]
    stacks = {name: _stacked([each[name] for each in measured], lost, threshold) for name in chosen}
    card = repetitions[0].run.card
    sampling = Sampling(card.seed, card.resamples, card.level)
    said = [Said(each.matrices, each.answers) for each in repetitions]
    return Stability(
        runs=runs,
        mismatches=mismatches,
        metrics=tuple(
            _repeated(stack, _without([each[name] for each in measured], stack), sampling)
            for name, stack in stacks.items()
        ),
        unsteady=tuple(row for stack in stacks.values() for row in _unsteady(stack, queries)),
        same_answers=same_answers(said, queries),
        judge=self_agreement(said, queries, sampling),
    )


def _mismatches(runs: Sequence[Run]) -> Iterator[Mismatch]:
    """What keeps runs from being repetitions of the first, each field once."""
    first, *others = runs
    found: dict[str, Mismatch] = {}
    for other in others:
        for each in (*comparability(first.card, other.card), *_set_otherwise(first, other)):
            found.setdefault(each.field, each)
    yield from found.values()


def _set_otherwise(first: Run, other: Run) -> Iterator[Mismatch]:
    one, another = (run.card.system if run.card.asked is None else run.card.asked.system for run in (first, other))
    if one != another:
        message = "another system, or the same set otherwise: repetitions ask the same one again"
        yield Mismatch(field="system", baseline=str(one), candidate=str(another), refuses=True, message=message)
    measured, others = set(first.card.metrics), set(other.card.metrics)
    if measured != others:
        left, right = (", ".join(sorted(each)) for each in (measured - others, others - measured))
        message = "not every run measured every metric; only those that all did are set beside each other"
        yield Mismatch(field="metrics", baseline=left, candidate=right, refuses=False, message=message)


def _lost(matrices: Matrices, queries: pl.Series) -> Bools:
    """(n,): the answer failed or broke off."""
    found = matrices.queries.select("query", pl.col("error").is_not_null().alias("failed"))
    found = found.join(matrices.abstention.select("query", "observed"), on="query", how="left")
    found = found.join(matrices.effort.select("query", "complete"), on="query", how="left")
    is_lost = pl.col("failed") | (pl.col("observed") == "failed") | ~pl.col("complete")
    found = found.select("query", is_lost.fill_null(value=False).alias("lost"))
    order = pl.DataFrame({"query": queries}).join(found, on="query", how="left", maintain_order="left")
    return order["lost"].to_numpy()


def _stacked(measured: Sequence[Measured], lost: Bools, threshold: float | None) -> _Values:
    choice = measured[0].choice
    numerator, denominator, defined = (
        np.column_stack([getattr(each.fractions, name) for each in measured])
        for name in ("numerator", "denominator", "defined")
    )
    defined = defined & (denominator > 0)
    stack = _Values(choice, numerator, denominator, defined, np.zeros_like(defined), np.zeros_like(defined), None)
    rule, passed = _passing(stack, threshold)
    if rule is None:
        return stack
    counts_lost = lost & defined.any(axis=1, keepdims=True)
    missed = counts_lost & (~defined | (choice.metric.direction == "lower"))
    return stack._replace(outcome=defined | missed, passed=passed & defined & ~missed, rule=rule)


def _passing(stack: _Values, threshold: float | None) -> tuple[str | None, Bools]:
    """What passes, in words, and where it does."""
    metric, values, nothing = stack.choice.metric, stack.values, np.zeros_like(stack.defined)
    if metric.bounds != _RATE or not stack.defined.any():
        return None, nothing
    is_higher = metric.direction == "higher"
    ones = (stack.denominator[stack.defined] == 1).all()
    if metric.aggregation == "macro" and ones and np.isin(values[stack.defined], (0.0, 1.0)).all():
        return ("is 1", values == 1) if is_higher else ("is 0", values == 0)
    if threshold is None:
        return None, nothing
    if is_higher:
        return f"at least {threshold:g}", values >= threshold - _ROUNDING
    return f"at most {threshold:g}", values <= threshold + _ROUNDING


def _without(measured: Sequence[Measured], stack: _Values) -> dict[str, int]:
    """Why repetitions have neither a value nor an outcome, over all queries."""
    counts: Counter[str] = Counter()
    for column, (_, fractions) in enumerate(measured):
        missing = ~(stack.defined | stack.outcome)[:, column]
        states = np.bincount(fractions.state[missing], minlength=len(fractions.absences) + 1)[1:].tolist()
        counts.update({why: count for why, count in zip(fractions.absences, states, strict=True) if count})
    return dict(counts)


def _repeated(stack: _Values, without: Mapping[str, int], sampling: Sampling) -> Repeated:
    """A reason that voids the aggregate of one run voids that of several."""
    metric = stack.choice.metric
    if without.keys() & set(metric.voided_by):
        nothing = np.zeros_like(stack.defined)
        stack = stack._replace(defined=nothing, outcome=nothing, rule=None)
    passed, outcomes = (stack.passed & stack.outcome).sum(axis=1), stack.outcome.sum(axis=1)
    ks = range(1, stack.defined.shape[1] + 1) if stack.rule is not None else range(0)
    columns = [
        _mean(stack),
        *(_of(every_time(passed, outcomes, k), outcomes >= k) for k in ks),
        *(_of(at_least_once(passed, outcomes, k), outcomes >= k) for k in ks),
        _of(((passed > 0) & (passed < outcomes)).astype(np.float64), outcomes >= 2),
    ]
    mean, *shares, flips = _shares(columns, sampling)
    return Repeated(
        metric=stack.choice.id,
        mean=_total(mean) if metric.aggregation == "count" else mean,
        deviation=_deviation(stack),
        rule=stack.rule,
        every=tuple(shares[: len(ks)]),
        once=tuple(shares[len(ks) :]),
        flips=flips,
        without=dict(without),
    )


def _total(mean: Share) -> Share:
    """The total that a mean over n queries stands for."""
    if mean.value is None or mean.interval is None:
        return mean if mean.value is None else Share(value=mean.value * mean.n, interval=None, n=mean.n)
    low, high = (None if end is None else end * mean.n for end in mean.interval)
    return Share(value=mean.value * mean.n, interval=(low, high), n=mean.n)


class _Column(NamedTuple):
    """What a bootstrap over queries resamples: (n,) each."""

    numerators: Floats
    denominators: Floats
    defined: Bools
    aggregation: Aggregation
    is_bounded: bool


def _of(values: Floats, defined: Bools) -> _Column:
    return _Column(values, np.ones_like(values), defined, "macro", is_bounded=True)


def _mean(stack: _Values) -> _Column:
    """What each query shows on average. A percentile is no mean of queries and has none here."""
    metric = stack.choice.metric
    counts = stack.defined.sum(axis=1)
    has_value = (counts > 0) & (metric.aggregation != "percentile")
    weights = np.maximum(counts, 1)
    if metric.aggregation == "micro":
        tops, bottoms = (
            np.where(stack.defined, part, 0.0).sum(axis=1) / weights for part in (stack.numerator, stack.denominator)
        )
        return _Column(tops, bottoms, has_value, "micro", metric.bounds == _RATE)
    values = np.where(stack.defined, stack.values, 0.0).sum(axis=1) / weights
    return _Column(values, np.ones_like(values), has_value, "macro", metric.bounds == _RATE)


def _shares(columns: Sequence[_Column], sampling: Sampling) -> list[Share]:
    fractions = Fractions(
        numerators=np.column_stack([each.numerators for each in columns]),
        denominators=np.column_stack([each.denominators for each in columns]),
        defined=np.column_stack([each.defined for each in columns]),
        aggregation=[each.aggregation for each in columns],
        bounded=[each.is_bounded for each in columns],
    )
    found = bootstrap_intervals(fractions, sampling.seed, sampling.resamples, sampling.level)
    shares: list[Share] = []
    for column, interval in zip(columns, found, strict=True):
        n = int(column.defined.sum())
        top, bottom = column.numerators[column.defined].sum(), column.denominators[column.defined].sum()
        ends = None if interval.method == "none" else (interval.low, interval.high)
        shares.append(Share(value=float(top / bottom) if n else None, interval=ends, n=n))
    return shares


def _deviation(stack: _Values) -> float | None:
    """Between repetitions of one query, pooled over those with two values and more."""
    counts: Ints = stack.defined.sum(axis=1)
    values = np.where(stack.defined, stack.values, 0.0)
    means = values.sum(axis=1, keepdims=True) / np.maximum(counts, 1)[:, None]
    squares = (np.where(stack.defined, values - means, 0.0) ** 2).sum()
    freedom = int(np.maximum(counts - 1, 0).sum())
    return float(np.sqrt(squares / freedom)) if freedom else None


def _unsteady(stack: _Values, queries: pl.Series) -> Iterator[Unsteady]:
    """The queries that vary, those that flip evenly first, then the widest."""
    low: Floats = np.where(stack.defined, stack.values, np.inf).min(axis=1)
    high: Floats = np.where(stack.defined, stack.values, -np.inf).max(axis=1)
    passed, outcomes = (stack.passed & stack.outcome).sum(axis=1), stack.outcome.sum(axis=1)
    flips = np.minimum(passed, outcomes - passed)
    has_value: Bools = stack.defined.sum(axis=1) > 0
    width = np.where(has_value, high - low, 0.0)
    rows = np.flatnonzero((flips > 0) | (width > _ROUNDING))
    for row in sorted(rows.tolist(), key=lambda row: (-int(flips[row]), -float(width[row]), row)):
        yield Unsteady(
            query=queries[row],
            metric=stack.choice.id,
            passed=None if stack.rule is None else int(passed[row]),
            outcomes=int(outcomes[row]) if stack.rule is not None else int(stack.defined[row].sum()),
            low=float(low[row]) if has_value[row] else None,
            high=float(high[row]) if has_value[row] else None,
        )
