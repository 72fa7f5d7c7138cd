"""One row for each query and document: relevance judgements and runs, from TREC, BEIR, CSV or Parquet alike."""

from collections.abc import Iterable
from typing import Any

from ragassay.formats.fields import Field, Fields, convert, count, identity, number
from ragassay.formats.jsonl import Row
from ragassay.formats.own import Form
from ragassay.formats.reading import Misfit, Reading, Unfit
from ragassay.records import Answer, Query, Relevance, Result

_QUERY = Field("query", identity("query"))
_DOCUMENT = Field("document", identity("document"))
_PASSAGE = Field("passage", identity("passage"))
_GRADE = Field("grade", number)
QUERY_NAMES = ("query_id", "query-id", "qid", "query")
DOCUMENT_NAMES = ("doc_id", "document_id", "corpus-id", "corpus_id", "docid", "docno", "document")
PASSAGE_NAMES = ("passage_id", "passage")
GRADE_NAMES = ("grade", "relevance", "rel", "label")
_IDS: Fields = {
    **dict.fromkeys(QUERY_NAMES, _QUERY),
    **dict.fromkeys(DOCUMENT_NAMES, _DOCUMENT),
    **dict.fromkeys(PASSAGE_NAMES, _PASSAGE),
}


def _signs(*values: str) -> tuple[frozenset[str], ...]:
    sources = DOCUMENT_NAMES + PASSAGE_NAMES
    return tuple(frozenset({query, source, value}) for query in QUERY_NAMES for source in sources for value in values)


QRELS = Form("qrels", _signs(*GRADE_NAMES), {**_IDS, **dict.fromkeys(GRADE_NAMES, _GRADE)})
BEIR_QRELS = Form("BEIR qrels", (frozenset({"query-id", "corpus-id", "score"}),), {**_IDS, "score": _GRADE})
RUN = Form("run", _signs("score", "rank"), {**_IDS, "score": Field("score", number), "rank": Field("rank", count)})


def queries_from(rows: Iterable[Row], fields: Fields, reading: Reading) -> list[Query]:
    """Queries without text, each with the gold that the rows name, in order of first appearance."""
    gold: dict[str, dict[tuple[str | None, str | None], Relevance]] = {}
    for values in _converted(rows, fields, reading):
        judged = Relevance(**values["source"], **values["judged"])
        known = gold.setdefault(values["query"], {}).setdefault((judged.document, judged.passage), judged)
        if known.grade != judged.grade:
            reading.fault(
                "two_grades",
                f"query {values['query']!r} grades {judged.id!r} twice",
                value=f"{judged.grade:g}",
                expected=f"{known.grade:g}, as before",
                remedy="keep one line for each query and document",
            )
        elif known is not judged:
            reading.note("repeated_gold", "gold ids named more than once for a query count once")
    return [Query(id=query, relevant=tuple(relevant.values())) for query, relevant in gold.items()]


def answers_from(rows: Iterable[Row], fields: Fields, reading: Reading) -> list[Answer]:
    """Answers that consist of what was retrieved.

    With ranks, the results are in order of rank. With scores alone they are sorted by score, highest first, and
    `ordered` is False: equal scores have no order.
    """
    found: dict[str, list[Result]] = {}
    ranked: set[bool] = set()
    for values in _converted(rows, fields, reading):
        result = Result(**values["source"], **values["judged"])
        ranked.add(result.rank is not None)
        found.setdefault(values["query"], []).append(result)
    if len(ranked) > 1:
        reading.fault(
            "mixed_order", "some rows have a rank and others do not", field="rank", expected="a rank in every row"
        )
    ordered = ranked == {True}
    return [_answer(query, results, ordered, reading) for query, results in found.items()]


def _answer(query: str, results: list[Result], ordered: bool, reading: Reading) -> Answer:
    if not ordered:
        unscored = sum(result.score is None for result in results)
        if unscored:
            reading.line = None
            reading.fault(
                "no_score", f"{unscored} results of query {query!r} have neither score nor rank", field="score"
            )
        by_score = sorted(results, key=lambda result: -(result.score or 0.0))
        return Answer(query=query, retrieved=tuple(by_score), ordered=False)
    ranks = [result.rank for result in results]
    if len(set(ranks)) != len(ranks):
        reading.line = None
        reading.fault(
            "repeated_rank", f"query {query!r} gives one rank twice", field="rank", expected="a different rank each"
        )
    by_rank = sorted(results, key=lambda result: result.rank or 0)
    return Answer(query=query, retrieved=tuple(_without_rank(result) for result in by_rank))


def _without_rank(result: Result) -> Result:
    """The order says it all, whether the file counts ranks from 0 or from 1."""
    return Result(passage=result.passage, document=result.document, score=result.score)


def _converted(rows: Iterable[Row], fields: Fields, reading: Reading) -> Iterable[dict[str, Any]]:
    for line, cells in rows:
        reading.line = line
        try:
            values = convert(reading, cells, fields)
            query = values.pop("query", None)
            source = {kind: values.pop(kind) for kind in ("passage", "document") if kind in values}
            if query is None or not source:
                raise Unfit(Misfit(sorted(cells), "a query id and a document id in every row"))
        except Unfit as unfit:
            reading.misfits(unfit)
            continue
        yield {"query": query, "source": source, "judged": values}
