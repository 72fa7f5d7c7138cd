"""What people say of citations, passages and answers into the matrices. A person outranks code and every judge.

Where raters differ, the majority decides, disputed; where they are evenly divided, what stood there before stays,
disputed. Labels of claims are a judge's business, since they decide verdicts before anything follows from them.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import polars as pl

from ragassay.matrices.judged_links import with_redundant
from ragassay.matrices.schema import SCHEMAS, Matrices
from ragassay.records import Answer, AnyLabel, CitationLabel, PassageLabel, RefusalLabel
from ragassay.statistics.votes import majority
from ragassay.text.normalise import comparable

V = TypeVar("V", bound=Hashable)
Row = dict[str, Any]
SILENT = ("refused", "clarified", "empty")
"""Kinds of answers that state nothing, so that they invent nothing."""
_MARKS = "[]【】()^ "


class Votes(NamedTuple):
    """What raters say of one thing. `decided` None: they are evenly divided."""

    decided: Any
    is_disputed: bool


class Labelled(NamedTuple):
    """The matrices with the labels, and those labels whose query, passage, citation or answer the run does not hold."""

    matrices: Matrices
    unused: tuple[AnyLabel, ...]


def refusals(labels: Iterable[AnyLabel], answers: Iterable[Answer]) -> dict[str, Votes]:
    """What people call each answer, by query. A label of another answer than the recorded one says nothing.

    An answer that failed or broke off stays a failure, whatever it is called.
    """
    whole = [each for each in answers if each.answer is not None and each.error is None and each.complete is not False]
    texts = {answer.query: comparable(answer.answer or "") for answer in whole}
    return _votes(
        (each.query, each.label)
        for each in labels
        if isinstance(each, RefusalLabel) and _is_of(each, texts.get(each.query))
    )


def with_labels(matrices: Matrices, answers: Sequence[Answer], labels: Sequence[AnyLabel]) -> Labelled:
    """Apply every label of a citation, a passage or an answer."""
    kinds = refusals(labels, answers)
    useful = _votes(((e.query, e.passage), e.is_useful) for e in labels if isinstance(e, PassageLabel))
    cited = [label for label in labels if isinstance(label, CitationLabel)]
    citations, used = _with_citations(matrices.citations.to_dicts(), cited)
    retrieval = _with_usefulness(matrices.retrieval, useful)
    found = set(retrieval.filter(pl.col("useful").is_not_null() | pl.col("disputed")).select(_ITEM).iter_rows())
    texts = {answer.query: comparable(answer.answer) for answer in answers if answer.answer is not None}
    unused = (
        *(each for each in labels if isinstance(each, RefusalLabel) and not _is_of(each, texts.get(each.query))),
        *(each for each in labels if isinstance(each, PassageLabel) and (each.query, each.passage) not in found),
        *(each for place, each in enumerate(cited) if place not in used),
    )
    changed = matrices._replace(
        abstention=_with_kinds(matrices.abstention, kinds),
        retrieval=retrieval,
        citations=pl.DataFrame(citations, schema=SCHEMAS["citations"]),
    )
    return Labelled(changed, unused)


def _is_of(label: RefusalLabel, text: str | None) -> bool:
    return text is not None and (label.answer is None or comparable(label.answer) == text)


def _votes(said: Iterable[tuple[Any, V]]) -> dict[Any, Votes]:
    """Votes by what they are about."""
    given: dict[Any, list[V]] = {}
    for key, vote in said:
        given.setdefault(key, []).append(vote)
    return {key: Votes(majority(votes), len(set(votes)) > 1) for key, votes in given.items()}


def _with_kinds(abstention: pl.DataFrame, kinds: Mapping[str, Votes]) -> pl.DataFrame:
    rows: list[Row] = []
    for row in abstention.iter_rows(named=True):
        votes = kinds.get(row["query"])
        if votes is not None and votes.decided is not None:
            row |= {"observed": votes.decided, "invented": 0 if votes.decided in SILENT else None}
        rows.append(row | {"disputed": votes is not None and votes.is_disputed})
    return pl.DataFrame(rows, schema=SCHEMAS["abstention"])


_ITEM = ("query", pl.coalesce("passage", "document"))


def _with_usefulness(retrieval: pl.DataFrame, useful: Mapping[tuple[str, str], Votes]) -> pl.DataFrame:
    said = {
        "query": [query for query, _ in useful],
        "item": [passage for _, passage in useful],
        "useful": [votes.decided for votes in useful.values()],
        "disputed": [votes.is_disputed for votes in useful.values()],
    }
    types = SCHEMAS["retrieval"]
    labelled = pl.DataFrame(
        said, schema={"query": pl.String(), "item": pl.String(), **{n: types[n] for n in ("useful", "disputed")}}
    )
    rest = retrieval.drop("useful", "disputed").with_columns(pl.coalesce("passage", "document").alias("item"))
    joined = rest.join(labelled, on=["query", "item"], how="left", maintain_order="left").drop("item")
    return joined.with_columns(pl.col("disputed").fill_null(False)).select(list(types))


def _with_citations(rows: Sequence[Row], labels: Sequence[CitationLabel]) -> tuple[list[Row], set[int]]:
    """The rows as people see them, and the places of the labels that some row answers to."""
    by_query: dict[str, list[tuple[int, CitationLabel]]] = {}
    for place, label in enumerate(labels):
        by_query.setdefault(label.query, []).append((place, label))
    found: list[Row] = []
    used: set[int] = set()
    for row in rows:
        own = [(place, label) for place, label in by_query.get(row["query"], ()) if _covers(label, row)]
        used.update(place for place, _ in own)
        found.append(_decided(row, [label.label for _, label in own]) if own else row)
    return (with_redundant(found) if used else found), used


def _covers(label: CitationLabel, row: Row) -> bool:
    if row["missing"]:
        return False
    is_named = row["passage"] == label.passage if label.passage is not None else _bare(row) == _bare(label)
    if label.statement is None or not is_named:
        return is_named
    return row["text"] is not None and comparable(row["text"]) == comparable(label.statement)


def _bare(marked: Row | CitationLabel) -> str:
    marker = marked.marker if isinstance(marked, CitationLabel) else marked["marker"]
    return (marker or "").strip(_MARKS)


def _decided(row: Row, votes: Sequence[str]) -> Row:
    """A link that people decided. Which fault a link without support has stays as the judge saw it, where one did."""
    verdict = majority(votes)
    is_disputed = len(set(votes)) > 1
    if verdict is None:
        return row | {"disputed": True}
    was_faulty = bool(row["wrong_source"])
    return row | {
        "supports": verdict == "supports",
        "contradicting": verdict == "contradicts",
        "wrong_source": verdict == "neutral" and was_faulty,
        "unrelated": verdict == "neutral" and not was_faulty,
        "redundant": False,
        "error": None,
        "disputed": is_disputed,
    }
