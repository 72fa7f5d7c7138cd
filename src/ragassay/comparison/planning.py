"""How many queries the next comparison needs, from the spread that one or two runs show."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ragassay.comparison.comparability import comparability
from ragassay.comparison.pairs import Pairs, paired, values
from ragassay.comparison.sides import Side, aligned, refused, shared, unknown_metrics
from ragassay.comparison.testing import effect_of, is_binary, ratio
from ragassay.metrics.aggregation import Measured
from ragassay.metrics.definition import Choice
from ragassay.metrics.ranking import Bools
from ragassay.metrics.slices import is_asked
from ragassay.records import Fault, FaultyInput
from ragassay.records.planning import AtBest, Need, Plan, Wanted
from ragassay.statistics.intervals import exact_lower_bound
from ragassay.statistics.power import (
    detectable,
    independent_discordance,
    mcnemar_queries,
    paired_queries,
    unanimous_queries,
)

CRITICAL = "critical=yes"
RATES = ("0.9", "0.95", "0.99")
"""Pass rates that people ask of critical queries."""
_RATE = (0.0, 1.0)
_WIDEST = 100.0
"""In deviations: beyond this, two queries are enough for any difference."""


class _Spread(NamedTuple):
    """How much single queries differ: of a 0/1 metric the discordance at a difference, else the deviation."""

    discordance: Callable[[float], float] | None
    deviation: float


def plan(sides: Sequence[Side], wanted: Wanted, metrics: Collection[str] = (), by: Sequence[str] = ()) -> Plan:
    """What every metric needs, on all queries and on the slices asked for. `sides`: one run or two.

    `metrics` names the only ones wanted (identities without version; none: all). `by` names axes (`language`) or slices
    (`language=ru`). Raises `FaultyInput` with every metric and slice that the runs do not have.
    """
    mismatches = comparability(sides[0].run.card, sides[-1].run.card)
    queries, labels = shared(sides)
    measured = [aligned(side, queries) for side in sides]
    names = {**measured[0], **measured[-1]}
    faults = [*unknown_metrics(metrics, names), *_unknown_slices(by, labels)]
    if faults:
        raise FaultyInput(faults)
    chosen = [name for name in names if not metrics or name in metrics]
    barred = refused(mismatches)
    reasons = {
        name: _unplanned(names[name].choice, measured, barred, wanted, is_named=bool(metrics)) for name in chosen
    }
    needs = [
        _need(names[name].choice, [each[name] for each in measured if name in each], _Part(label, members), wanted)
        if reasons[name] is None
        else Need(metric=name, slice=label, method="none", n=0, reason=reasons[name])
        for label, members in labels.items()
        if label is None or is_asked(label, by)
        for name in chosen
    ]
    return Plan(
        runs=tuple(side.run.id for side in sides),
        wanted=wanted,
        mismatches=mismatches,
        needs=tuple(needs),
        critical=_at_best(int(labels[CRITICAL].sum()), 1 - wanted.alpha),
    )


class _Part(NamedTuple):
    label: str | None
    members: Bools


def _unplanned(
    choice: Choice,
    measured: Sequence[Mapping[str, Measured]],
    barred: Collection[str],
    wanted: Wanted,
    *,
    is_named: bool,
) -> str | None:
    """Why no number of queries is given for a metric, whatever its spread."""
    aggregation = choice.metric.aggregation
    if "*" in barred or choice.id in barred:
        return "the two runs are not comparable in it"
    if any(choice.id not in each for each in measured):
        return "only one of the runs measured it"
    if aggregation == "percentile":
        return "differences of percentiles are not tested"
    if aggregation == "count":
        return "a total grows with the queries; plan on its rate"
    if choice.metric.bounds == _RATE:
        return None if wanted.difference <= 1 else "two shares cannot differ by more than 1"
    return None if is_named else "no share: name it with --metric, and --difference in its unit"


def _need(choice: Choice, measured: Sequence[Measured], part: _Part, wanted: Wanted) -> Need:
    pairs = paired(measured[0], measured[-1])
    inside = pairs.defined & part.members
    n = int(inside.sum())
    reason = _nothing(pairs, part.members & ~inside) if n == 0 else "one query shows no spread" if n == 1 else None
    if reason is not None:
        return Need(metric=choice.id, slice=part.label, method="none", n=n, reason=reason)
    spread = _between(pairs, inside) if len(measured) > 1 else _alone(pairs, inside)
    if spread.discordance is None and spread.deviation == 0:
        reason = "no query differs from another, so that nothing tells its spread"
        return Need(metric=choice.id, slice=part.label, method="none", n=n, reason=reason)
    queries = partial(_queries, spread, wanted)
    largest = 1.0 if choice.metric.bounds == _RATE else _WIDEST * spread.deviation
    return Need(
        metric=choice.id,
        slice=part.label,
        method="paired" if spread.discordance is None else "mcnemar",
        n=n,
        discordance=None if spread.discordance is None else spread.discordance(wanted.difference),
        deviation=spread.deviation if spread.discordance is None else None,
        needed=queries(wanted.difference),
        detectable=detectable(queries, n, largest),
    )


def _queries(spread: _Spread, wanted: Wanted, difference: float) -> int:
    if spread.discordance is None:
        return paired_queries(difference, spread.deviation, wanted.alpha, wanted.power)
    return mcnemar_queries(difference, spread.discordance(difference), wanted.alpha, wanted.power)


def _between(pairs: Pairs, inside: Bools) -> _Spread:
    """What two runs show."""
    before, after = values(pairs.before)[inside], values(pairs.after)[inside]
    if pairs.choice.metric.aggregation == "macro" and is_binary(pairs, inside, before, after):
        seen = float(np.mean(np.abs(after - before)))
        return _Spread(partial(_observed, seen), 0.0)
    effect = effect_of(pairs, inside)
    return _Spread(None, 0.0 if effect is None else float(np.std(effect.steps, ddof=1)))


def _observed(discordance: float, _: float) -> float:
    """The same whatever the difference is."""
    return discordance


def _alone(pairs: Pairs, inside: Bools) -> _Spread:
    """What one run shows of its difference to another whose failures have nothing to do with its own."""
    one = values(pairs.after)[inside]
    if pairs.choice.metric.aggregation == "macro" and is_binary(pairs, inside, one, one):
        return _Spread(partial(independent_discordance, float(one.mean())), 0.0)
    if pairs.choice.metric.aggregation == "micro":
        _, one = ratio(pairs.after.numerator[inside], pairs.after.denominator[inside])
    return _Spread(None, math.sqrt(2) * float(np.std(one, ddof=1)))


def _nothing(pairs: Pairs, left_out: Bools) -> str:
    """Why no query has a value: the commonest reason."""
    reasons: Counter[str] = Counter()
    for fractions in (pairs.before, pairs.after):
        counts = np.bincount(fractions.state[left_out], minlength=len(fractions.absences) + 1)[1:].tolist()
        reasons.update({why: count for why, count in zip(fractions.absences, counts, strict=True) if count})
    return f"no query has a value: {reasons.most_common(1)[0][0]}" if reasons else "there is no query in it"


def _at_best(n: int, level: float) -> AtBest:
    needed = {rate: unanimous_queries(float(rate), level) for rate in RATES}
    return AtBest(n=n, shows=exact_lower_bound(n, level) if n else None, needed=needed)


def _unknown_slices(by: Sequence[str], labels: Collection[str | None]) -> Iterator[Fault]:
    for name in by:
        if not any(label is not None and is_asked(label, (name,)) for label in labels):
            axes = dict.fromkeys(label.partition("=")[0] for label in labels if label is not None)
            yield Fault(
                code="no_slice",
                message="no query is in such a slice",
                field="--by",
                value=name,
                expected=f"{', '.join(axes)}, or one of their values",
            )
