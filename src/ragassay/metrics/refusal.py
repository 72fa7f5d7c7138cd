"""Refusal: does the system decline when it must, and only then?

A time-out or an error is `failed`, never a refusal. An empty answer is its own kind and no right refusal. A partial
answer counts as answered. Each rate has one fixed denominator: the queries of its own class.
"""

import numpy as np

from ragassay.metrics.definition import Choice, Fractions, Measure, Metric, fractions
from ragassay.metrics.evidence import Evidence
from ragassay.metrics.ranking import Bools

ANSWERED = ("answered", "partial")


def correct_abstention(evidence: Evidence, _: Choice) -> Fractions:
    """Right refusals / queries that must be refused. A refusal that invents something is not right."""
    invented = evidence.matrices.abstention["invented"]
    refused = _observed(evidence, "refused")
    absent = {**_not_expected(evidence, "refuse"), "claims_not_judged": refused & invented.is_null().to_numpy()}
    return _rate(refused & (invented.fill_null(1) == 0).to_numpy(), absent)


def false_refusal_rate(evidence: Evidence, _: Choice) -> Fractions:
    """Refused / answerable queries."""
    return _rate(_observed(evidence, "refused"), _not_expected(evidence, "answer"))


def missed_refusal_rate(evidence: Evidence, _: Choice) -> Fractions:
    """Answered, wholly or in part / queries that must be refused."""
    return _rate(_observed(evidence, *ANSWERED), _not_expected(evidence, "refuse"))


def clarification_rate(evidence: Evidence, _: Choice) -> Fractions:
    """Asked back instead of answering / all queries."""
    return _rate(_observed(evidence, "clarified"), _not_recorded(evidence))


def withheld_rate(evidence: Evidence, _: Choice) -> Fractions:
    """Refused or asked back / answerable queries."""
    return _rate(_observed(evidence, "refused", "clarified"), _not_expected(evidence, "answer"))


def _rate(hit: Bools, absent: dict[str, Bools]) -> Fractions:
    return fractions(hit.astype(np.float64), 1.0, absent)


def _observed(evidence: Evidence, *kinds: str) -> Bools:
    return evidence.matrices.abstention["observed"].is_in(kinds).fill_null(False).to_numpy()


def _not_recorded(evidence: Evidence) -> dict[str, Bools]:
    observed = evidence.matrices.abstention["observed"]
    unreadable = (observed == "unreadable").fill_null(False).to_numpy()
    return {"answer_not_recorded": observed.is_null().to_numpy(), "error:answer_unreadable": unreadable}


def _not_expected(evidence: Evidence, expected: str) -> dict[str, Bools]:
    column = evidence.matrices.abstention["expected"]
    other = "answerable" if expected == "refuse" else "must_refuse"
    return {
        "answerable_not_labelled": column.is_null().to_numpy(),
        other: (column != expected).fill_null(False).to_numpy(),
        **_not_recorded(evidence),
    }


def _define(measure: Measure, question: str, formula: str, undefined: tuple[str, ...]) -> Metric:
    return Metric(
        name=measure.__name__,
        question=question,
        unit="query",
        formula=formula,
        matrices=("abstention",),
        undefined=(*undefined, "answer_not_recorded"),
        aggregation="macro",
        direction="higher" if measure is correct_abstention else "lower",
        bounds=(0.0, 1.0),
        source="A",
        measure=measure,
    )


_REFUSE, _ANSWER = ("answerable_not_labelled", "answerable"), ("answerable_not_labelled", "must_refuse")

METRICS = (
    _define(
        correct_abstention,
        "When it must refuse, does it refuse without inventing anything?",
        "refusals that invent nothing / queries that must be refused",
        (*_REFUSE, "claims_not_judged"),
    ),
    _define(
        false_refusal_rate,
        "How often does it refuse what it could answer?",
        "refused / answerable queries",
        _ANSWER,
    ),
    _define(
        missed_refusal_rate,
        "How often does it answer although nothing supports an answer?",
        "answered, wholly or in part / queries that must be refused",
        _REFUSE,
    ),
    _define(clarification_rate, "How often does it ask back?", "asked back / all queries", ()),
    _define(
        withheld_rate,
        "How often does an answerable question go without an answer by choice?",
        "(refused + asked back) / answerable queries",
        _ANSWER,
    ),
)
