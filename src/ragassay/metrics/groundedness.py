"""Groundedness: does the context carry what the answer says, and is what it says right?

Context is what entered the prompt and the requester may read. Correct is what the reference entails. Four metrics
share one verdict per claim, so that per query claim_precision + both noise sensitivities + hallucination = 1, and
grounded_claim_rate + hallucination + self_knowledge = 1.
"""

import numpy as np
import polars as pl

from ragassay.metrics.citations import per_query
from ragassay.metrics.definition import Choice, Fractions, Measure, Metric, fractions
from ragassay.metrics.evidence import Evidence
from ragassay.metrics.ranking import Bools, Floats

ANSWER = (pl.col("side") == "answer") & pl.col("checkable")
REFERENCE = (pl.col("side") == "reference") & pl.col("checkable")
REQUIRED = pl.col("side") == "required"


def grounded_claim_rate(evidence: Evidence, _: Choice) -> Fractions:
    """Checkable answer claims supported by the allowed context / checkable answer claims."""
    return _of_answer(evidence, pl.col("in_context"))


def contradicted_claim_rate(evidence: Evidence, _: Choice) -> Fractions:
    """Checkable answer claims contradicted by the context / checkable answer claims."""
    return _of_answer(evidence, pl.col("contradicted"))


def unverified_claim_rate(evidence: Evidence, _: Choice) -> Fractions:
    """Checkable answer claims neither supported nor contradicted / checkable answer claims."""
    return _of_answer(evidence, ~pl.col("in_context") & ~pl.col("contradicted"))


def claim_precision(evidence: Evidence, _: Choice) -> Fractions:
    """Answer claims entailed by the reference / answer claims."""
    return fractions(claims(evidence, ANSWER & pl.col("correct")), claims(evidence, ANSWER), _of_reference(evidence))


def claim_recall(evidence: Evidence, _: Choice) -> Fractions:
    """Reference claims entailed by the answer / reference claims; 0 for an answer without claims."""
    return fractions(claims(evidence, REFERENCE & pl.col("correct")), claims(evidence, REFERENCE), _of_gold(evidence))


def claim_f1(evidence: Evidence, _: Choice) -> Fractions:
    """2PR / (P + R) of claim precision and recall; 0 where both are 0, and for an answer without claims."""
    said, right = claims(evidence, ANSWER), claims(evidence, ANSWER & pl.col("correct"))
    p = np.divide(right, said, out=np.zeros_like(said), where=said > 0)
    r = claims(evidence, REFERENCE & pl.col("correct")) / np.maximum(claims(evidence, REFERENCE), 1.0)
    both = p + r
    absent = {**_of_gold(evidence), "error:entailment_failed": _errors(evidence, "entailment_error")}
    return fractions(np.divide(2 * p * r, both, out=np.zeros_like(both), where=both > 0), 1.0, absent)


def required_claim_coverage(evidence: Evidence, _: Choice) -> Fractions:
    """Required claims stated in the answer / required claims."""
    required = claims(evidence, REQUIRED)
    absent = {**answer_absences(evidence), "none_required": required == 0}
    absent["error:entailment_failed"] = _errors(evidence, "entailment_error", REQUIRED)
    return fractions(claims(evidence, REQUIRED & pl.col("correct")), required, absent)


def hallucination(evidence: Evidence, _: Choice) -> Fractions:
    """Incorrect answer claims that nothing in the context supports / answer claims."""
    return _of_both(evidence, ~pl.col("correct") & ~pl.col("in_context"))


def self_knowledge(evidence: Evidence, _: Choice) -> Fractions:
    """Correct answer claims that nothing in the context supports / answer claims."""
    return _of_both(evidence, pl.col("correct") & ~pl.col("in_context"))


def noise_sensitivity(evidence: Evidence, choice: Choice) -> Fractions:
    """Incorrect answer claims supported by a useful passage, or by useless passages only / answer claims."""
    useful = pl.col("by_useful") if choice.variant["from"] == "relevant" else ~pl.col("by_useful")
    return _of_both(evidence, ~pl.col("correct") & pl.col("in_context") & useful)


def claims(evidence: Evidence, condition: pl.Expr) -> Floats:
    """Claims that meet the condition, per query; shape (n,)."""
    return per_query(evidence, evidence.claims.claims.filter(condition.fill_null(False)))


def answer_absences(evidence: Evidence) -> dict[str, Bools]:
    """Why nothing can be said of an answer's claims: it broke off, or nobody judged it."""
    queries, observed = evidence.matrices.queries, evidence.matrices.abstention["observed"]
    return {
        "answer_incomplete": (observed == "failed").fill_null(False).to_numpy(),
        "not_judged": (queries["claims"] == "not_recorded").to_numpy(),
        "error:judge_failed": queries["claims"].str.starts_with("errored").to_numpy(),
    }


def context_absences(evidence: Evidence) -> dict[str, Bools]:
    return {"context_not_recorded": (evidence.matrices.queries["support"] == "not_recorded").to_numpy()}


def _of_answer(evidence: Evidence, condition: pl.Expr) -> Fractions:
    checkable = claims(evidence, ANSWER)
    absent = {**answer_absences(evidence), **context_absences(evidence), "no_claims": checkable == 0}
    absent["error:support_failed"] = _errors(evidence, "context_error")
    return fractions(claims(evidence, ANSWER & condition), checkable, absent)


def _of_reference(evidence: Evidence) -> dict[str, Bools]:
    return {
        **_of_gold(evidence),
        "no_claims": claims(evidence, ANSWER) == 0,
        "error:entailment_failed": _errors(evidence, "entailment_error"),
    }


def _of_gold(evidence: Evidence) -> dict[str, Bools]:
    return {
        **answer_absences(evidence),
        "no_reference_claims": claims(evidence, REFERENCE) == 0,
        "error:recall_failed": _errors(evidence, "entailment_error", REFERENCE),
    }


def _of_both(evidence: Evidence, condition: pl.Expr) -> Fractions:
    absent = {**_of_reference(evidence), **context_absences(evidence)}
    absent["error:support_failed"] = _errors(evidence, "context_error")
    return fractions(claims(evidence, ANSWER & condition), claims(evidence, ANSWER), absent)


def _errors(evidence: Evidence, column: str, side: pl.Expr = ANSWER) -> Bools:
    return claims(evidence, side & pl.col(column)) > 0


_COMMON = ("answer_incomplete", "not_judged")
_CONTEXT = (*_COMMON, "context_not_recorded", "no_claims")
_BOTH = (*_CONTEXT, "no_reference_claims")


def _define(measure: Measure, question: str, formula: str, undefined: tuple[str, ...], source: str) -> Metric:
    is_good = measure in (grounded_claim_rate, claim_precision, claim_recall, claim_f1, required_claim_coverage)
    aliases = {"grounded_claim_rate": ("faithfulness",), "claim_f1": ("answer_correctness",)}
    return Metric(
        name=measure.__name__,
        question=question,
        unit="query" if measure is claim_f1 else "claim",
        formula=formula,
        matrices=("claims", "support")
        if measure.__name__.endswith("claim_rate")
        else ("claims", "support", "entailment"),
        undefined=undefined,
        aggregation="macro" if measure is claim_f1 else "micro",
        direction="higher" if is_good else "lower",
        bounds=(0.0, 1.0),
        source=source,
        measure=measure,
        beside=measure is not claim_f1,
        variants={"from": ("relevant", "irrelevant")} if measure is noise_sensitivity else {},
        spelled=("from",) if measure is noise_sensitivity else (),
        aliases=aliases.get(measure.__name__, ()),
    )


_RATE = "checkable answer claims"

METRICS = (
    _define(
        grounded_claim_rate,
        "How much of what the answer says does the context carry?",
        f"{_RATE} supported by the allowed context / {_RATE}",
        _CONTEXT,
        "A, C",
    ),
    _define(
        contradicted_claim_rate,
        "How much of what the answer says does the context deny?",
        f"{_RATE} contradicted by the context / {_RATE}",
        _CONTEXT,
        "A",
    ),
    _define(
        unverified_claim_rate,
        "How much of what the answer says does the context leave open?",
        f"{_RATE} neither supported nor contradicted / {_RATE}",
        _CONTEXT,
        "A",
    ),
    _define(
        claim_precision,
        "How much of what the answer says does the reference confirm?",
        "answer claims entailed by the reference / answer claims",
        (*_COMMON, "no_reference_claims", "no_claims"),
        "R",
    ),
    _define(
        claim_recall,
        "How much of the reference does the answer state?",
        "reference claims entailed by the answer / reference claims; 0 for an answer without claims",
        (*_COMMON, "no_reference_claims"),
        "R",
    ),
    _define(
        claim_f1,
        "Are claim precision and recall both high?",
        "2PR / (P + R) of claim_precision and claim_recall / 1; 0 for an answer without claims",
        (*_COMMON, "no_reference_claims"),
        "R",
    ),
    _define(
        required_claim_coverage,
        "Does the answer state what it must?",
        "required claims stated in the answer / required claims",
        (*_COMMON, "none_required"),
        "A",
    ),
    _define(
        hallucination,
        "How much is wrong and comes from nowhere?",
        "incorrect answer claims that no context passage supports / answer claims",
        _BOTH,
        "R",
    ),
    _define(
        self_knowledge,
        "How much is right and comes from nowhere?",
        "correct answer claims that no context passage supports / answer claims",
        _BOTH,
        "R",
    ),
    _define(
        noise_sensitivity,
        "How much is wrong and comes from the context?",
        "incorrect answer claims supported by a useful passage, or by useless passages only / answer claims",
        _BOTH,
        "R",
    ),
)
