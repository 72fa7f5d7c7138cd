"""The columns of our own Parquet files."""

import polars as pl

_TEXTS = pl.List(pl.String)
_RESULTS = pl.List(
    pl.Struct(
        {
            "passage": pl.String,
            "document": pl.String,
            "revision": pl.String,
            "score": pl.Float64,
            "rank": pl.Int64,
            "text": pl.String,
        }
    )
)
_CITATIONS = pl.List(
    pl.Struct({"marker": pl.String, "passage": pl.String, "document": pl.String, "revision": pl.String})
)
_RELEVANT = pl.List(pl.Struct({"document": pl.String, "passage": pl.String, "grade": pl.Float64, "need": pl.String}))

# Objects whose keys the data decide; a column of them would need one type for all rows.
AS_JSON = frozenset({"requester", "scope", "history", "actions", "applies_to"})

SCHEMAS: dict[str, dict[str, pl.DataType | type[pl.DataType]]] = {
    "queries": {
        "id": pl.String,
        "question": pl.String,
        "answerable": pl.Boolean,
        "relevant": _RELEVANT,
        "reference": pl.String,
        "required_claims": _TEXTS,
        "critical": pl.Boolean,
        "severity": pl.String,
        "difficulty": pl.String,
        "task": pl.String,
        "language": pl.String,
        "slices": _TEXTS,
        "requester": pl.String,
        "scope": pl.String,
        "as_of": pl.Date,
        "origin": pl.String,
    },
    "answers": {
        "query": pl.String,
        "answer": pl.String,
        "retrieved": _RESULTS,
        "candidates": _RESULTS,
        "packed": _TEXTS,
        "ordered": pl.Boolean,
        "score_kind": pl.String,
        "citations": _CITATIONS,
        "retrieval_ms": pl.Float64,
        "first_token_ms": pl.Float64,
        "total_ms": pl.Float64,
        "input_tokens": pl.Int64,
        "output_tokens": pl.Int64,
        "cost": pl.Float64,
        "complete": pl.Boolean,
        "error": pl.String,
        "system": pl.String,
        "time": pl.String,
        "cohort": pl.String,
        "trace_id": pl.String,
        "outcome": pl.String,
        "history": pl.String,
        "actions": pl.String,
    },
    "corpus": {
        "document": pl.String,
        "revision": pl.String,
        "status": pl.String,
        "valid_from": pl.Date,
        "valid_to": pl.Date,
        "readers": _TEXTS,
        "applies_to": pl.String,
        "source": pl.String,
        "title": pl.String,
        "text": pl.String,
    },
}
