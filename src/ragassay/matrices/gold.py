"""The matrices `queries` and `gold`: who asks what, and what experts know about it."""

from collections.abc import Mapping, Sequence

import polars as pl

from ragassay.matrices.schema import STATES, frame
from ragassay.records import Corpus, DatasetCard, Exclusion, Fault, FaultyInput, Query, Unit


def relevance_unit(queries: Sequence[Query], card: DatasetCard) -> Unit:
    """The unit in which relevance is counted: the card's, else the gold's.

    Raises `FaultyInput` where gold names both documents and passages, or not the unit that the card states.
    """
    named: dict[Unit, str] = {}
    for query in queries:
        for relevance in query.relevant or ():
            named["document" if relevance.passage is None else "passage"] = query.id
    if named.keys() >= {"document", "passage"}:
        raise FaultyInput([_mixed_units(named)])
    if card.unit == "passage" and "document" in named:
        raise FaultyInput([_wrong_unit(named["document"])])
    return card.unit or ("passage" if "passage" in named else "document")


def _mixed_units(named: Mapping[Unit, str]) -> Fault:
    return Fault(
        code="mixed_units",
        message=f"gold names documents (query {named['document']!r}) and passages (query {named['passage']!r})",
        field="relevant",
        expected="one unit for the whole dataset",
        remedy="label documents or passages throughout; the two are never counted in one denominator",
    )


def _wrong_unit(query: str) -> Fault:
    return Fault(
        code="mixed_units",
        message=f"the dataset counts passages, but the gold of query {query!r} names a document",
        field="relevant",
        expected="a passage id in every gold entry",
        remedy='add "passage" to the entries, or set unit = "document" in dataset.toml',
    )


def gold_id(unit: Unit, document: str | None, passage: str | None) -> str | None:
    """The id of a source in the unit of relevance; the other id stands in where only that one was recorded."""
    first, second = (document, passage) if unit == "document" else (passage, document)
    return first if first is not None else second


def queries_frame(
    queries: Sequence[Query], card: DatasetCard, states: Mapping[str, Mapping[str, object]]
) -> pl.DataFrame:
    """Matrix `queries`. `states` maps query → column → value: what was recorded, the error, the context size."""
    rows: list[tuple[object, ...]] = []
    for query in queries:
        state = states[query.id]
        rows.append(
            (
                query.id,
                query.question,
                query.language,
                query.task,
                query.severity,
                query.difficulty,
                query.origin,
                list(query.slices),
                query.critical,
                query.answerable,
                query.relevant is not None,
                query.as_of or card.as_of,
                None if query.requester is None else list(query.requester.groups),
                _exclusion(query, card.exclusions),
                state.get("error"),
                state.get("context_size"),
                *(state[column] for column in STATES),
            )
        )
    return frame("queries", rows)


def _exclusion(query: Query, exclusions: Sequence[Exclusion]) -> str | None:
    for rule in exclusions:
        if rule.query == query.id or (rule.slice is not None and rule.slice in query.slices):
            return rule.reason
    return None


def gold_frame(queries: Sequence[Query], corpus: Corpus, card: DatasetCard, unit: Unit) -> pl.DataFrame:
    """Matrix `gold`. Entries without a `need` of their own are each a need."""
    rows: list[tuple[object, ...]] = []
    for query in queries:
        as_of = query.as_of or card.as_of
        for relevance in query.relevant or ():
            identity = gold_id(unit, relevance.document, relevance.passage) or ""
            standing = corpus.best_standing(relevance.document, query, as_of)
            need = f"id:{identity}" if relevance.need is None else f"need:{relevance.need}"
            readable, in_force = standing.readable, standing.in_force
            rows.append((query.id, need, identity, relevance.grade, standing.in_corpus, readable, in_force))
    return frame("gold", rows)
