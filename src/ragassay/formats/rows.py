"""Rows that hold a query, an answer or both, into records."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ragassay.formats.fields import Fields, convert
from ragassay.formats.jsonl import Row
from ragassay.formats.own import ANSWER, QUERY
from ragassay.formats.reading import Misfit, Reading, Unfit
from ragassay.records import Answer, Query, Relevance, Result
from ragassay.text.normalise import comparable

_ANSWER_NAMES = frozenset(field.name for field in ANSWER.values())
_QUERY_NAMES = frozenset(field.name for field in QUERY.values()) - {"question"}
_INPUT_ONLY = frozenset({"contexts", "context_ids", "gold_texts", "gold_ids"})


class Holding(NamedTuple):
    """What the rows of a file hold, judged by all of its field names together."""

    queries: bool
    answers: bool


def holding(names: Iterable[str], fields: Fields) -> Holding:
    """A file with `query` refers to queries that stand elsewhere, unless it labels them too."""
    ours = {fields[name].name for name in names if name in fields}
    labelled = bool(ours & (_QUERY_NAMES | {"gold_texts", "gold_ids", "id"}))
    answered = bool(ours & (_ANSWER_NAMES | {"contexts", "context_ids", "query"}))
    return Holding(queries=labelled or ("question" in ours and "query" not in ours), answers=answered)


class Identities:
    """Ids of queries for rows that may have only the text of the question."""

    def __init__(self, queries: Sequence[Query]) -> None:
        self._ids = {query.id for query in queries}
        self._by_question: dict[str, set[str]] = {}
        for query in queries:
            if query.question is not None:
                self._by_question.setdefault(comparable(query.question), set()).add(query.id)

    def identify(self, values: dict[str, Any], reading: Reading) -> str:
        """Takes `query` and `id` out of the values.

        The row's `query`, else its `id`, else the id of the known query with this question, else an id made from the
        question's text, else the row number.
        """
        own, query = values.pop("id", None), values.pop("query", None)
        if query is not None and own is not None and own != query:
            reading.note("two_ids", "rows have both id and query; query names the query", own)
        given = query if query is not None else own
        if given is not None:
            return given if given in self._ids else self._asked(given) or given
        question = values.get("question")
        if question is None:
            reading.note("ids_from_rows", "rows without id and question are called by their row number")
            return f"row-{reading.line}"
        known = self._asked(question)
        if known is not None:
            return known
        reading.note("ids_from_questions", "rows without id have an id made from the text of their question")
        return question_id(question)

    def _asked(self, question: str) -> str | None:
        found = self._by_question.get(comparable(question), set[str]()) if self._by_question else set[str]()
        if len(found) > 1:
            raise Unfit(
                Misfit(question, "the id of the query", f"several queries ask this: {', '.join(sorted(found)[:3])}")
            )
        return next(iter(found), None)


def question_id(question: str) -> str:
    """A stable id: the same question has the same id in every file."""
    return "q-" + _digest(question)


def passage_id(text: str) -> str:
    """A stable id for a passage that is known only by its text: equal after normalisation, never by containment."""
    return "text-" + _digest(text)


def _digest(text: str) -> str:
    return hashlib.sha256(comparable(text).encode("utf-8", "replace")).hexdigest()[:16]


def read_rows(
    rows: Iterable[Row], fields: Fields, held: Holding, reading: Reading, known: Sequence[Query] = ()
) -> tuple[list[Query], list[Answer]]:
    """The queries and answers that the rows hold. Faults go to `reading`."""
    identities = Identities(known)
    queries: dict[str, Query] = {}
    answers: dict[str, Answer] = {}
    for line, cells in rows:
        reading.line = line
        try:
            values = convert(reading, cells, fields)
            identity = identities.identify(values, reading)
            _join_texts(values, reading)
        except Unfit as unfit:
            reading.misfits(unfit)
            continue
        answer = {name: values.pop(name) for name in _ANSWER_NAMES if name in values}
        if held.queries:
            _keep(queries, identity, Query(id=identity, **values), reading)
        if held.answers:
            _keep(answers, identity, Answer(query=identity, **answer), reading)
    return list(queries.values()), list(answers.values())


def _keep(records: dict[str, Any], identity: str, record: Query | Answer, reading: Reading) -> None:
    if identity not in records:
        records[identity] = record
        return
    kind = "query" if isinstance(record, Query) else "answer"
    reading.fault(
        f"duplicate_{kind}",
        f"the file holds two {'queries with one id' if kind == 'query' else 'answers to one query'}",
        field="id" if kind == "query" else "query",
        value=repr(identity),
        expected="one row each",
        remedy="remove one of the rows, or give each row an id of its own",
    )


def _join_texts(values: dict[str, Any], reading: Reading) -> None:
    """Contexts and gold that are known by text, with their ids where the row gives them."""
    extra = {name: values.pop(name) for name in _INPUT_ONLY if name in values}
    if extra.keys() & {"contexts", "context_ids"}:
        _once(values, "retrieved")
        values["retrieved"] = _retrieved(extra, reading)
    if extra.keys() & {"gold_texts", "gold_ids"}:
        _once(values, "relevant")
        values["relevant"] = _gold(extra, values.get("retrieved", ()))


def _once(values: Mapping[str, Any], name: str) -> None:
    if name in values:
        raise Unfit(Misfit(f"two columns for {name}", f"{name} given once", "remove one of the columns", f".{name}"))


def _retrieved(extra: Mapping[str, Any], reading: Reading) -> tuple[Result, ...]:
    contexts: tuple[Result, ...] | None = extra.get("contexts")
    ids: tuple[str, ...] | None = extra.get("context_ids")
    if contexts is None:
        return tuple(Result(passage=each) for each in ids or ())
    if ids is not None:
        if len(ids) != len(contexts):
            raise Unfit(
                Misfit(f"{len(ids)} ids", f"{len(contexts)} ids, one for each context", path=".retrieved_context_ids")
            )
        return tuple(_with_passage(context, each) for context, each in zip(contexts, ids, strict=True))
    if contexts and all(not (context.text or "").strip() and context.document is None for context in contexts):
        reading.note("empty_context", "contexts of nothing but blanks count as nothing retrieved")
        return ()
    return tuple(
        context if context.passage is not None else _with_passage(context, passage_id(context.text or ""))
        for context in contexts
    )


def _with_passage(result: Result, passage: str) -> Result:
    return Result(
        passage=passage,
        document=result.document,
        revision=result.revision,
        score=result.score,
        rank=result.rank,
        text=result.text,
    )


def _gold(extra: Mapping[str, Any], retrieved: Iterable[Result]) -> tuple[Relevance, ...]:
    """Gold ids; gold known by text alone has the ids of retrieved passages with an equal text, else one of its own."""
    if "gold_ids" in extra:
        return tuple(Relevance(passage=each) for each in dict.fromkeys(extra["gold_ids"]))
    ids: dict[str, list[str]] = {}
    for result in retrieved:
        if result.text is not None and result.passage is not None:
            ids.setdefault(comparable(result.text), []).append(result.passage)
    gold: dict[tuple[str, str | None], Relevance] = {}
    for position, text in enumerate((each for each in extra["gold_texts"] if each.strip()), start=1):
        same = list(dict.fromkeys(ids.get(comparable(text), []))) or [passage_id(text)]
        need = str(position) if len(same) > 1 else None
        for each in same:
            gold.setdefault((each, need), Relevance(passage=each, need=need))
    return tuple(gold.values())
