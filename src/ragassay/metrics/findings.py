"""What a report shows beside the numbers: critical queries one by one, refusals, noise, ranks."""

import numpy as np
import polars as pl

from ragassay.metrics.citations import FAULTS, IS_LINK, count
from ragassay.metrics.critical import conditions
from ragassay.metrics.evidence import Evidence
from ragassay.metrics.nearest import claim_findings, unsupported
from ragassay.records import CriticalResult, Findings, NoiseRow

MOST_CLAIMS = 500
"""Unsupported claims that a run lists; its matrices have all."""

NOT_FOUND = "not found"
OBSERVED: tuple[str, ...] = ("answered", "partial", "refused", "clarified", "empty", "failed", "unreadable")


def findings(evidence: Evidence) -> Findings:
    """Counted on the evidence of all queries, the excluded ones left out; why queries failed is told elsewhere."""
    origins = evidence.matrices.queries["origin"].fill_null("not given").value_counts(sort=True)
    open_claims = unsupported(evidence.matrices, evidence.claims)
    stage = "candidates" if "candidates" in evidence.matrices.retrieval["stage"] else "retrieved"
    return Findings(
        critical=critical_results(evidence),
        refusals=refusals(evidence),
        noise=noise(evidence, stage),
        noise_stage=stage,
        first_ranks=first_ranks(evidence),
        citation_faults=citation_faults(evidence),
        latencies=latencies(evidence),
        origins=dict(origins.iter_rows()),
        unsupported=claim_findings(open_claims.head(MOST_CLAIMS)),
        unsupported_count=len(open_claims),
    )


def critical_results(evidence: Evidence) -> tuple[CriticalResult, ...]:
    """The critical queries one by one, failed ones first."""
    every = conditions(evidence)
    queries = evidence.matrices.queries
    results: list[CriticalResult] = []
    for index in np.flatnonzero(queries["critical"].to_numpy() & queries["excluded"].is_null().to_numpy()).tolist():
        failed = tuple(condition.name for condition in every if condition.failed[index])
        undecided = tuple(condition.name for condition in every if condition.undecided[index])
        passed = False if failed else None if undecided else True
        name, question = queries["query"][index], queries["question"][index]
        results.append(CriticalResult(query=name, question=question, passed=passed, failed=failed, undecided=undecided))
    order = {False: 0, None: 1, True: 2}
    return tuple(sorted(results, key=lambda result: (order[result.passed], result.query)))


def refusals(evidence: Evidence) -> dict[str, dict[str, int]]:
    """Expected → observed → queries. Every cell of the table is there, zeros included."""
    table: dict[str, dict[str, int]] = {expected: dict.fromkeys(OBSERVED, 0) for expected in ("refuse", "answer")}
    rows = _included(evidence, evidence.matrices.abstention).drop_nulls(["expected", "observed"])
    for expected, kind, number in rows.group_by("expected", "observed").len().iter_rows():
        table[expected][kind] = number
    return table


def _included(evidence: Evidence, rows: pl.DataFrame) -> pl.DataFrame:
    kept = evidence.matrices.queries.filter(pl.col("excluded").is_null()).select("query")
    return rows.join(kept, on="query", how="semi", maintain_order="left")


def noise(evidence: Evidence, stage: str) -> tuple[NoiseRow, ...]:
    """Results by type of query: each in the first column that fits of forbidden, stale, relevant, judged, unjudged."""
    rows = _included(evidence, evidence.matrices.retrieval).filter(pl.col("stage") == stage)
    label = (
        pl.when(~pl.col("readable")).then(pl.lit("forbidden"))
        .when(~pl.col("in_force")).then(pl.lit("stale"))
        .when(pl.col("grade") > 0).then(pl.lit("relevant"))
        .when(pl.col("grade").is_not_null()).then(pl.lit("not_relevant"))
        .otherwise(pl.lit("unjudged"))
    )  # fmt: skip
    typed = evidence.matrices.queries.select("query", pl.col("task").fill_null("not given").alias("type"))
    rows = rows.join(typed, on="query").select("query", "type", label.alias("label"))
    return tuple(
        _noise_row(kind, part) for (kind,), part in sorted(rows.group_by("type"), key=lambda pair: str(pair[0]))
    )


def _noise_row(kind: object, part: pl.DataFrame) -> NoiseRow:
    counts = dict(part["label"].value_counts().iter_rows())
    names = ("relevant", "not_relevant", "unjudged", "stale", "forbidden")
    return NoiseRow(
        query_type=str(kind),
        queries=part["query"].n_unique(),
        results=len(part),
        **{name: counts.get(name, 0) for name in names},
    )


def first_ranks(evidence: Evidence) -> dict[str, int]:
    """Needs by the rank at which they were first met (the likeliest one among equal scores), then those never met."""
    ranking = evidence.ranking
    sought = ~np.logical_or.reduce(list(ranking.absent.values()))
    needed = int(ranking.need_count[sought].sum())
    mass = np.bincount(
        ranking.needs.rank[sought[ranking.needs.query]], ranking.needs.weight[sought[ranking.needs.query]]
    )
    met = {str(rank): round(float(mass[rank])) for rank in np.flatnonzero(mass > 0).tolist()}
    return {**met, NOT_FOUND: max(0, needed - round(float(mass.sum())))}


def citation_faults(evidence: Evidence) -> dict[str, int]:
    """Links by fault, statements without a citation, and all links issued."""
    issued = {"issued": int(count(evidence, IS_LINK).sum())}
    faults = {fault: int(count(evidence, IS_LINK & pl.col(fault)).sum()) for fault in FAULTS}
    return {**issued, **faults, "missing": int(count(evidence, pl.col("missing")).sum())}


def latencies(evidence: Evidence) -> dict[str, tuple[float, ...]]:
    """Seconds of every complete answer, by stage, ascending."""
    effort = _included(evidence, evidence.matrices.effort).filter(pl.col("complete").is_null() | pl.col("complete"))
    stages = {"retrieval": "retrieval_ms", "first token": "first_token_ms", "total": "total_ms"}
    found = {stage: effort[column].drop_nulls().sort() / 1000.0 for stage, column in stages.items()}
    return {stage: tuple(seconds.to_list()) for stage, seconds in found.items() if len(seconds)}
