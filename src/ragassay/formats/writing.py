"""Records into files: our own JSON Lines and Parquet lose nothing; TREC and ragas say what they cannot hold."""

import io
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import msgspec
import polars as pl

from ragassay.formats.atomic import replace_file
from ragassay.formats.bundle import Bundle
from ragassay.formats.card import CARD_NAME, card_text
from ragassay.formats.reading import shown
from ragassay.formats.schemas import AS_JSON, SCHEMAS
from ragassay.formats.trec import is_column
from ragassay.records import Answer, DatasetCard, Fault, FaultyInput, Notice, Query, Relevance, Result

Writer = Callable[[Bundle, Path], tuple[Notice, ...]]


def write_jsonl(bundle: Bundle, folder: Path) -> tuple[Notice, ...]:
    """A dataset folder of our own JSON Lines. Nothing is lost; `FaultyInput` where a value is no strict JSON."""
    contents = {f"{role}.jsonl": _lines(f"{role}.jsonl", rows) for role, rows in _tables(bundle).items()}
    return _write_folder(bundle, folder, contents)


def write_parquet(bundle: Bundle, folder: Path) -> tuple[Notice, ...]:
    """A dataset folder of Parquet files. Nothing is lost; objects of free form stand as JSON text."""
    contents = {f"{role}.parquet": _parquet(role, rows) for role, rows in _tables(bundle).items()}
    return _write_folder(bundle, folder, contents)


def _write_folder(bundle: Bundle, folder: Path, contents: dict[str, bytes]) -> tuple[Notice, ...]:
    for name, content in {CARD_NAME: card_text(bundle.card).encode(), **contents}.items():
        replace_file(folder / name, content)
    return ()


def _tables(bundle: Bundle) -> dict[str, list[dict[str, Any]]]:
    records: dict[str, Sequence[msgspec.Struct]] = {
        "queries": bundle.queries,
        "answers": bundle.answers,
        "corpus": bundle.documents or (),
    }
    return {role: [_plain(record) for record in given] for role, given in records.items() if given}


def _plain(record: msgspec.Struct) -> dict[str, Any]:
    return msgspec.to_builtins(record, builtin_types=(date,))


def _lines(name: str, rows: Iterable[dict[str, Any]]) -> bytes:
    lines: list[bytes] = []
    for number, row in enumerate(rows, start=1):
        lines.append(_json(row, name, number).encode() + b"\n")
    return b"".join(lines)


def _json(value: object, name: str, line: int) -> str:
    """Strict JSON in characters that UTF-8 can hold. NaN is refused: nothing else would read it."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=date.isoformat)
        text.encode()
    except (ValueError, TypeError) as error:
        raise FaultyInput([_unwritable(name, line, str(error))]) from None
    return text


def _unwritable(name: str, line: int | None, reason: str) -> Fault:
    return Fault(
        code="unwritable", message=f"cannot be written: {reason}", file=name, line=line, remedy="mend the record"
    )


def _parquet(role: str, rows: Sequence[dict[str, Any]]) -> bytes:
    name = f"{role}.parquet"
    cells = [
        {key: _json(value, name, number) if key in AS_JSON else value for key, value in row.items()}
        for number, row in enumerate(rows, start=1)
    ]
    stream = io.BytesIO()
    try:
        pl.DataFrame(cells, schema=SCHEMAS[role], strict=True).write_parquet(stream)
    except (pl.exceptions.PolarsError, ValueError, OverflowError, TypeError) as error:
        raise FaultyInput([_unwritable(name, None, str(error))]) from None
    return stream.getvalue()


def write_trec(bundle: Bundle, folder: Path) -> tuple[Notice, ...]:
    """`qrels.txt` and `run.txt`: ids, grades and order; the notices name what TREC cannot hold.

    A run is ordered by score alone, so where the recorded scores do not fall with the rank, the distance from the end
    of the list is written instead. Raises `FaultyInput` for ids with white space in them.
    """
    is_passages = any(each.passage is not None for query in bundle.queries for each in query.relevant or ())
    qrels = [
        (query.id, "0", relevance.id, f"{relevance.grade:.17g}")
        for query in bundle.queries
        for relevance in query.relevant or ()
    ]
    run = [line for answer in bundle.answers for line in _run_lines(answer, is_passages)]
    faults = [*_blank_ids("qrels.txt", qrels), *_blank_ids("run.txt", run)]
    if faults:
        raise FaultyInput(faults)
    for name, lines in (("qrels.txt", qrels), ("run.txt", run)):
        if lines:
            replace_file(folder / name, "".join(" ".join(line) + "\n" for line in lines).encode())
    carried = frozenset({"id", "relevant"}), frozenset({"query", "retrieved", "ordered"})
    return _not_carried("TREC", bundle, carried, _trec_losses(bundle, is_passages))


def _run_lines(answer: Answer, is_passages: bool) -> list[tuple[str, ...]]:
    named = [(each, identity) for each in answer.retrieved or () if (identity := _id(each, is_passages)) is not None]
    scores = [each.score for each, _ in named]
    if answer.ordered and not _falling(scores):
        scores = [float(len(named) - position) for position in range(len(named))]
    tag = answer.system if answer.system and is_column(answer.system) else "ragassay"
    return [
        (answer.query, "Q0", identity, str(position), repr(score or 0.0), tag)
        for position, ((_, identity), score) in enumerate(zip(named, scores, strict=True), start=1)
    ]


def _falling(scores: Sequence[float | None]) -> bool:
    given = [score for score in scores if score is not None]
    return len(given) == len(scores) and all(above > below for above, below in pairwise(given))


def _id(result: Result, is_passages: bool) -> str | None:
    first, second = (result.passage, result.document) if is_passages else (result.document, result.passage)
    return first if first is not None else second


def _blank_ids(name: str, lines: Iterable[tuple[str, ...]]) -> list[Fault]:
    return [
        Fault(
            code="blank_in_id",
            message="TREC separates columns by white space",
            file=name,
            line=number,
            value=shown(column),
            expected="ids without white space",
            remedy="convert to JSON Lines or Parquet instead",
        )
        for number, line in enumerate(lines, start=1)
        for column in line
        if not is_column(column)
    ]


def _trec_losses(bundle: Bundle, is_passages: bool) -> list[str]:
    results = [result for answer in bundle.answers for result in answer.retrieved or ()]
    gold = [relevance for query in bundle.queries for relevance in query.relevant or ()]
    counts = {
        "queries without gold": sum(not query.relevant for query in bundle.queries),
        "answers without results": sum(not answer.retrieved for answer in bundle.answers),
        "needs of gold": sum(each.need is not None for each in gold),
        "results known by text alone": sum(_id(each, is_passages) is None for each in results),
        "texts of results": sum(each.text is not None for each in results),
        "revisions of results": sum(each.revision is not None for each in results),
        "passages of documents": sum(None not in (each.passage, each.document) for each in results),
        "that ids are of passages": int(is_passages),
    }
    return [f"{what} ({count})" for what, count in counts.items() if count]


def write_ragas(bundle: Bundle, path: Path) -> tuple[Notice, ...]:
    """A JSON Lines file of ragas samples; the notices name what a sample cannot hold."""
    answers = {answer.query: answer for answer in bundle.answers}
    asked = {query.id for query in bundle.queries}
    pairs: list[tuple[Query, Answer | None]] = [(query, answers.get(query.id)) for query in bundle.queries]
    pairs += [(Query(id=answer.query), answer) for answer in bundle.answers if answer.query not in asked]
    replace_file(path, _lines(path.name, (_sample(query, answer) for query, answer in pairs)))
    carried = frozenset({"id", "question", "reference", "relevant"}), frozenset({"query", "answer", "retrieved"})
    return _not_carried("ragas", bundle, carried, _ragas_losses(bundle))


def _sample(query: Query, answer: Answer | None) -> dict[str, object]:
    results = answer.retrieved if answer is not None else None
    texts = [result.text for result in results or ()]
    ids = [_id(result, True) for result in results or ()]
    gold = None if query.relevant is None else [each.id for each in query.relevant if each.grade > 0]
    sample: dict[str, object] = {
        "user_input": query.question,
        "retrieved_contexts": None if results is None or None in texts else texts,
        "retrieved_context_ids": None if results is None or None in ids else ids,
        "reference_context_ids": gold,
        "response": answer.answer if answer is not None else None,
        "reference": query.reference,
    }
    return {name: value for name, value in sample.items() if value is not None}


def _ragas_losses(bundle: Bundle) -> list[str]:
    results = [each for answer in bundle.answers for each in answer.retrieved or ()]
    gold: list[Relevance] = [each for query in bundle.queries for each in query.relevant or ()]
    counts = {
        "ids of queries": len(bundle.queries) or len(bundle.answers),
        "grades and needs of gold": sum(each.grade != 1 or each.need is not None for each in gold),
        "documents beside passages": sum(None not in (each.passage, each.document) for each in results),
        "scores": sum(each.score is not None for each in results),
        "revisions": sum(each.revision is not None for each in results),
        "texts or ids that only some results of a query have": sum(
            0 < sum(value is None for value in values) < len(values)
            for answer in bundle.answers
            for values in (
                [each.text for each in answer.retrieved or ()],
                [_id(each, True) for each in answer.retrieved or ()],
            )
        ),
    }
    return [f"{what} ({count})" for what, count in counts.items() if count]


def _not_carried(
    form: str, bundle: Bundle, carried: tuple[frozenset[str], frozenset[str]], losses: Sequence[str]
) -> tuple[Notice, ...]:
    """Notice `not_carried` that lists every given field and part that the form has no place for."""
    names = _given("queries", bundle.queries, carried[0]) + _given("answers", bundle.answers, carried[1])
    names += [f"the corpus ({len(bundle.documents)})"] if bundle.documents else []
    names += ["the dataset card"] if bundle.card != DatasetCard() else []
    lost = (*names, *losses)
    if not lost:
        return ()
    message = f"{form} has no place for parts of the data"
    return (Notice(code="not_carried", count=len(lost), message=message, samples=lost),)


def _given(role: str, records: Sequence[Query] | Sequence[Answer], carried: frozenset[str]) -> list[str]:
    given: dict[str, int] = {}
    for record in records:
        for name in cast("dict[str, object]", msgspec.to_builtins(record)):
            given[name] = given.get(name, 0) + 1
    return [f"{name} of {role} ({count})" for name, count in given.items() if name not in carried]
