"""The evidence matrices: one fixed schema each. Every metric is counted on these and on nothing else."""

from typing import NamedTuple

import polars as pl

STATES = ("retrieval", "citations", "abstention", "effort", "claims", "support")
"""Matrices whose evidence a query may lack; `queries` says for each: `recorded`, or why not."""

RECORDED, NOT_RECORDED = "recorded", "not_recorded"

OUTCOME: dict[str, pl.DataType] = {
    "verdict": pl.String(),
    "probability": pl.Float64(),
    "contradiction": pl.Float64(),
    "quote": pl.String(),
    "reason": pl.String(),
    "disputed": pl.Boolean(),
    "judge": pl.String(),
    "error": pl.String(),
}
"""What a judge said of one pair, or the name of the error for which it said nothing."""

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
        "context_size": pl.Int32(),
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
        "useful": pl.Boolean(),
        "disputed": pl.Boolean(),
    },
    "claims": {
        "query": pl.String(),
        "side": pl.String(),
        "claim": pl.Int32(),
        "text": pl.String(),
        "start": pl.Int32(),
        "end": pl.Int32(),
        "checkable": pl.Boolean(),
        "disputed": pl.Boolean(),
    },
    "support": {
        "query": pl.String(),
        "side": pl.String(),
        "claim": pl.Int32(),
        "position": pl.Int32(),
        "passage": pl.String(),
        "second": pl.Int32(),
        **OUTCOME,
    },
    "entailment": {
        "query": pl.String(),
        "side": pl.String(),
        "claim": pl.Int32(),
        "other": pl.String(),
        **OUTCOME,
    },
    "relevancy": {
        "query": pl.String(),
        "question": pl.String(),
        "cosine": pl.Float64(),
    },
    "context": {
        "query": pl.String(),
        "position": pl.Int32(),
        "passage": pl.String(),
        "relevance": pl.Float64(),
    },
    "citations": {
        "query": pl.String(),
        "statement": pl.Int32(),
        "claim": pl.Int32(),
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
        "contradicting": pl.Boolean(),
        "wrong_source": pl.Boolean(),
        "unrelated": pl.Boolean(),
        "redundant": pl.Boolean(),
        "error": pl.String(),
        "disputed": pl.Boolean(),
    },
    "abstention": {
        "query": pl.String(),
        "expected": pl.String(),
        "observed": pl.String(),
        "invented": pl.Int32(),
        "disputed": pl.Boolean(),
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
    system gave scores but no order; `useful` is what people say of a passage. `support` counts the `position` of a
    passage in the context from 1; a joint verdict names a `second` one. In `context`, the row without a position is
    about the context as a whole. `disputed` marks what people should decide. What needs a judge is empty until one was
    run.
    """

    queries: pl.DataFrame
    gold: pl.DataFrame
    retrieval: pl.DataFrame
    claims: pl.DataFrame
    support: pl.DataFrame
    entailment: pl.DataFrame
    relevancy: pl.DataFrame
    context: pl.DataFrame
    citations: pl.DataFrame
    abstention: pl.DataFrame
    effort: pl.DataFrame


def frame(matrix: str, rows: list[tuple[object, ...]]) -> pl.DataFrame:
    """Rows in schema order as a frame of that matrix."""
    return pl.DataFrame(rows, schema=SCHEMAS[matrix], orient="row")
