"""Evidence: may the numbers be believed? Who judged, how far people agree, whether all can be counted again."""

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from ragassay import __version__
from ragassay.acceptance.presented import Presented, check, plural, some
from ragassay.acceptance.rederiving import departures
from ragassay.matrices import Matrices
from ragassay.matrices.schema import RECORDED
from ragassay.metrics.sides import SCHEMA
from ragassay.records.acceptance import Check

ASKS = "May the numbers be believed: who judged, how far do people agree, can all of it be counted again?"
SILENT = ("refused", "clarified", "empty", "failed")
LEAST = 100
"""Queries labelled in full below which a judge's agreement with people is an accident."""
VERSIONS = "a run of this version of the instrument: measure the recorded answers again"


class Agreement(NamedTuple):
    """Judge and people on the queries that both decided: how far their values lie apart on average."""

    metric: str
    n: int
    apart: float


def evidence(presented: Presented) -> Iterator[Check]:
    yield _judge(presented)
    yield _agreement(presented)
    yield _confirmed(presented)
    yield _coverage(presented)
    yield _disputed(presented)
    yield _rederived(presented)


def _is_judged(presented: Presented) -> bool:
    """Whether claims stand beside the context, whoever judged them."""
    return len(presented.matrices.support) > 0


def _judge(presented: Presented) -> Check:
    judge = presented.run.card.judge
    is_named = judge is not None and bool(judge.name and judge.version)
    return check(
        "judge",
        "Who judged is named with everything that decides",
        "met" if is_named else "not_shown",
        "nobody judged what answers claim"
        if judge is None
        else f"{judge.name} {judge.version} ({judge.kind}), {plural(len(judge.settings), 'setting', 'settings')}",
        "`--judge` or `--labels`",
        ("run.json#/card/judge",),
    )


def _agreement(presented: Presented) -> Check:
    judge, found = presented.run.card.judge, agreement(presented.fractions)
    is_people = judge is not None and judge.is_people
    if is_people:
        said = "people themselves decided"
    elif found is None:
        said = "no query is labelled by people and judged too"
    else:
        queries = plural(found.n, "query", "queries")
        said = f"{found.metric}: judge and people lie {found.apart:.3f} apart on average, on {queries} labelled in full"
    return check(
        "agreement",
        "It is known how far the judge agrees with people",
        "met" if is_people or (found is not None and found.n >= LEAST) else "not_shown",
        said,
        f"labels of at least {LEAST} queries, drawn by lot: `ragassay review export --sample 100`, then `--labels`",
        ("fractions.parquet#judge_numerator", "fractions.parquet#by_people", "run.json#/card/labels_hash"),
    )


def agreement(fractions: pl.DataFrame) -> Agreement | None:
    """Agreement on the metric for which most queries have both; None where no query has."""
    if not SCHEMA.keys() <= set(fractions.columns):
        return None
    both = fractions.filter(pl.col("by_people") & (pl.col("judge_denominator") > 0) & (pl.col("denominator") > 0))
    apart = pl.col("judge_numerator") / pl.col("judge_denominator") - pl.col("numerator") / pl.col("denominator")
    rows = both.group_by("metric").agg(pl.len().alias("n"), apart.abs().mean().alias("apart"))
    best = rows.sort(["n", "metric"], descending=[True, False]).head(1).rows()
    return Agreement(best[0][0].rpartition(":v")[0], best[0][1], best[0][2]) if best else None


def _confirmed(presented: Presented) -> Check:
    judge = presented.run.card.judge
    if judge is None:
        outcome, found = "not_shown", "nobody judged"
    elif not judge.screens:
        outcome, found = "met", f"{judge.name} decides"
    elif presented.run.card.labels_hash is not None:
        outcome, found = "met", f"{judge.name} screens, and labels of people outrank it"
    else:
        outcome, found = "not_shown", f"{judge.name} only screens, and no label of a person is in this run"
    return check(
        "confirmed",
        "What a screening judge found was confirmed by people",
        outcome,
        found,
        "labels of people: `ragassay review export`, `ragassay review import`, then `--labels`",
        ("run.json#/card/judge/screens", "run.json#/card/labels_hash"),
    )


def _coverage(presented: Presented) -> Check:
    there, judged = judged_answers(presented.matrices)
    is_covered = there > 0 and judged >= presented.floor * there
    return check(
        "coverage",
        f"What answers claim was judged, in at least {presented.floor:.0%} of those that say something",
        "met" if is_covered else "not_shown",
        f"{judged:,} of {plural(there, 'answer', 'answers')} judged in full",
        "judge again what failed; what was not judged is neither right nor wrong",
        ("matrices/queries.parquet#support", "matrices/support.parquet#error", "matrices/entailment.parquet#error"),
    )


def judged_answers(matrices: Matrices) -> tuple[int, int]:
    """How many answers say something, and of how many of them every claim was judged. Excluded queries are left out."""
    silent = matrices.abstention.filter(pl.col("observed").is_in(SILENT))["query"]
    rows = matrices.queries.filter(pl.col("excluded").is_null() & ~pl.col("query").is_in(silent.implode()))
    failed = pl.concat(
        [rows.filter(pl.col("error").is_not_null())["query"] for rows in (matrices.support, matrices.entailment)]
    )
    is_whole = (pl.col("claims") == RECORDED) & (pl.col("support") == RECORDED)
    return len(rows), len(rows.filter(is_whole & ~pl.col("query").is_in(failed.implode())))


def _disputed(presented: Presented) -> Check:
    number, queries = len(presented.disputes), sorted(set(presented.disputes))
    is_judged = _is_judged(presented)
    found = f"{plural(number, 'thing is', 'things are')} disputed"
    return check(
        "disputed",
        "People decided what was disputed",
        "met" if is_judged and not number else "not_shown",
        f"{found}: {some(queries)}" if number else found if is_judged else "nothing was judged",
        "`ragassay review export`, decide, `ragassay review import`, then `eval --labels`",
        ("matrices/support.parquet#disputed", "matrices/citations.parquet#disputed"),
    )


def _rederived(presented: Presented) -> Check:
    run = presented.run
    counted = f"{len(run.card.metrics):,} metrics on {len(run.summary.slices):,} slices"
    try:
        differing = departures(run, presented.matrices, presented.fractions)
    except ValueError as error:
        outcome, found = "not_shown", f"measured by another version: {error}"
    else:
        is_ours = run.card.ragassay == __version__
        outcome = "met" if not differing else "not_met" if is_ours else "not_shown"
        by = "" if is_ours else f", measured by version {run.card.ragassay}"
        found = f"other than stored{by}: {some(differing)}" if differing else f"{counted}, counted again: the same"
    return check(
        "rederived",
        "Every number follows from the stored evidence",
        outcome,
        found,
        "measure the recorded answers again: the run was changed, or another version made it"
        if outcome == "not_met"
        else VERSIONS,
        ("matrices", "fractions.parquet", "run.json#/summary"),
    )
