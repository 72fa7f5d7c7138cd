"""What a system under test found and said for one query: an observation."""

from typing import Any, Literal

from msgspec import Struct

ScoreKind = Literal["similarity", "distance", "rerank", "bm25", "unknown"]


class Result(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One retrieved passage. `rank` counts from 1; None where the order of the list is the rank or only scores
    exist."""

    passage: str | None = None
    document: str | None = None
    revision: str | None = None
    score: float | None = None
    rank: int | None = None
    text: str | None = None


class Citation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A source that the answer names; `marker` is how it stands in the text."""

    marker: str | None = None
    passage: str | None = None
    document: str | None = None
    revision: str | None = None


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The recorded answer to one query. None means not recorded, an empty tuple means recorded and empty.

    `candidates` is what was found before cutting and reranking, `retrieved` the ranked results, `packed` the passage
    ids that entered the prompt. `ordered` False says that `retrieved` has scores but no order of its own. Times are
    in milliseconds, `cost` in the currency of the run card. `error` names why there is no answer.
    """

    query: str
    answer: str | None = None
    retrieved: tuple[Result, ...] | None = None
    candidates: tuple[Result, ...] | None = None
    packed: tuple[str, ...] | None = None
    ordered: bool = True
    score_kind: ScoreKind = "unknown"
    citations: tuple[Citation, ...] | None = None
    retrieval_ms: float | None = None
    first_token_ms: float | None = None
    total_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    complete: bool | None = None
    error: str | None = None
    system: str | None = None
    time: str | None = None
    cohort: str | None = None
    trace_id: str | None = None
    outcome: str | None = None
    history: tuple[dict[str, Any], ...] | None = None
    actions: tuple[dict[str, Any], ...] | None = None
