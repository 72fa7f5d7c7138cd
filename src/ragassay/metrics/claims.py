"""Claims with their verdicts: what every metric of context and groundedness is counted on. Prepared once.

One verdict per claim decides whether it is in the context: a passage that the requester may read supports it, alone
or with another such passage. A claim is settled where one passage supports it or every passage was judged; a failed
judgement that could have changed the verdict leaves it unsettled, and its query errored.
"""

from typing import NamedTuple

import polars as pl

from ragassay.matrices.schema import Matrices

KEY = ("query", "side", "claim")


class ClaimTable(NamedTuple):
    """`claims`: one row per claim with `checkable`, `in_context`, `contradicted`, `by_useful` (a useful passage
    supports it), `context_error`, `correct` (null where nothing was judged), `opposed`, and `entailment_error`.

    `passages`: one row per query and position of the context, with `allowed`, `useful`, `useful_error`, and `labelled`:
    people said whether it is useful, and that is what `useful` says.
    """

    claims: pl.DataFrame
    passages: pl.DataFrame


def claim_table(matrices: Matrices) -> ClaimTable:
    passages = context_passages(matrices)
    support = allowed_support(matrices.support, passages)
    passages = passages.join(_useful(support), on=["query", "position"], how="left").with_columns(
        pl.coalesce("label", "useful", pl.lit(False)).alias("useful"),
        (pl.col("useful_error").fill_null(False) & pl.col("label").is_null()).alias("useful_error"),
        pl.col("label").is_not_null().alias("labelled"),
    )
    claims = (
        matrices.claims.join(_in_context(support, passages), on=KEY, how="left")
        .join(_entailed(matrices), on=KEY, how="left")
        .with_columns(
            pl.col("in_context", "contradicted", "by_useful", "context_error", "opposed", "entailment_error").fill_null(
                False
            )
        )
    )
    return ClaimTable(claims, passages)


def context_passages(matrices: Matrices) -> pl.DataFrame:
    """The context in order, which of its passages the requester may read, or may for all that is known, and what people
    say of their use.
    """
    allowed = (pl.col("readable").is_null() | pl.col("readable")).alias("allowed")
    return context_rows(matrices).select("query", "position", allowed, pl.col("useful").alias("label"))


def context_rows(matrices: Matrices) -> pl.DataFrame:
    """The results that were used for an answer: the packed ones where they were recorded, else the first k."""
    retrieval = matrices.retrieval
    packed = retrieval.filter(pl.col("stage") == "packed")
    rest = retrieval.filter(pl.col("stage") == "retrieved").join(
        packed.select("query").unique(), on="query", how="anti"
    )
    sizes = matrices.queries.select("query", "context_size")
    first = rest.join(sizes, on="query", how="inner").filter(pl.col("position") <= pl.col("context_size"))
    return pl.concat([packed, first.drop("context_size")])


def allowed_support(support: pl.DataFrame, passages: pl.DataFrame) -> pl.DataFrame:
    """Judgements that rest on allowed passages alone."""
    first = passages.select("query", "position", "allowed")
    second = first.rename({"position": "second", "allowed": "second_allowed"})
    joined = support.join(first, on=["query", "position"], how="left").join(second, on=["query", "second"], how="left")
    is_single = pl.col("second").is_null()
    return joined.filter(pl.col("allowed") & (is_single | pl.col("second_allowed"))).drop("allowed", "second_allowed")


def _useful(support: pl.DataFrame) -> pl.DataFrame:
    """A passage is useful if it supports a reference or a required claim by itself."""
    gold = support.filter(pl.col("side").is_in(["reference", "required"]) & pl.col("second").is_null())
    useful = (pl.col("verdict") == "supports").any()
    return gold.group_by("query", "position").agg(
        useful.alias("useful"), (pl.col("error").is_not_null().any() & ~useful).alias("useful_error")
    )


def _in_context(support: pl.DataFrame, passages: pl.DataFrame) -> pl.DataFrame:
    by = support.join(passages.select("query", "position", "useful"), on=["query", "position"], how="left")
    supports = pl.col("verdict") == "supports"
    in_context = supports.any()
    return by.group_by(KEY).agg(
        in_context.alias("in_context"),
        ((pl.col("verdict") == "contradicts").any() & ~in_context).alias("contradicted"),
        (supports & pl.col("useful")).any().alias("by_useful"),
        (pl.col("error").is_not_null().any() & ~in_context).alias("context_error"),
    )


def _entailed(matrices: Matrices) -> pl.DataFrame:
    """Answer claims beside the reference, gold claims beside the answer. `opposed`: the other side says the
    opposite."""
    own = matrices.entailment.filter(pl.col("other") != "external")
    return own.group_by(KEY).agg(
        (pl.col("verdict") == "supports").any().alias("correct"),
        (pl.col("verdict") == "contradicts").any().alias("opposed"),
        pl.col("error").is_not_null().any().alias("entailment_error"),
    )
