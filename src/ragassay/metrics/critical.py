"""Critical queries: one passes only if every condition holds, and no mean makes up for one that failed.

Conditions are decided one by one: held, failed, or undecided where nobody could tell. The answer's correctness needs
a judge or a label, so without one a query can fail here but cannot pass, save for a right refusal.
"""

from typing import NamedTuple

import numpy as np
import polars as pl

from ragassay.metrics.citations import FAULTS, IS_FAULTY, IS_LINK, count, per_query
from ragassay.metrics.claims import context_rows
from ragassay.metrics.definition import Choice, Fractions, Metric, fractions
from ragassay.metrics.evidence import Evidence
from ragassay.metrics.ranking import Bools


class Condition(NamedTuple):
    """One condition for all n queries: where it failed, and where nobody could decide. Elsewhere it held."""

    name: str
    failed: Bools
    undecided: Bools


def conditions(evidence: Evidence) -> tuple[Condition, ...]:
    """The four conditions, for all queries in the order of matrix `queries`."""
    return (_correct(evidence), _in_force(evidence), _admissible(evidence), _permitted(evidence))


def _correct(evidence: Evidence) -> Condition:
    """The answer is correct, or the refusal justified and without inventions."""
    abstention = evidence.matrices.abstention
    expected, observed = abstention["expected"], abstention["observed"]
    answers, refuses = (
        (expected == "answer").fill_null(False).to_numpy(),
        (expected == "refuse").fill_null(False).to_numpy(),
    )
    refused = (observed == "refused").fill_null(False).to_numpy()
    spoke = observed.is_in(["answered", "partial", "unreadable"]).fill_null(False).to_numpy()
    known = observed.is_not_null().to_numpy()
    invented = abstention["invented"]
    clean, invents = (invented == 0).fill_null(False).to_numpy(), (invented > 0).fill_null(False).to_numpy()
    right, wrong = _stated(evidence)
    failed = known & ((answers & (~spoke | wrong)) | (refuses & (~refused | invents)))
    return Condition("correct", failed, ~failed & ~(refuses & refused & clean) & ~(answers & right))


def _stated(evidence: Evidence) -> tuple[Bools, Bools]:
    """Where the answer states what it must and is not contradicted, and where it surely does not.

    It must state every required claim or, where none are listed, every reference claim.
    """
    table = evidence.claims.claims.filter("checkable")
    answer, required, reference = (table.filter(pl.col("side") == side) for side in ("answer", "required", "reference"))
    needed = pl.concat([required, reference.join(required.select("query").unique(), on="query", how="anti")])
    is_open = pl.col("entailment_error") | pl.col("correct").is_null()
    missing = _any(evidence, needed.filter(~is_open & ~pl.col("correct")))
    opposed = _any(evidence, answer.filter("opposed"))
    undecided = _any(evidence, needed.filter(is_open)) | _any(evidence, answer.filter("entailment_error"))
    wrong = _any(evidence, needed) & (missing | opposed)
    return _any(evidence, needed) & ~wrong & ~undecided, wrong


def _any(evidence: Evidence, rows: pl.DataFrame) -> Bools:
    return per_query(evidence, rows) > 0


def _in_force(evidence: Evidence) -> Condition:
    """Every revision used, packed or cited, is in force."""
    return _used(evidence, "in_force", "revisions_in_force")


def _permitted(evidence: Evidence) -> Condition:
    """Nothing that the requester may not read was used."""
    return _used(evidence, "readable", "nothing_forbidden")


def _used(evidence: Evidence, column: str, name: str) -> Condition:
    used = context_rows(evidence.matrices)
    failed = per_query(evidence, used.filter(~pl.col(column))) > 0
    fault = {"in_force": "superseded", "readable": "forbidden"}[column]
    failed |= count(evidence, IS_LINK & pl.col(fault)) > 0
    unknown = per_query(evidence, used.filter(pl.col(column).is_null())) > 0
    unknown |= (evidence.matrices.queries["retrieval"] != "recorded").to_numpy()
    return Condition(name, failed, ~failed & unknown)


def _admissible(evidence: Evidence) -> Condition:
    """Every citation exists, is in force, may be read and applies."""
    failed = count(evidence, IS_LINK & IS_FAULTY) > 0
    unknown = count(evidence, IS_LINK & pl.any_horizontal(*(pl.col(fault).is_null() for fault in FAULTS[:3]))) > 0
    return Condition("citations_admissible", failed, ~failed & unknown)


def critical_pass_rate(evidence: Evidence, _: Choice) -> Fractions:
    """Critical queries that meet every condition / critical queries."""
    every = conditions(evidence)
    failed = np.logical_or.reduce([condition.failed for condition in every])
    absent = {"not_critical": ~evidence.matrices.queries["critical"].to_numpy()}
    for condition in every:
        absent[f"{condition.name}_not_decided"] = condition.undecided & ~failed
    return fractions((~failed).astype(np.float64), 1.0, absent)


UNDECIDED = tuple(
    f"{condition}_not_decided"
    for condition in ("correct", "revisions_in_force", "citations_admissible", "nothing_forbidden")
)

METRICS = (
    Metric(
        name="critical_pass_rate",
        question="Does every critical query pass on every count?",
        unit="query",
        formula="critical queries whose answer is correct or refusal justified, with every revision used in force,"
        " every citation admissible and nothing forbidden used / all critical queries",
        matrices=("queries", "abstention", "retrieval", "citations"),
        undefined=("not_critical", *UNDECIDED),
        aggregation="macro",
        direction="higher",
        bounds=(0.0, 1.0),
        source="A",
        measure=critical_pass_rate,
        voided_by=UNDECIDED,
    ),
)
