"""What a reader must know about the evidence before believing a number counted on it."""

import polars as pl

from ragassay.dataset import notice
from ragassay.metrics.evidence import Evidence
from ragassay.records import Notice

LOW = 0.5
"""Below this share of judged results, rank metrics say more about the labels than about the system."""


def caveats(evidence: Evidence) -> list[Notice]:
    """Notices about joins, ties, repeats, holes in the labels and gaps in the corpus."""
    return [*_answers(evidence), *_results(evidence), *_gold(evidence), *_corpus(evidence)]


def _answers(evidence: Evidence) -> list[Notice]:
    queries = evidence.matrices.queries
    missing = queries.filter(pl.col("error") == "no_answer_recorded")["query"].to_list()
    return notice("missing_in_run", missing, "no answer was recorded; the system was asked and failed, so they count 0")


def _results(evidence: Evidence) -> list[Notice]:
    retrieved = evidence.matrices.retrieval.filter(pl.col("stage") == "retrieved")
    key = ["query", pl.coalesce("passage", "id").alias("key")]
    repeats = retrieved.select(key).filter(pl.struct("query", "key").is_first_distinct().not_())
    labelled = retrieved.join(_sought(evidence), on="query", how="semi")
    judged = labelled["grade"].is_not_null().mean()
    low = [f"{judged:.0%} of {len(labelled)} results"] if isinstance(judged, float) and judged < LOW else []
    return [
        *notice(
            "duplicate_retrieved_ids",
            [f"{query}: {identity}" for query, identity in repeats.iter_rows()],
            "results repeat one that stands above; a repeat keeps its rank and earns nothing",
        ),
        *_ties(evidence.tied),
        *notice(
            "judged_fraction_low", low, "most results were never judged, and an unjudged result counts as not relevant"
        ),
    ]


def _ties(tied: int) -> list[Notice]:
    message = "results share their score and no order was recorded; see the rule for ties on the run card"
    return [Notice(code="ties", count=tied, message=message)] if tied else []


def _sought(evidence: Evidence) -> pl.DataFrame:
    return evidence.matrices.gold.select("query").unique()


def _gold(evidence: Evidence) -> list[Notice]:
    gold = evidence.matrices.gold.filter(pl.col("grade") > 0)
    return [
        *notice(
            "gold_not_in_corpus",
            _pairs(gold.filter(~pl.col("in_corpus"))),
            "relevant ids that the corpus does not hold; they cannot be found",
        ),
        *notice(
            "gold_not_readable",
            _pairs(gold.filter(~pl.col("readable"))),
            "relevant documents that the requester may not read; they are not counted as needed",
        ),
        *notice(
            "gold_not_in_force",
            _pairs(gold.filter(~pl.col("in_force"))),
            "relevant documents of which no revision is in force at the date; they are not counted as needed",
        ),
    ]


def _corpus(evidence: Evidence) -> list[Notice]:
    rows = evidence.matrices.retrieval.filter(pl.col("stage") == "retrieved")
    known = rows.filter(pl.col("in_corpus"))
    return [
        *notice(
            "results_not_in_corpus", _pairs(rows.filter(~pl.col("in_corpus"))), "results that the corpus does not hold"
        ),
        *notice(
            "revision_unknown",
            _pairs(known.filter(pl.col("in_force").is_null())),
            "results whose revision may or may not be in force; they count neither as stale nor as current",
        ),
        *notice(
            "access_unknown",
            _pairs(known.filter(pl.col("readable").is_null())),
            "results of which nobody can say whether the requester may read them; they are not counted as forbidden",
        ),
    ]


def _pairs(rows: pl.DataFrame) -> list[str]:
    return [f"{query}: {identity}" for query, identity in rows.select("query", "id").iter_rows()]
