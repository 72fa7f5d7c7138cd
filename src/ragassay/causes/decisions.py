"""The decision list applied: one primary cause per failed query, all others kept."""

import polars as pl

from ragassay.causes.answers import Told, answer_causes, undecided_causes
from ragassay.causes.facts import facts, missing, states
from ragassay.causes.kinds import KINDS
from ragassay.causes.sources import source_causes, sources
from ragassay.metrics.evidence import Evidence
from ragassay.records import Cause, Failed


def failures(evidence: Evidence, k: int) -> tuple[Failed, ...]:
    """Every query that certainly failed or is in doubt, the worst first: critical ones, then by severity.

    The first cause that applies is the primary one, in the order of `KINDS`. `k` is the largest cut-off: a source below
    it was ranked low, one above it and not in the prompt was dropped. What cannot be told from what was recorded and
    judged is not guessed. Excluded queries are left out.
    """
    asked, claims = states(evidence), facts(evidence)
    lacking = missing(claims, asked)
    told = Told(evidence.matrices, asked, claims, lacking)
    found = [source_causes(evidence, sources(evidence, asked, claims, lacking), k), answer_causes(told)]
    rows = pl.concat(found)
    rows = _in_order(pl.concat([rows, undecided_causes(told, rows)]), evidence.matrices.queries)
    return tuple(_failed(str(query), part) for (query,), part in rows.group_by("query", maintain_order=True))


def _in_order(rows: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    """One row per query and cause: the worst query first, its causes in the order of the list."""
    place = pl.col("name").replace_strict({name: at for at, name in enumerate(KINDS)}, return_dtype=pl.Int32)
    severity = pl.col("severity").replace_strict({"high": 0, "medium": 1, "low": 2}, default=3)
    once = rows.unique(maintain_order=True).group_by("query", "name", maintain_order=True)
    counted = once.agg(pl.col("detail").drop_nulls().first(), more=pl.len() - 1)
    kept = queries.filter(pl.col("excluded").is_null()).select("query", "critical", severity.alias("severity"))
    return counted.join(kept, on="query").sort(~pl.col("critical"), "severity", "query", place)


def _failed(query: str, rows: pl.DataFrame) -> Failed:
    first, *others = (_cause(*row) for row in rows.select("name", "detail", "more").iter_rows())
    return Failed(query=query, cause=first, others=tuple(others))


def _cause(name: str, detail: str | None, more: int) -> Cause:
    kind = KINDS[name]
    return Cause(
        name=name, stage=kind.stage, group=kind.group, detail=f"{detail} (and {more} more)" if more else detail
    )
