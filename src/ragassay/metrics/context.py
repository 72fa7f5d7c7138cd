"""Context: did what entered the prompt serve the answer, and was it enough?

A passage is useful if people say so, or, where they say nothing, if it supports a reference or a required claim.
Reference claims say what the context had to hold.
"""

import numpy as np
import polars as pl

from ragassay.metrics.citations import per_query
from ragassay.metrics.definition import Choice, Fractions, Measure, Metric, fractions
from ragassay.metrics.evidence import Evidence
from ragassay.metrics.groundedness import REFERENCE, answer_absences, claims, context_absences
from ragassay.metrics.ranking import Bools

THIRDS = ("first", "middle", "last")
GOLD = ("reference", "required")


def context_precision(evidence: Evidence, choice: Choice) -> Fractions:
    """Σ precision@i · v_i / Σ v_i over the first k passages; 0 where none is useful."""
    ranked = _first(evidence, choice.k or 0).sort("query", "position")
    useful = pl.col("useful").cast(pl.Float64)
    ranked = ranked.with_columns((useful.cum_sum().over("query") / pl.col("position") * useful).alias("worth"))
    found = per_query(evidence, ranked.filter("useful"))
    worth = per_query(evidence, ranked, pl.col("worth").sum())
    return fractions(worth, np.maximum(found, 1.0), _of_use(evidence, choice.k or 0))


def useful_share(evidence: Evidence, choice: Choice) -> Fractions:
    """Useful passages among the first k / passages among the first k."""
    ranked = _first(evidence, choice.k or 0)
    shown = per_query(evidence, ranked)
    absent = {**_of_use(evidence, choice.k or 0), "empty_context": shown == 0}
    return fractions(per_query(evidence, ranked.filter("useful")), shown, absent)


def context_recall(evidence: Evidence, _: Choice) -> Fractions:
    """Reference claims supported by the context / reference claims."""
    total = claims(evidence, REFERENCE)
    absent = {
        **_context(evidence),
        "no_reference_claims": total == 0,
        "error:support_failed": _reference_errors(evidence),
    }
    return fractions(claims(evidence, REFERENCE & pl.col("in_context")), total, absent)


def context_f1(evidence: Evidence, choice: Choice) -> Fractions:
    """2PR / (P + R) of the query's context_precision@k and context_recall; 0 where both are 0."""
    precision, recall = context_precision(evidence, choice), context_recall(evidence, choice)
    p, r = (each.numerator / np.maximum(each.denominator, 1.0) for each in (precision, recall))
    absent = {**_context(evidence), "no_reference_claims": claims(evidence, REFERENCE) == 0}
    absent["error:support_failed"] = ~(precision.defined & recall.defined)
    both = p + r
    return fractions(np.divide(2 * p * r, both, out=np.zeros_like(both), where=both > 0), 1.0, absent)


def context_utilization(evidence: Evidence, _: Choice) -> Fractions:
    """Reference claims in the context and in the answer / reference claims in the context."""
    held = claims(evidence, REFERENCE & pl.col("in_context"))
    absent = {
        **answer_absences(evidence),
        **_context(evidence),
        "no_reference_claims": claims(evidence, REFERENCE) == 0,
    }
    absent["error:support_failed"] = _reference_errors(evidence)
    unknown = claims(evidence, REFERENCE & pl.col("in_context") & pl.col("entailment_error"))
    absent |= {"error:entailment_failed": unknown > 0, "nothing_in_context": held == 0}
    return fractions(claims(evidence, REFERENCE & pl.col("in_context") & pl.col("correct")), held, absent)


def position_effect(evidence: Evidence, choice: Choice) -> Fractions:
    """Needed facts whose best passage stands in one third of the prompt, and that the answer states / such facts."""
    placed = _placed(evidence).filter(pl.col("third") == THIRDS.index(choice.variant["third"]))
    facts = per_query(evidence, placed)
    absent = {**answer_absences(evidence), **_context(evidence), "error:support_failed": _placing_errors(evidence)}
    absent["error:entailment_failed"] = per_query(evidence, placed.filter("entailment_error")) > 0
    absent["no_fact_there"] = facts == 0
    return fractions(per_query(evidence, placed.filter("correct")), facts, absent)


def _placed(evidence: Evidence) -> pl.DataFrame:
    """Needed claims that the context supports, with the third of the context in which their best passage stands."""
    support = evidence.matrices.support.filter((pl.col("verdict") == "supports") & pl.col("second").is_null())
    sizes = evidence.claims.passages.group_by("query").agg(pl.col("position").max().alias("size"))
    best = support.sort("probability", descending=True).group_by("query", "side", "claim", maintain_order=True).first()
    third = (pl.col("position") - 1) * len(THIRDS) // pl.col("size")
    needed = evidence.claims.claims.filter(pl.col("side").is_in(GOLD) & pl.col("in_context"))
    placed = best.join(sizes, on="query").filter(pl.col("position") <= pl.col("size"))
    return needed.join(placed.select("query", "side", "claim", third.alias("third")), on=["query", "side", "claim"])


def context_sufficiency(evidence: Evidence, _: Choice) -> Fractions:
    """Calibrated probability that the allowed context answers the question / 1."""
    whole = evidence.matrices.context.filter(pl.col("position").is_null())
    value = per_query(evidence, whole, pl.col("relevance").first())
    return fractions(value, 1.0, _of_relevance(evidence))


def context_relevancy(evidence: Evidence, _: Choice) -> Fractions:
    """Highest relevance of a passage to the question / 1; 0 for an empty context."""
    allowed = evidence.claims.passages.filter("allowed").select("query", "position")
    rows = evidence.matrices.context.drop_nulls("position").join(allowed, on=["query", "position"], how="semi")
    return fractions(per_query(evidence, rows, pl.col("relevance").max()), 1.0, _of_relevance(evidence))


def _first(evidence: Evidence, k: int) -> pl.DataFrame:
    return evidence.claims.passages.filter(pl.col("position") <= k)


def _context(evidence: Evidence) -> dict[str, Bools]:
    queries = evidence.matrices.queries
    return {
        "not_judged": (queries["claims"] == "not_recorded").to_numpy(),
        **context_absences(evidence),
        "error:judge_failed": queries["claims"].str.starts_with("errored").to_numpy(),
    }


def _of_relevance(evidence: Evidence) -> dict[str, Bools]:
    """A judge of claims need not be one of relevance; where there was one, it judged every context as a whole."""
    absent = _context(evidence)
    known = absent["context_not_recorded"] | absent["error:judge_failed"]
    absent["not_judged"] = absent["not_judged"] | (~known & (per_query(evidence, evidence.matrices.context) == 0))
    return absent


def _of_gold(evidence: Evidence) -> dict[str, Bools]:
    gold = evidence.claims.claims.filter(pl.col("side") != "answer")
    return {"no_reference_claims": per_query(evidence, gold) == 0}


def _of_use(evidence: Evidence, k: int) -> dict[str, Bools]:
    """Why it is not known of what use the first k passages are; where people said so of each of them, it is."""
    first = _first(evidence, k)
    is_open = (per_query(evidence, first) == 0) | (per_query(evidence, first.filter(~pl.col("labelled"))) > 0)
    absent = {**_context(evidence), **_of_gold(evidence)}
    absent["error:support_failed"] = per_query(evidence, first.filter("useful_error")) > 0
    return {reason: where & is_open for reason, where in absent.items()}


def _placing_errors(evidence: Evidence) -> Bools:
    """Queries where the passage that nobody could judge might be the best one for a needed fact."""
    lost = pl.col("error").is_not_null() & pl.col("side").is_in(GOLD) & pl.col("second").is_null()
    return per_query(evidence, evidence.matrices.support.filter(lost)) > 0


def _reference_errors(evidence: Evidence) -> Bools:
    return claims(evidence, REFERENCE & pl.col("context_error")) > 0


_COMMON = ("context_not_recorded", "not_judged", "no_reference_claims")


def _define(measure: Measure, question: str, formula: str, undefined: tuple[str, ...], source: str) -> Metric:
    is_placed = measure is position_effect
    return Metric(
        name=measure.__name__,
        question=question,
        unit="query" if measure.__name__.startswith("context") else "passage",
        formula=formula,
        matrices=("claims", "support"),
        undefined=undefined,
        aggregation="micro" if is_placed else "macro",
        direction="higher",
        bounds=(0.0, 1.0),
        source=source,
        measure=measure,
        cutoff="required" if measure in (context_precision, useful_share, context_f1) else "none",
        variants={"third": THIRDS} if is_placed else {},
        spelled=("third",) if is_placed else (),
        beside=measure in (context_recall, position_effect),
    )


METRICS = (
    _define(
        context_precision,
        "Do the useful passages stand first?",
        "Σ_{i≤k} precision@i · v_i / Σ_{i≤k} v_i, v_i = people call passage i useful, else: it supports a reference"
        " or required claim",
        _COMMON,
        "C",
    ),
    _define(
        useful_share,
        "How much of the context is of use?",
        "useful passages among the first k / passages among the first k",
        (*_COMMON, "empty_context"),
        "C",
    ),
    _define(
        context_recall,
        "Does the context hold what the reference says?",
        "reference claims supported by the context / reference claims",
        _COMMON,
        "C",
    ),
    _define(
        context_f1,
        "Are context precision and recall both high?",
        "2PR / (P + R) of context_precision@k and context_recall / 1",
        _COMMON,
        "B",
    ),
    _define(
        context_utilization,
        "Does the answer use what the context holds?",
        "reference claims in context and in the answer / reference claims in context",
        ("answer_incomplete", *_COMMON, "nothing_in_context"),
        "R",
    ),
    _define(
        position_effect,
        "Does it matter where in the prompt a fact stands?",
        "needed facts of one third of the prompt that the answer states / needed facts of that third",
        ("answer_incomplete", "context_not_recorded", "not_judged", "no_fact_there"),
        "own",
    ),
    _define(
        context_sufficiency,
        "Does the context answer the question at all?",
        "calibrated probability that the allowed context answers the question / 1",
        ("context_not_recorded", "not_judged"),
        "own",
    ),
    _define(
        context_relevancy,
        "Is any passage about the question?",
        "highest relevance of an allowed passage to the question / 1",
        ("context_not_recorded", "not_judged"),
        "own",
    ),
)
