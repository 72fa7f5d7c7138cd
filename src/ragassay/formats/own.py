"""The fields of our own rows. A row may hold a query, its answer, or both; foreign forms add their names to these."""

from typing import NamedTuple

from ragassay.formats.fields import (
    Field,
    Fields,
    amount,
    axes,
    axis_lists,
    boolean,
    choice,
    convert,
    count,
    day,
    each,
    identity,
    mapping,
    mappings,
    number,
    text,
    texts,
    words,
)
from ragassay.formats.gold import relevance
from ragassay.formats.reading import Reading
from ragassay.formats.results import results
from ragassay.records import Citation, Requester, Unit


class Form(NamedTuple):
    """A known form of row: recognised where every name of one of its `signs` is present."""

    name: str
    signs: tuple[frozenset[str], ...]
    fields: Fields


_REQUESTER: Fields = {"groups": Field("groups", words)}
_CITATION: Fields = {
    "marker": Field("marker", text),
    "passage": Field("passage", identity("passage")),
    "document": Field("document", identity("document")),
    "revision": Field("revision", identity("revision")),
}


def _requester(reading: Reading, value: object) -> Requester:
    return Requester(**convert(reading, mapping(reading, value), _REQUESTER, "requester."))


def _citation(reading: Reading, value: object) -> Citation:
    return Citation(**convert(reading, mapping(reading, value), _CITATION, "citations."))


QUERY: Fields = {
    "question": Field("question", text),
    "answerable": Field("answerable", boolean),
    "reference": Field("reference", text),
    "required_claims": Field("required_claims", texts),
    "critical": Field("critical", boolean),
    "severity": Field("severity", text),
    "difficulty": Field("difficulty", text),
    "task": Field("task", text),
    "language": Field("language", text),
    "slices": Field("slices", words),
    "requester": Field("requester", _requester),
    "scope": Field("scope", axes),
    "as_of": Field("as_of", day),
    "origin": Field("origin", text),
    "relevant_doc": Field("relevant", relevance("document")),
    "relevant_docs": Field("relevant", relevance("document")),
    "relevant_passage": Field("relevant", relevance("passage")),
    "relevant_passages": Field("relevant", relevance("passage")),
}

ANSWER: Fields = {
    "answer": Field("answer", text),
    "retrieved": Field("retrieved", results("document")),
    "retrieved_docs": Field("retrieved", results("document")),
    "retrieved_passages": Field("retrieved", results("passage")),
    "candidates": Field("candidates", results("document")),
    "packed": Field("packed", each(identity("passage"))),
    "ordered": Field("ordered", boolean),
    "score_kind": Field("score_kind", choice("similarity", "distance", "rerank", "bm25", "unknown")),
    "citations": Field("citations", each(_citation)),
    "retrieval_ms": Field("retrieval_ms", amount),
    "first_token_ms": Field("first_token_ms", amount),
    "total_ms": Field("total_ms", amount),
    "input_tokens": Field("input_tokens", count),
    "output_tokens": Field("output_tokens", count),
    "cost": Field("cost", number),
    "complete": Field("complete", boolean),
    "error": Field("error", text),
    "system": Field("system", text),
    "time": Field("time", text),
    "cohort": Field("cohort", text),
    "trace_id": Field("trace_id", text),
    "outcome": Field("outcome", text),
    "history": Field("history", mappings),
    "actions": Field("actions", mappings),
}

DOCUMENT: Fields = {
    "document": Field("document", identity("document")),
    "revision": Field("revision", identity("revision")),
    "status": Field("status", choice("in_force", "superseded", "draft", "withdrawn", "unknown")),
    "valid_from": Field("valid_from", day),
    "valid_to": Field("valid_to", day),
    "readers": Field("readers", words),
    "applies_to": Field("applies_to", axis_lists),
    "source": Field("source", text),
    "title": Field("title", text),
    "text": Field("text", text),
}


_LABELS = ("relevant", "relevant_doc", "relevant_docs", "relevant_passage", "relevant_passages")
_FOUND = ("retrieved", "retrieved_docs", "retrieved_passages")


def row_fields(unit: Unit) -> Fields:
    """Every field of our rows; `unit` is what a bare id in `relevant` names."""
    ids = {"id": Field("id", identity("query")), "query": Field("query", identity("query"))}
    return {**ids, "relevant": Field("relevant", relevance(unit)), **QUERY, **ANSWER}


# Trace exports have `id`, `error` and `trace_id` as well; these names tell our rows from theirs.
_TELLING = ("answerable", "reference", "required_claims", "answer", *_LABELS, *_FOUND)


def own_form(unit: Unit) -> Form:
    """Our own rows."""
    fields = row_fields(unit)
    signs = (frozenset({"question"}), frozenset({"query"}), *(frozenset({"id", name}) for name in _TELLING))
    return Form("own", signs, fields)


CORPUS = Form("own", (frozenset({"document"}),), DOCUMENT)
