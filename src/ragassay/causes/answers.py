"""What the answer did with what it had: refused, left out, contradicted, invented, cited wrongly."""

from typing import NamedTuple

import polars as pl

from ragassay.causes.facts import SPOKEN
from ragassay.matrices import RECORDED, Matrices
from ragassay.metrics.citations import FAULTS, IS_LINK
from ragassay.metrics.claims import context_rows
from ragassay.metrics.refusal import ANSWERED

JUDGED_FAULTS = ("wrong_source", "contradicting", "unrelated")
"""Faults of a citation that need a judge. A redundant one counts as supported."""


class Told(NamedTuple):
    """What the rules look at: `states` by query, checkable `claims`, `missing` facts."""

    matrices: Matrices
    states: pl.DataFrame
    claims: pl.DataFrame
    missing: pl.DataFrame


def answer_causes(told: Told) -> pl.DataFrame:
    """Causes 2 and 6 to 10 of the decision list, as rows of query, name and detail."""
    return pl.concat([*_kinds(told), *_statements(told), *_citations(told), *_used(told), *_uncertain(told)])


def _kinds(told: Told) -> list[pl.DataFrame]:
    """Told by what kind of answer it is."""
    observed, expected = pl.col("observed"), pl.col("expected")
    silent = (observed.is_in(["failed", "empty"]) | pl.col("error").is_not_null()).fill_null(False)
    invented = (observed == "refused") & (pl.col("invented") > 0)
    unsupported = (expected == "refuse") & (observed.is_in(ANSWERED) | invented)
    invention = pl.when(invented).then(pl.format("refused, and invented {} claims", "invented")).otherwise("observed")
    return [
        _rows(told.states.filter(silent), "no_answer", pl.coalesce("error", "observed")),
        _rows(told.states.filter(unsupported), "unsupported_answer", invention),
        _rows(told.states.filter((observed == "clarified") & expected.is_not_null()), "asked_back", pl.lit(None)),
        _rows(told.states.filter((observed == "refused") & (expected == "answer")), "false_refusal", pl.lit(None)),
    ]


def _statements(told: Told) -> list[pl.DataFrame]:
    """Told by claims. What stands opposite the reference comes from a passage or from nowhere; else facts are left out.

    A claim that the context holds is faithful, and may be false all the same: that is a fault of the source.
    """
    spoke = told.states.filter(pl.col("observed").is_in(SPOKEN)).select("query", "support_state")
    claims = told.claims.join(spoke, on="query")
    is_known = (pl.col("support_state") == RECORDED) & ~pl.col("context_error") & ~pl.col("shaky_context")
    is_false = ~pl.col("shaky_words") & ~pl.col("correct").fill_null(True)
    turned = claims.filter(~pl.col("shaky_words") & pl.col("opposed"))
    answer = claims.filter((pl.col("side") == "answer") & is_known).join(_unnamed(turned), on="query", how="left")
    opposite = (pl.col("opposed") & ~pl.col("shaky_words")) | (is_false & pl.col("unnamed").fill_null(False))
    invented = ~pl.col("in_context") & (is_false | pl.col("correct").is_null() | pl.col("entailment_error"))
    untrue = pl.col("in_context") & pl.col("untrue")
    from_passage = pl.format("{}: {}", "by", "text")
    against = pl.when(pl.col("against").is_null()).then("text").otherwise(
        pl.format("{} says otherwise: {}", "against", "text")
    )  # fmt: skip
    return [
        *_left_out(told, spoke, turned),
        _rows(answer.filter(opposite & pl.col("in_context")), "misled_by_noise", from_passage),
        _rows(answer.filter(invented), "hallucinated", against),
        _rows(answer.filter(untrue), "faithful_but_false", from_passage),
    ]


def _unnamed(turned: pl.DataFrame) -> pl.DataFrame:
    """Queries whose answer stands opposite a fact, while no single claim of it does: then every false claim may."""
    named = turned.filter(pl.col("side") == "answer")
    return turned.join(named, on="query", how="anti").select("query", unnamed=pl.lit(True)).unique()


def _left_out(told: Told, spoke: pl.DataFrame, turned: pl.DataFrame) -> list[pl.DataFrame]:
    """Facts in the context that the answer lacks while it says nothing against them.

    It is too general where all it says follows from the one fact that it lacks.
    """
    kept = told.missing.filter(pl.col("where") == "kept").join(spoke.select("query"), on="query", how="semi")
    kept = kept.join(turned, on="query", how="anti")
    general = _general(told.claims)
    detail = pl.format("{}: {}", pl.coalesce("by", pl.lit("the context")), "text")
    return [
        _rows(kept.join(general, on="query", how="anti"), "incomplete", detail),
        _rows(kept.join(general, on="query", how="semi"), "wrong_specificity", detail),
    ]


def _general(claims: pl.DataFrame) -> pl.DataFrame:
    """Queries with one fact in all, from which everything that the answer says follows."""
    follows = pl.col("correct").fill_null(False) & ~pl.col("shaky_words")
    is_answer = pl.col("side") == "answer"
    counted = claims.group_by("query").agg(
        facts=pl.col("needed").sum(),
        references=(pl.col("side") == "reference").sum(),
        said=is_answer.sum(),
        all_follow=(follows | ~is_answer).all(),
    )
    is_one = (pl.col("facts") == 1) & (pl.col("references") == 1)
    return counted.filter(is_one & (pl.col("said") > 0) & pl.col("all_follow")).select("query")


def _citations(told: Told) -> list[pl.DataFrame]:
    """Faults of citations, whether or not the answer is true."""
    rows = told.matrices.citations.with_columns(pl.col("disputed").fill_null(False))
    spoke = told.states.filter(pl.col("observed").is_in(ANSWERED)).select("query")
    source = pl.concat_str(
        pl.col("marker").fill_null("no mark"), pl.coalesce("passage", "document").fill_null("no source"), separator=" "
    )
    links = rows.filter(IS_LINK)
    judged = links.filter(~pl.col("disputed"))
    return [
        _rows(rows.filter("missing").join(spoke, on="query", how="semi"), "citation_missing", pl.col("text")),
        *(_rows(links.filter(pl.col(fault)), f"citation_{fault}", source) for fault in FAULTS),
        *(_rows(judged.filter(pl.col(fault)), f"citation_{fault}", source) for fault in JUDGED_FAULTS),
    ]


def _used(told: Told) -> list[pl.DataFrame]:
    used = context_rows(told.matrices)
    named = pl.concat_str(
        pl.coalesce("passage", "document").fill_null("no id"), pl.format(" rev {}", "revision").fill_null("")
    )
    return [
        _rows(used.filter(~pl.col("in_force")), "superseded_used", named),
        _rows(used.filter(~pl.col("readable")), "forbidden_used", named),
    ]


def _uncertain(told: Told) -> list[pl.DataFrame]:
    """Where a verdict that matters is shaky. A fact that the answer states needs no support from the context."""
    of_answer = (pl.col("side") == "answer") & (pl.col("shaky_context") | pl.col("shaky_words"))
    of_fact = pl.col("needed") & (pl.col("shaky_words") | (pl.col("shaky_context") & ~pl.col("correct")))
    links = told.matrices.citations.filter(IS_LINK & pl.col("disputed").fill_null(False))
    kinds = told.matrices.abstention.filter(pl.col("disputed").fill_null(False))
    return [
        _rows(told.claims.filter((of_answer | of_fact).fill_null(False)), "judge_uncertain", pl.col("text")),
        _rows(links, "judge_uncertain", pl.col("text")),
        _rows(kinds, "judge_uncertain", pl.lit("what kind of answer this is")),
    ]


def undecided_causes(told: Told, explained: pl.DataFrame) -> pl.DataFrame:
    """Answers that are certainly wrong and that no other rule explains, with what is missing to tell why."""
    open_ = told.states.filter("wrong").join(explained.select("query"), on="query", how="anti")
    has_gold = told.matrices.gold.filter(pl.col("grade") > 0).select("query").unique()
    rows = open_.join(has_gold.with_columns(has_gold=pl.lit(True)), on="query", how="left")
    detail = (
        pl.when(pl.col("retrieval_state") != RECORDED).then(pl.lit("what was retrieved is not recorded"))
        .when(pl.col("support_state") == "not_recorded").then(pl.lit("nobody judged what the context holds"))
        .when(pl.col("support_state") != RECORDED).then(pl.lit("the judge failed"))
        .when(pl.col("has_gold").is_null()).then(pl.lit("no gold says which source is needed"))
        .otherwise(pl.lit("a judgement of what the context holds failed"))
    )  # fmt: skip
    return _rows(rows, "undecided", detail)


def _rows(rows: pl.DataFrame, name: str, detail: pl.Expr) -> pl.DataFrame:
    return rows.select("query", name=pl.lit(name), detail=detail.cast(pl.String))
