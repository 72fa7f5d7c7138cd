"""Claims as the decision list needs them: which facts the answer lacks, and how sure their verdicts are."""

import polars as pl

from ragassay.matrices import RECORDED
from ragassay.metrics.claims import KEY, allowed_support
from ragassay.metrics.critical import conditions
from ragassay.metrics.evidence import Evidence

SPOKEN = ("answered", "partial", "unreadable")


def states(evidence: Evidence) -> pl.DataFrame:
    """One row per query in the order of matrix `queries`: what was expected and observed, `wrong` and `right` where
    that is certain, and what was recorded.
    """
    correct = conditions(evidence)[0]
    queries = evidence.matrices.queries.select(
        "query", "error", "context_size", *(pl.col(name).alias(f"{name}_state") for name in ("retrieval", "support"))
    )
    return queries.with_columns(
        pl.Series("wrong", correct.failed), pl.Series("right", ~correct.failed & ~correct.undecided)
    ).join(
        evidence.matrices.abstention.select("query", "expected", "observed", "invented"),
        on="query",
        how="left",
        maintain_order="left",
    )


def facts(evidence: Evidence) -> pl.DataFrame:
    """Checkable claims with their verdicts, whether a verdict is `shaky` (the judge is unsure, or raters differ), and
    the passages `by` and `against` it.

    `needed` marks what the answer must state: every required claim or, where none are listed, every reference claim.
    """
    claims = evidence.claims.claims.filter("checkable")
    listed = claims.filter(pl.col("side") == "required").select("query").unique().with_columns(has_list=pl.lit(True))
    is_reference = (pl.col("side") == "reference") & pl.col("has_list").is_null()
    return (
        claims.join(_weighed(evidence), on=KEY, how="left")
        .join(_compared(evidence), on=KEY, how="left")
        .join(listed, on="query", how="left")
        .with_columns(
            needed=(pl.col("side") == "required") | is_reference,
            shaky_context=pl.col("shaky_context").fill_null(False),
            shaky_words=pl.col("shaky_words").fill_null(False),
            untrue=pl.col("untrue").fill_null(False),
        )
        .sort(KEY)
    )


def _weighed(evidence: Evidence) -> pl.DataFrame:
    """The verdict on the context is shaky where only unsure judgements support a claim, or might have."""
    support = allowed_support(evidence.matrices.support, evidence.claims.passages)
    support = support.sort(*KEY, pl.col("probability"), "position", descending=[False] * 3 + [True, False])
    supports, opposes = pl.col("verdict") == "supports", pl.col("verdict") == "contradicts"
    unsure = pl.col("disputed").fill_null(False)
    shaky = pl.when(supports.any()).then(~(supports & ~unsure).any()).otherwise(unsure.any())
    return support.group_by(KEY, maintain_order=True).agg(
        shaky.alias("shaky_context"),
        pl.col("passage").filter(supports).first().alias("by"),
        pl.col("passage").filter(opposes).first().alias("against"),
    )


def _compared(evidence: Evidence) -> pl.DataFrame:
    """Whether the verdict beside the other side is shaky, and whether a source outside the system calls it untrue."""
    outside = pl.col("other") == "external"
    unsure = pl.col("disputed").fill_null(False)
    return evidence.matrices.entailment.group_by(KEY).agg(
        (unsure & ~outside).any().alias("shaky_words"),
        (outside & ~unsure & (pl.col("verdict") == "contradicts")).any().alias("untrue"),
    )


def missing(claims: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Needed facts that the answer surely lacks. `where`: `kept` (in the context), `lost` (not in it) or `unknown`."""
    is_known = (pl.col("support_state") == RECORDED) & ~pl.col("context_error") & ~pl.col("shaky_context")
    where = (
        pl.when(~is_known).then(pl.lit("unknown"))
        .when("in_context").then(pl.lit("kept"))
        .otherwise(pl.lit("lost"))
    )  # fmt: skip
    sure = pl.col("needed") & ~pl.col("correct") & ~pl.col("entailment_error") & ~pl.col("shaky_words")
    lacking = claims.filter(sure).join(asked.select("query", "support_state"), on="query", how="left")
    return lacking.with_columns(where.alias("where"))
