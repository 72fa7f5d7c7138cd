"""What became of the sources that an answer needs: not in the corpus, not found, ranked low, dropped."""

from typing import NamedTuple

import polars as pl

from ragassay.causes.facts import SPOKEN
from ragassay.matrices import RECORDED, Matrices
from ragassay.metrics.claims import context_rows
from ragassay.metrics.evidence import Evidence

NEED = ("query", "need")
NAMED = 3
"""Sources that a cause names."""


class Sources(NamedTuple):
    """`needs`: one row per need with `met` and where its sources stand. `seeking`: the queries whose failure retrieval
    may explain, one row each with `lost`, a fact that the context lacks, where that is known.
    """

    needs: pl.DataFrame
    seeking: pl.DataFrame


def sources(evidence: Evidence, states: pl.DataFrame, claims: pl.DataFrame, missing: pl.DataFrame) -> Sources:
    needs = needs_of(evidence.matrices)
    return Sources(needs, _seeking(evidence.matrices, states, needs, _lacking(claims, missing)))


def needs_of(matrices: Matrices) -> pl.DataFrame:
    """Needs with `met`, the best place of a usable source among `retrieved` and `candidates`, `usable` (some source of
    it may be used), `outside` (no source of it is in the corpus), and the `names` of its sources.
    """
    gold = matrices.gold.filter(pl.col("grade") > 0)
    usable = gold.filter(_usable())
    context = context_rows(matrices).filter(_usable()).select("query", "id", "passage")
    met = usable.join(context, on=["query", "id"]).group_by(NEED).agg(
        met=pl.lit(True).first(), by_passage=(pl.col("id") == pl.col("passage")).fill_null(False).all()
    )  # fmt: skip
    placed = _placed(matrices.retrieval)
    found = usable.join(placed.filter("usable").drop("usable"), on=["query", "id"]).group_by(NEED).agg(
        *(pl.col("place").filter(pl.col("stage") == stage).min().alias(stage) for stage in ("retrieved", "candidates"))
    )  # fmt: skip
    barred = usable.join(placed.filter(~pl.col("usable")), on=["query", "id"]).select(*NEED, barred=pl.lit(True))
    known = matrices.retrieval["id"].drop_nulls().unique()
    return (
        gold.with_columns(seen=pl.col("id").is_in(known.implode()))
        .sort("query", "need", "id")
        .group_by(NEED, maintain_order=True)
        .agg(
            _usable().any().alias("usable"),
            (~pl.col("in_corpus")).fill_null(False).all().alias("outside"),
            (~pl.col("seen")).all().alias("unseen"),
            pl.col("id").str.join(" or ").alias("names"),
            (~pl.col("readable")).fill_null(False).any().alias("unreadable"),
        )
        .join(met, on=NEED, how="left")
        .join(found, on=NEED, how="left")
        .join(barred.unique(), on=NEED, how="left")
        .with_columns(pl.col("met", "by_passage", "barred").fill_null(False))
    )


def _usable() -> pl.Expr:
    """May be read and is in force, for all that is known."""
    return pl.col("readable").fill_null(True) & pl.col("in_force").fill_null(True)


def _placed(retrieval: pl.DataFrame) -> pl.DataFrame:
    """Results with their place: the rank, or one more than the number of better scores."""
    by_score = pl.col("score").rank("min", descending=True).over("query", "stage")
    return retrieval.select(
        "query", "stage", "id", _usable().alias("usable"), pl.coalesce("rank", by_score, "position").alias("place")
    )


def _lacking(claims: pl.DataFrame, missing: pl.DataFrame) -> pl.DataFrame:
    """Per query: whether the answer states all it must, how many facts it surely lacks, and how many are known to be
    in the context or not.
    """
    needed = claims.filter("needed").group_by("query").agg(
        stated=(pl.col("correct").fill_null(False) & ~pl.col("entailment_error")).all()
    )  # fmt: skip
    where = pl.col("where")
    lacks = missing.group_by("query", maintain_order=True).agg(
        lacks=pl.len(),
        known=(where != "unknown").sum(),
        lost=pl.col("text").filter(where == "lost").first(),
    )
    return needed.join(lacks, on="query", how="left").with_columns(pl.col("lacks", "known").fill_null(0))


def _seeking(matrices: Matrices, states: pl.DataFrame, needs: pl.DataFrame, lacking: pl.DataFrame) -> pl.DataFrame:
    """Queries that lack evidence: what a judge knows to be missing decides; else, where the answer is surely wrong, any
    need that is not met; else, that none is.
    """
    counted = needs.filter("usable").group_by("query").agg(any_met=pl.col("met").any(), all_met=pl.col("met").all())
    rows = matrices.retrieval.select("query").unique().with_columns(has_rows=pl.lit(True))
    known = states.join(lacking, on="query", how="left").join(counted, on="query", how="left")
    known = known.join(rows, on="query", how="left").with_columns(
        pl.col("stated", "any_met", "has_rows").fill_null(False),
        pl.col("lacks", "known").fill_null(0),
        pl.col("all_met").fill_null(True),
    )
    was_asked = (pl.col("retrieval_state") == RECORDED) & (pl.col("error").is_null() | pl.col("has_rows"))
    wrong = pl.col("wrong") & (~pl.col("observed").is_in(SPOKEN).fill_null(False) | (pl.col("lacks") > 0))
    lacks = (
        pl.when(pl.col("known") > 0).then(pl.col("lost").is_not_null())
        .when(pl.col("right") | pl.col("stated")).then(False)
        .when(wrong).then(True)
        .otherwise(~pl.col("any_met"))
    )  # fmt: skip
    must_answer = pl.col("expected").fill_null("answer") != "refuse"
    return known.filter(was_asked & must_answer & lacks).select("query", "lost", "all_met", "context_size")


def source_causes(evidence: Evidence, found: Sources, k: int) -> pl.DataFrame:
    """Causes 1 to 5 of the decision list, as rows of query, name and detail."""
    needs = found.needs.join(found.seeking, on="query")
    invalid = _invalid(needs)
    unmet = needs.filter(pl.col("usable") & ~pl.col("met") & ~pl.col("outside"))
    return pl.concat([invalid, _unmet(evidence, unmet, k), _elsewhere(evidence, found, invalid)])


def _invalid(needs: pl.DataFrame) -> pl.DataFrame:
    """Sources that this corpus does not hold, and queries none of whose gold may be used."""
    outside = needs.filter(pl.col("outside") & ~pl.col("met"))
    barred = needs.filter(~pl.col("usable").any().over("query") & ~pl.col("outside"))
    why = pl.when("unreadable").then(pl.lit("may not be read by who asks")).otherwise(pl.lit("is not in force"))
    return pl.concat(
        [
            _rows(outside, "label_invalid", pl.format("{} is not in this corpus", "names")),
            _rows(barred, "label_invalid", pl.format("{} {}", "names", why)),
        ]
    )


def _unmet(evidence: Evidence, unmet: pl.DataFrame, k: int) -> pl.DataFrame:
    dropped = pl.col("packed") & (pl.col("retrieved") <= k)
    name = (
        pl.when(dropped.fill_null(False)).then(pl.lit("dropped_from_prompt"))
        .when(pl.coalesce("retrieved", "candidates").is_not_null()).then(pl.lit("ranked_low"))
        .otherwise(pl.lit("not_retrieved"))
    )  # fmt: skip
    detail = (
        pl.when(pl.col("retrieved").is_not_null()).then(_ranked("results", "retrieved"))
        .when(pl.col("candidates").is_not_null()).then(_ranked("candidates", "candidates"))
        .when("barred").then(pl.format("{}: only a revision or copy that may not be used was found", "names"))
        .when("unseen").then(pl.format("{}, which no query of this run found: is it indexed?", "names"))
        .otherwise("names")
    )  # fmt: skip
    rows = unmet.join(_packed(evidence.matrices), on="query", how="left").with_columns(
        pl.col("packed").fill_null(False), pl.col("retrieved", "candidates").cast(pl.Int64)
    )
    return _rows(rows.with_columns(name.alias("name")), pl.col("name"), detail)


def _ranked(among: str, place: str) -> pl.Expr:
    return pl.format(f"{{}} at rank {{}} of the {among}", "names", place)


def _packed(matrices: Matrices) -> pl.DataFrame:
    """Queries of which it was recorded what entered the prompt, be it nothing."""
    rows = matrices.retrieval.group_by("query").agg(
        packs=(pl.col("stage") == "packed").any(), finds=(pl.col("stage") == "retrieved").any()
    )
    sized = rows.join(matrices.queries.select("query", "context_size"), on="query")
    return sized.select("query", packed=pl.col("packs") | (pl.col("finds") & (pl.col("context_size") == 0)))


def _elsewhere(evidence: Evidence, found: Sources, invalid: pl.DataFrame) -> pl.DataFrame:
    """Facts that the context lacks although no labelled source is missing from it.

    Where gold names passages and they are all there, none holds the fact whole. Where it names documents, another
    passage of them does. Without gold, nothing that was retrieved holds it, unless not everything was judged.
    """
    lost = found.seeking.filter(pl.col("lost").is_not_null() & pl.col("all_met"))
    lost = lost.join(invalid.select("query"), on="query", how="anti")
    needs = found.needs.filter("usable").group_by("query", maintain_order=True).agg(
        pl.col("by_passage").all(), pl.col("names").head(NAMED).str.join(", ")
    )  # fmt: skip
    rows = lost.join(needs, on="query", how="left").join(_whole(evidence.matrices), on="query", how="left")
    split = rows.filter("by_passage")
    beside = rows.filter(~pl.col("by_passage"))
    nowhere = rows.filter(pl.col("by_passage").is_null() & pl.col("whole").fill_null(True))
    return pl.concat(
        [
            _rows(split, "split_by_chunking", pl.format("{} is in the context; none holds: {}", "names", "lost")),
            _rows(
                beside, "not_retrieved", pl.format("{} is in the context, but no passage holds: {}", "names", "lost")
            ),
            _rows(nowhere, "not_retrieved", pl.format("no passage holds: {}", "lost")),
        ]
    )


def _whole(matrices: Matrices) -> pl.DataFrame:
    """Whether the context is all that was found."""
    most = matrices.retrieval.group_by("query", "stage").len().group_by("query").agg(pl.col("len").max())
    sized = most.join(matrices.queries.select("query", "context_size"), on="query")
    return sized.select("query", whole=pl.col("len") <= pl.col("context_size"))


def _rows(rows: pl.DataFrame, name: str | pl.Expr, detail: pl.Expr) -> pl.DataFrame:
    named = pl.lit(name) if isinstance(name, str) else name
    return rows.select("query", name=named, detail=detail)
