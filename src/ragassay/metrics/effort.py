"""Effort: how long it took and what it cost. Latency is a distribution, and unknown usage is unknown, not 0."""

import numpy as np

from ragassay.metrics.critical import conditions
from ragassay.metrics.definition import Choice, Fractions, Measure, Metric, fractions
from ragassay.metrics.evidence import Evidence
from ragassay.metrics.ranking import Bools, Floats
from ragassay.records import Aggregation

PERCENTILES = ("50", "95", "99")


def _column(evidence: Evidence, name: str) -> tuple[Floats, Bools]:
    """A column of matrix `effort` with 0 where it is unknown, and where it is."""
    column = evidence.matrices.effort[name]
    return column.fill_null(0).to_numpy().astype(np.float64), column.is_null().to_numpy()


def _broken(evidence: Evidence) -> Bools:
    return (~evidence.matrices.effort["complete"]).fill_null(False).to_numpy()


def retrieval_latency(evidence: Evidence, _: Choice) -> Fractions:
    """Seconds until retrieval had its results."""
    return _latency(evidence, "retrieval_ms")


def first_token_latency(evidence: Evidence, _: Choice) -> Fractions:
    """Seconds until the first token of the answer."""
    return _latency(evidence, "first_token_ms")


def total_latency(evidence: Evidence, _: Choice) -> Fractions:
    """Seconds until the answer was complete."""
    return _latency(evidence, "total_ms")


def _latency(evidence: Evidence, name: str) -> Fractions:
    milliseconds, unknown = _column(evidence, name)
    return fractions(milliseconds / 1000.0, 1.0, {"answer_incomplete": _broken(evidence), "not_recorded": unknown})


def broken_off(evidence: Evidence, _: Choice) -> Fractions:
    """Count of answers that failed, timed out or broke off."""
    unknown = evidence.matrices.effort["complete"].is_null().to_numpy()
    return fractions(_broken(evidence).astype(np.float64), 1.0, {"not_recorded": unknown})


def input_tokens(evidence: Evidence, _: Choice) -> Fractions:
    """Tokens of the prompt."""
    return _amount(evidence, "input_tokens")


def output_tokens(evidence: Evidence, _: Choice) -> Fractions:
    """Tokens of the answer."""
    return _amount(evidence, "output_tokens")


def cost(evidence: Evidence, _: Choice) -> Fractions:
    """Money spent on the query."""
    return _amount(evidence, "cost")


def _amount(evidence: Evidence, name: str) -> Fractions:
    amount, unknown = _column(evidence, name)
    return fractions(amount, 1.0, {"not_recorded": unknown})


def cost_per_successful_task(evidence: Evidence, _: Choice) -> Fractions:
    """Money spent on the query / 1 if its answer was correct, else 0."""
    spent, unknown = _column(evidence, "cost")
    correct = conditions(evidence)[0]
    absent = {"not_recorded": unknown, "correct_not_decided": correct.undecided}
    return fractions(spent, (~correct.failed).astype(np.float64), absent)


def _define(measure: Measure, question: str, formula: str, unit: str, aggregation: Aggregation) -> Metric:
    return Metric(
        name=measure.__name__,
        question=question,
        unit=unit,
        formula=formula,
        matrices=("effort",),
        undefined=("answer_incomplete", "not_recorded") if aggregation == "percentile" else ("not_recorded",),
        aggregation=aggregation,
        direction="lower",
        bounds=(0.0, None),
        source="A",
        measure=measure,
        variants={"p": PERCENTILES} if aggregation == "percentile" else {},
        spelled=("p",) if aggregation == "percentile" else (),
    )


METRICS = (
    _define(
        retrieval_latency,
        "How long does retrieval take?",
        "seconds until the results, p-th percentile",
        "second",
        "percentile",
    ),
    _define(
        first_token_latency,
        "How long until the answer begins?",
        "seconds to the first token, p-th percentile",
        "second",
        "percentile",
    ),
    _define(
        total_latency,
        "How long does an answer take?",
        "seconds until complete, p-th percentile",
        "second",
        "percentile",
    ),
    _define(broken_off, "How many answers failed or broke off?", "count of answers not complete", "query", "count"),
    _define(input_tokens, "How many tokens go in?", "prompt tokens / query", "token", "macro"),
    _define(output_tokens, "How many tokens come out?", "answer tokens / query", "token", "macro"),
    _define(cost, "What does a query cost?", "money / query", "money", "macro"),
    Metric(
        name="cost_per_successful_task",
        question="What does one good answer cost?",
        unit="money",
        formula="all money spent / queries whose answer was correct or refusal justified",
        matrices=("effort", "abstention"),
        undefined=("not_recorded", "correct_not_decided"),
        aggregation="micro",
        direction="lower",
        bounds=(0.0, None),
        source="A",
        measure=cost_per_successful_task,
        voided_by=("not_recorded", "correct_not_decided"),
    ),
)
