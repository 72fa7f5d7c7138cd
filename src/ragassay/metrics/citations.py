"""Citations: does the answer name its sources, and may those sources be named at all?

A link is a statement of the answer with a citation that covers it. Whether a source exists, is in force, may be read
and applies is decided from the corpus; whether it supports the statement needs a judge or a label.
"""

import numpy as np
import polars as pl

from ragassay.metrics.definition import Choice, Fractions, Metric, fractions
from ragassay.metrics.evidence import Evidence
from ragassay.metrics.ranking import Bools, Floats

FAULTS = ("dangling", "superseded", "forbidden", "not_applicable")
JUDGED_FAULTS = ("unrelated", "contradicting", "wrong_source", "redundant")

IS_FAULTY = pl.any_horizontal(*(pl.col(fault).fill_null(False) for fault in FAULTS))
IS_LINK = ~pl.col("missing")
IS_STATEMENT = pl.col("statement").is_not_null()


def citation_precision(evidence: Evidence, _: Choice) -> Fractions:
    """Links that support and have no fault of admissibility / all links issued."""
    issued = count(evidence, IS_LINK)
    absent = {**_not_recorded(evidence), "no_citations": issued == 0, **_unjudged(evidence, IS_LINK & ~IS_FAULTY)}
    return fractions(count(evidence, IS_LINK & ~IS_FAULTY & pl.col("supports")), issued, absent)


def citation_recall(evidence: Evidence, _: Choice) -> Fractions:
    """Statements supported by an admissible citation of theirs / statements that need a citation."""
    needing = _statements(evidence, pl.lit(True))
    absent = {**_not_recorded(evidence), "no_statements": needing == 0, **_unjudged(evidence, IS_LINK & ~IS_FAULTY)}
    return fractions(_statements(evidence, IS_LINK & ~IS_FAULTY & pl.col("supports")), needing, absent)


def uncited(evidence: Evidence, _: Choice) -> Fractions:
    """Count of statements that must be cited and are not."""
    return fractions(count(evidence, pl.col("missing")), 1.0, _not_recorded(evidence))


def citation_faults(evidence: Evidence, choice: Choice) -> Fractions:
    """Count of links with the fault."""
    fault = choice.variant["fault"]
    absent = _not_recorded(evidence)
    if fault in JUDGED_FAULTS:
        absent |= _unjudged(evidence, IS_LINK)
    elif fault != "dangling":
        unknown = evidence.matrices.citations.filter(IS_LINK)[fault]
        absent["corpus_not_given"] = np.full(
            len(absent["citations_not_recorded"]), unknown.null_count() == len(unknown) > 0
        )
    return fractions(count(evidence, IS_LINK & pl.col(fault)), 1.0, absent)


def count(evidence: Evidence, condition: pl.Expr) -> Floats:
    """Rows of matrix `citations` that meet the condition, per query; shape (n,)."""
    return per_query(evidence, evidence.matrices.citations.filter(condition.fill_null(False)))


def _unjudged(evidence: Evidence, links: pl.Expr) -> dict[str, Bools]:
    """Queries with one of the links whose support nobody judged, and with one whose judging failed."""
    is_open = links & pl.col("supports").is_null()
    return {
        "support_not_judged": count(evidence, is_open & pl.col("error").is_null()) > 0,
        "error:support_failed": count(evidence, is_open & pl.col("error").is_not_null()) > 0,
    }


def _statements(evidence: Evidence, condition: pl.Expr) -> Floats:
    rows = evidence.matrices.citations.filter(IS_STATEMENT & condition.fill_null(False))
    return per_query(evidence, rows.select("query", "statement", "claim").unique())


def per_query(evidence: Evidence, rows: pl.DataFrame, value: pl.Expr | None = None) -> Floats:
    """A value of the rows of each query, their count by default, and 0 where it has none.

    In the order of matrix `queries`; shape (n,).
    """
    valued = rows.group_by("query").agg((pl.len() if value is None else value).cast(pl.Float64).alias("value"))
    queries = evidence.matrices.queries.select("query").join(valued, on="query", how="left", maintain_order="left")
    return queries["value"].fill_null(0.0).to_numpy()


def _not_recorded(evidence: Evidence) -> dict[str, Bools]:
    queries, abstention = evidence.matrices.queries, evidence.matrices.abstention
    answered = abstention["observed"].is_in(["answered", "partial"]).fill_null(False).to_numpy()
    return {
        "answer_incomplete": (abstention["observed"] == "failed").fill_null(False).to_numpy(),
        "citations_not_recorded": (queries["citations"] != "recorded").to_numpy(),
        "not_answered": ~answered,
    }


_COMMON = ("answer_incomplete", "citations_not_recorded", "not_answered")

METRICS = (
    Metric(
        name="citation_precision",
        question="Do the citations support what they stand beside, from sources that may be cited?",
        unit="citation",
        formula="links that support and are not dangling, superseded, forbidden or not applicable / all links issued",
        matrices=("citations",),
        undefined=(*_COMMON, "no_citations", "support_not_judged"),
        aggregation="micro",
        direction="higher",
        bounds=(0.0, 1.0),
        source="A",
        measure=citation_precision,
        beside=True,
        voided_by=("support_not_judged",),
    ),
    Metric(
        name="citation_recall",
        question="How much of what must be cited is supported by its own citation?",
        unit="claim",
        formula="statements supported by an admissible citation of theirs / statements that need a citation",
        matrices=("citations",),
        undefined=(*_COMMON, "no_statements", "support_not_judged"),
        aggregation="micro",
        direction="higher",
        bounds=(0.0, 1.0),
        source="L",
        measure=citation_recall,
        beside=True,
        voided_by=("support_not_judged",),
    ),
    Metric(
        name="uncited_claims",
        question="How many statements carry no citation although they must?",
        unit="claim",
        formula="count of checkable statements of an answer that no citation covers",
        matrices=("citations",),
        undefined=_COMMON,
        aggregation="count",
        direction="lower",
        bounds=(0.0, None),
        source="A",
        measure=uncited,
    ),
    Metric(
        name="citation_faults",
        question="How many citations name a source that may not be named?",
        unit="citation",
        formula="count of links with the fault; the first four are decided by code and make a citation inadmissible",
        matrices=("citations",),
        undefined=(*_COMMON, "corpus_not_given", "support_not_judged"),
        aggregation="count",
        direction="lower",
        bounds=(0.0, None),
        source="A",
        measure=citation_faults,
        variants={"fault": (*FAULTS, *JUDGED_FAULTS)},
        spelled=("fault",),
    ),
)
