"""Claims beside the evidence nearest to them: what a reader looks at to believe a verdict or to doubt it."""

import polars as pl

from ragassay.matrices.schema import Matrices
from ragassay.metrics.claims import KEY, ClaimTable
from ragassay.records import ClaimFinding

VERDICTS = ("contradicted", "unverified", "errored", "supported")


def nearest(matrices: Matrices, table: ClaimTable) -> pl.DataFrame:
    """One row per checkable claim: its verdict, and of the judgements behind it the one that says most.

    That is the likeliest support of a supported claim, the strongest contradiction of a contradicted one, and the
    passage that comes closest for any other.
    """
    verdict = (
        pl.when("in_context").then(pl.lit("supported"))
        .when("contradicted").then(pl.lit("contradicted"))
        .when("context_error").then(pl.lit("errored"))
        .otherwise(pl.lit("unverified"))
    )  # fmt: skip
    claims = table.claims.filter("checkable").with_columns(verdict.alias("finding"))
    weight = pl.when(pl.col("finding") == "contradicted").then("contradiction").otherwise("probability")
    judged = claims.select(*KEY, "finding").join(matrices.support, on=KEY, how="inner")
    fits = pl.when(pl.col("finding") == "supported").then(pl.col("verdict") == "supports").otherwise(pl.lit(True))
    best = (
        judged.with_columns(fits.fill_null(False).alias("fits"), weight.fill_null(-1.0).alias("weight"))
        .sort(*KEY, "fits", "weight", "position", descending=[False, False, False, True, True, False])
        .group_by(KEY, maintain_order=True)
        .first()
    )
    columns = ("position", "passage", "second", "probability", "quote", "reason", "error")
    return claims.select(*KEY, "text", "finding", "disputed").join(best.select(*KEY, *columns), on=KEY, how="left")


def claim_findings(rows: pl.DataFrame) -> tuple[ClaimFinding, ...]:
    """The rows as records."""
    return tuple(
        ClaimFinding(
            query=row["query"],
            side=row["side"],
            number=row["claim"],
            text=row["text"],
            verdict=row["finding"],
            passage=row["passage"],
            position=row["position"],
            second=row["second"],
            probability=row["probability"],
            quote=row["quote"],
            reason=row["error"] if row["finding"] == "errored" else row["reason"],
            disputed=bool(row["disputed"]),
        )
        for row in rows.iter_rows(named=True)
    )


def unsupported(matrices: Matrices, table: ClaimTable) -> pl.DataFrame:
    """Answer claims that the context does not support: contradicted ones first, then the least likely."""
    rows = nearest(matrices, table)
    kept = matrices.queries.filter(pl.col("excluded").is_null()).select("query")
    order = pl.col("finding").replace_strict({name: place for place, name in enumerate(VERDICTS)}, return_dtype=pl.Int8)
    is_open = (pl.col("side") == "answer") & (pl.col("finding") != "supported")
    recorded = matrices.queries.filter(pl.col("support") != "not_recorded").select("query")
    chosen = rows.filter(is_open).join(kept, on="query", how="semi").join(recorded, on="query", how="semi")
    return chosen.sort(order, pl.col("probability").fill_null(0.0), "query", "claim")
