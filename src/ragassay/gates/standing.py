"""What enters a gate: every query of a metric at the worst and at the best that it may stand for.

Where all was measured, both are the plain fractions. An answer that failed or broke off can only count against the
system; a query whose judging failed may count either way. So nothing that goes wrong can turn a breach into a pass.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from ragassay.matrices.schema import Matrices
from ragassay.metrics.aggregation import Measured
from ragassay.metrics.critical import UNDECIDED
from ragassay.metrics.definition import Choice, Fractions
from ragassay.metrics.ranking import Bools
from ragassay.metrics.slices import slices
from ragassay.metrics.table import measured_from_table

HEAVIEST = 20.0
"""Claims (or links) with which an answer enters a rate over claims where nobody knows how many it has. A rate must hold
with no answer weighing more, too: else the loss of one long bad answer could lift it."""

OUTSIDE = frozenset(
    (
        *("must_refuse", "unlabelled", "no_relevant", "no_readable_evidence", "answerable", "answerable_not_labelled"),
        *("not_critical", "none_required", "no_reference_claims", "corpus_not_given", "requester_not_given"),
    )
)
"""Reasons for being undefined that lie in the labels: whatever the system does, the metric does not ask this query."""

UNJUDGED = frozenset(("not_judged", "claims_not_judged", "support_not_judged", "correct_not_decided", *UNDECIDED))
"""Reasons for being undefined that say: there was something to judge, and nobody did."""


class Population(NamedTuple):
    """The queries of a run, in the order of matrix `queries`; every mask has shape (n,).

    `failed`: the answer failed or broke off. `unread`: a judgement about the query could not be obtained.
    """

    queries: tuple[str, ...]
    included: Bools
    failed: Bools
    unread: Bools
    slices: Mapping[str, Bools]


class Standing(NamedTuple):
    """One metric over the queries of a gate.

    `plain` has the values that were measured. `worst` and `best` are defined for every query that counts; an infinite
    numerator is a value without bound. `doubtful` marks the queries whose worst is not what was measured. `errored`
    counts those that could not be judged, and `undefined` those without a value, by reason.
    """

    choice: Choice
    plain: Fractions
    worst: Fractions
    best: Fractions
    doubtful: Bools
    errored: int
    undefined: Mapping[str, int]

    @property
    def n(self) -> int:
        """How many queries count."""
        return int(self.worst.defined.sum())

    @property
    def plain_at_gate(self) -> Fractions:
        """The plain fractions of the queries that count."""
        state = np.where(self.worst.defined & self.plain.defined, 0, 1).astype(np.uint8)
        return self.plain._replace(state=state, absences=("not_at_gate",))

    @property
    def absent(self) -> dict[str, int]:
        """Why queries that count, or might have, have no value of their own: reason → queries."""
        reasons = np.bincount(self.plain.state[self.worst.defined], minlength=len(self.plain.absences) + 1)[1:]
        found = zip(self.plain.absences, reasons.tolist(), strict=True)
        return {**self.undefined, **{name: number for name, number in found if number}}

    @property
    def coverage(self) -> float | None:
        """The share of queries that count and could be judged; None where none counts."""
        return (self.n - self.errored) / self.n if self.n else None


def population(matrices: Matrices) -> Population:
    queries, observed = matrices.queries, matrices.abstention["observed"]
    broken = (~matrices.effort["complete"]).fill_null(False) | queries["error"].is_not_null()
    unread = (observed == "unreadable").fill_null(False)
    for name in ("claims", "support"):
        unread = unread | queries[name].str.starts_with("errored").fill_null(False)
    for rows in (matrices.support, matrices.entailment, matrices.citations):
        unread = unread | queries["query"].is_in(rows.filter(pl.col("error").is_not_null())["query"].implode())
    return Population(
        tuple(queries["query"]),
        queries["excluded"].is_null().to_numpy(),
        ((observed == "failed").fill_null(False) | broken).to_numpy(),
        unread.to_numpy(),
        slices(queries),
    )


def measurements(table: pl.DataFrame, queries: tuple[str, ...]) -> dict[str, Measured]:
    """Identity without version → fractions in the order of `queries`.

    A query that a metric does not mention is an error of that metric. A metric that this dictionary does not define, or
    defines in another version, is left out: nothing can be decided by it.
    """
    order = pl.DataFrame({"query": queries}, schema={"query": pl.String()})
    found: dict[str, Measured] = {}
    for part in table.partition_by("metric", maintain_order=True):
        whole = order.join(part.unique("query", keep="none"), on="query", how="left", maintain_order="left")
        nothing = pl.all_horizontal(pl.col("numerator", "undefined", "errored").is_null())
        whole = whole.with_columns(
            pl.lit(part["metric"][0]).alias("metric"),
            pl.when(nothing).then(pl.lit("row_missing")).otherwise("errored").alias("errored"),
        )
        try:
            measured = measured_from_table(whole)
        except ValueError:
            continue
        found |= {each.choice.id: each for each in measured}
    return found


def standing(measured: Measured, people: Population, members: Bools) -> Standing:
    """The metric over the member queries that no rule excludes."""
    choice, plain = measured
    counted = members & people.included
    outside, unjudged = (_any_of(plain, names) for names in (OUTSIDE, UNJUDGED | set(choice.metric.voided_by)))
    missing = ~plain.defined & ~outside
    errors = _any_of(plain, {name for name in plain.absences if name.startswith("error:")})
    failed = counted & people.failed & ~outside
    errored = counted & ~failed & missing & (errors | unjudged | people.unread)
    flattered = failed & plain.defined & (choice.metric.direction == "lower") & (choice.metric.name != "broken_off")
    doubtful = (failed & missing) | flattered | errored
    low, high = _ends(choice)
    lost = low if math.isfinite(low) or choice.metric.aggregation == "percentile" else high
    worst = _filled(plain, counted, ((low, doubtful, _weight(choice, HEAVIEST)),))
    best = _filled(plain, counted, ((lost, failed & missing, 1.0), (high, errored, _weight(choice, HEAVIEST))))
    undefined = {
        name: int((counted & missing & ~failed & ~errored & (plain.state == code)).sum())
        for code, name in enumerate(plain.absences, start=1)
    }
    known = {name: number for name, number in undefined.items() if number}
    return Standing(choice, plain, worst, best, doubtful, int(errored.sum()), known)


def capped(fractions: Fractions) -> Fractions:
    """The same values, none of them weighing more than `HEAVIEST`."""
    share = HEAVIEST / np.maximum(fractions.denominator, HEAVIEST)
    return fractions._replace(numerator=fractions.numerator * share, denominator=fractions.denominator * share)


def _any_of(fractions: Fractions, names: frozenset[str] | set[str]) -> Bools:
    codes = [code for code, name in enumerate(fractions.absences, start=1) if name in names]
    return np.isin(fractions.state, codes)


def _ends(choice: Choice) -> tuple[float, float]:
    """The worst and the best value of a query."""
    low, high = choice.metric.bounds
    top = math.inf if high is None else high
    return (low, top) if choice.metric.direction == "higher" else (top, low)


def _weight(choice: Choice, heaviest: float) -> float:
    return heaviest if choice.metric.aggregation == "micro" else 1.0


def _filled(fractions: Fractions, counted: Bools, fills: Sequence[tuple[float, Bools, float]]) -> Fractions:
    """Fractions with some queries set to a value of some weight; those not counted have none."""
    numerator, denominator = np.array(fractions.numerator), np.array(fractions.denominator)
    state = np.array(fractions.state)
    for value, where, weight in fills:
        numerator[where], denominator[where], state[where] = value * weight, weight, 0
    absences = (*fractions.absences, "not_at_gate")
    state[~counted] = len(absences)
    return Fractions(numerator, denominator, state, absences)
