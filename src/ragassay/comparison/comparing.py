"""The same queries under two systems: differences with intervals and tests, and who lost."""

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
import polars as pl
from msgspec.structs import replace

from ragassay.comparison.comparability import comparability
from ragassay.comparison.pairs import Pairs, paired
from ragassay.comparison.sides import Side, aligned, refused, shared
from ragassay.comparison.testing import tested
from ragassay.metrics.aggregation import Sampling
from ragassay.metrics.ranking import Bools
from ragassay.records import Change, Comparison, Difference
from ragassay.statistics.multiplicity import benjamini_hochberg, holm

SHOWN = 50
"""Queries that a comparison lists on each side."""

Key = tuple[str, str | None]
"""A metric, and a slice or None for all queries."""


def compare(
    baseline: Side, candidate: Side, sampling: Sampling, gating: Collection[Key] = (), override: str | None = None
) -> Comparison:
    """Every metric that both runs measured, on every slice of the candidate, over the queries that both hold.

    `gating` names what a decision hangs on: its p-values are adjusted after Holm, all others after Benjamini and
    Hochberg. What `comparability` refuses has no difference, unless `override` says why it is given all the same.
    """
    mismatches = comparability(baseline.run.card, candidate.run.card)
    barred = refused(mismatches) if override is None else frozenset[str]()
    queries, labels = shared((baseline, candidate))
    sides = [aligned(side, queries) for side in (baseline, candidate)]
    names = [name for name in sides[0] if name in sides[1] and name not in barred and "*" not in barred]
    all_pairs = [paired(sides[0][name], sides[1][name]) for name in names]
    found: list[Difference] = []
    for label, members in labels.items():
        found += _differences(all_pairs, members, label, sampling, _lonely(baseline, candidate, label))
    overall = labels[None]
    return Comparison(
        baseline=baseline.run.id,
        candidate=candidate.run.id,
        mismatches=mismatches,
        override=override,
        differences=tuple(_adjusted(found, set(gating))),
        regressed=_changes(all_pairs, overall, queries, sign=-1),
        improved=_changes(all_pairs, overall, queries, sign=1),
    )


def _lonely(baseline: Side, candidate: Side, label: str | None) -> dict[str, int]:
    """Queries that only one run holds, counted once, beside the difference over all queries."""
    if label is not None:
        return {}
    before, after = set(baseline.queries["query"]), set(candidate.queries["query"])
    counts = {"only in the baseline": len(before - after), "only in the candidate": len(after - before)}
    return {reason: count for reason, count in counts.items() if count}


def _differences(
    all_pairs: Sequence[Pairs], members: Bools, label: str | None, sampling: Sampling, lonely: dict[str, int]
) -> list[Difference]:
    found: list[Difference] = []
    for pairs, test in zip(all_pairs, tested(all_pairs, members, sampling), strict=True):
        inside = pairs.defined & members
        change = pairs.gain[inside]
        found.append(
            Difference(
                metric=pairs.choice.id,
                slice=label,
                baseline=test.baseline,
                candidate=test.candidate,
                difference=test.difference,
                interval=test.interval,
                test=test.name,
                p=test.p,
                adjusted=None,
                gates=False,
                n=int(inside.sum()),
                wins=int((change > 0).sum()),
                ties=int((change == 0).sum()),
                losses=int((change < 0).sum()),
                unpaired=_unpaired(pairs, members) | lonely,
            )
        )
    return found


def _unpaired(pairs: Pairs, members: Bools) -> dict[str, int]:
    """Why queries have no pair: `candidate: error:judge_timeout` and so on."""
    left_out = members & ~pairs.defined
    counts: Counter[str] = Counter()
    for name, fractions in (("baseline", pairs.before), ("candidate", pairs.after)):
        states = np.bincount(fractions.state[left_out], minlength=len(fractions.absences) + 1)[1:].tolist()
        counts.update({f"{name}: {why}": n for why, n in zip(fractions.absences, states, strict=True) if n})
    return dict(counts)


def _adjusted(found: Sequence[Difference], gating: set[Key]) -> list[Difference]:
    marked = [replace(each, gates=(each.metric, each.slice) in gating) for each in found]
    adjusted: dict[int, float] = {}
    for gates, adjust in ((True, holm), (False, benjamini_hochberg)):
        places = [at for at, each in enumerate(marked) if each.gates is gates and each.p is not None]
        adjusted |= dict(zip(places, adjust([marked[at].p or 0.0 for at in places]), strict=True))
    return [replace(each, adjusted=adjusted.get(at)) for at, each in enumerate(marked)]


def _changes(all_pairs: Sequence[Pairs], members: Bools, queries: pl.Series, sign: int) -> tuple[Change, ...]:
    """Queries that became worse (-1) or better (1), those with most metrics and the widest step first.

    Each is shown by the metric on which it moved most; only metrics bounded by 0 and 1 can be set beside each other.
    """
    bounded = [pairs for pairs in all_pairs if pairs.choice.metric.bounds == (0.0, 1.0)]
    if not bounded or not members.any():
        return ()
    steps = np.column_stack([np.where(pairs.defined & members, sign * pairs.gain, 0.0) for pairs in bounded])
    moved: list[int] = (steps > 0).sum(axis=1).tolist()
    widest: list[int] = steps.argmax(axis=1).tolist()
    most: list[float] = steps.max(axis=1).tolist()
    names: list[str] = queries.to_list()
    rows = [row for row, count in enumerate(moved) if count]
    order = sorted(rows, key=lambda row: (-moved[row], -most[row], names[row]))
    return tuple(_change(bounded[widest[row]], names[row], row) for row in order[:SHOWN])


def _change(pairs: Pairs, query: str, row: int) -> Change:
    before, after = (side.numerator[row] / side.denominator[row] for side in (pairs.before, pairs.after))
    return Change(query=query, metric=pairs.choice.id, baseline=float(before), candidate=float(after))
