"""The evidence matrices: one fixed schema each. Every metric is counted on these and on nothing else."""

from typing import NamedTuple

import polars as pl

STATES = ("retrieval", "citations", "abstention", "effort")
"""Matrices whose evidence a query may lack; `queries` says for each: `recorded`, or why not."""

RECORDED = "recorded"

SCHEMAS: dict[str, dict[str, pl.DataType]] = {
    "queries": {
        "query": pl.String(),
        "question": pl.String(),
        "language": pl.String(),
        "task": pl.String(),
        "severity": pl.String(),
        "difficulty": pl.String(),
        "origin": pl.String(),
        "slices": pl.List(pl.String()),
        "critical": pl.Boolean(),
        "answerable": pl.Boolean(),
        "labelled": pl.Boolean(),
        "as_of": pl.Date(),
        "groups": pl.List(pl.String()),
        "excluded": pl.String(),
        "error": pl.String(),
        **{state: pl.String() for state in STATES},
    },
    "gold": {
        "query": pl.String(),
        "need": pl.String(),
        "id": pl.String(),
        "grade": pl.Float64(),
        "in_corpus": pl.Boolean(),
        "readable": pl.Boolean(),
        "in_force": pl.Boolean(),
    },
    "retrieval": {
        "query": pl.String(),
        "stage": pl.String(),
        "position": pl.Int32(),
        "rank": pl.Int32(),
        "id": pl.String(),
        "passage": pl.String(),
        "document": pl.String(),
        "revision": pl.String(),
        "score": pl.Float64(),
        "score_kind": pl.String(),
        "grade": pl.Float64(),
        "in_corpus": pl.Boolean(),
        "readable": pl.Boolean(),
        "in_force": pl.Boolean(),
        "in_scope": pl.Boolean(),
    },
    "citations": {
        "query": pl.String(),
        "statement": pl.Int32(),
        "text": pl.String(),
        "marker": pl.String(),
        "passage": pl.String(),
        "document": pl.String(),
        "revision": pl.String(),
        "missing": pl.Boolean(),
        "dangling": pl.Boolean(),
        "superseded": pl.Boolean(),
        "forbidden": pl.Boolean(),
        "not_applicable": pl.Boolean(),
        "supports": pl.Boolean(),
    },
    "abstention": {
        "query": pl.String(),
        "expected": pl.String(),
        "observed": pl.String(),
        "invented": pl.Int32(),
    },
    "effort": {
        "query": pl.String(),
        "retrieval_ms": pl.Float64(),
        "first_token_ms": pl.Float64(),
        "total_ms": pl.Float64(),
        "input_tokens": pl.Int64(),
        "output_tokens": pl.Int64(),
        "cost": pl.Float64(),
        "complete": pl.Boolean(),
    },
}


class Matrices(NamedTuple):
    """The evidence of a run. `queries` has one row per query, sorted by id; every other matrix joins it on `query`.

    Three-valued columns: null is unknown, and unknown is neither true nor false. In `retrieval`, `stage` is
    `candidates`, `retrieved` or `packed`; `position` counts the recorded order from 1, and `rank` is null where the
    system gave scores but no order.
    """

    queries: pl.DataFrame
    gold: pl.DataFrame
    retrieval: pl.DataFrame
    citations: pl.DataFrame
    abstention: pl.DataFrame
    effort: pl.DataFrame


def frame(matrix: str, rows: list[tuple[object, ...]]) -> pl.DataFrame:
    """Rows in schema order as a frame of that matrix."""
    return pl.DataFrame(rows, schema=SCHEMAS[matrix], orient="row")
