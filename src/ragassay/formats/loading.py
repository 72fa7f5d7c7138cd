"""Files and folders into records."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ragassay.formats import long
from ragassay.formats.bundle import Bundle
from ragassay.formats.card import CARD_NAME, load_card
from ragassay.formats.fields import Fields, convert
from ragassay.formats.folder import ROLES, is_file, is_folder, member, split
from ragassay.formats.lock import check_lock
from ragassay.formats.own import ANSWER, Form
from ragassay.formats.reading import Reading, Unfit
from ragassay.formats.recognise import DOCUMENTS, LONG, recognise, row_forms
from ragassay.formats.regression import read_cases, with_cases
from ragassay.formats.rows import holding, read_rows
from ragassay.formats.tables import Table, read_table
from ragassay.records import Answer, DatasetCard, Document, Fault, FaultyInput, Notice, Query, Unit

_WHOLE = re.compile(r"\d+\.0")
_IDS = frozenset({"id", "query", "document", "passage"})


class Part(NamedTuple):
    """What one file held."""

    queries: Sequence[Query] = ()
    answers: Sequence[Answer] = ()
    documents: tuple[Document, ...] | None = None
    notices: Sequence[Notice] = ()
    input: str | None = None


def load_dataset(path: Path) -> Bundle:
    """Queries with their gold, from a dataset folder or one file; answers and corpus too, where they lie beside them.

    Raises `FaultyInput` with every fault of every file.
    """
    if is_folder(path):
        return _load_folder(path)
    bundle = load_file(path)
    if not bundle.queries:
        raise Reading(path.name).stop(
            "no_queries", "the file holds answers and no queries", expected="queries with gold", remedy=_SWAPPED
        )
    return bundle


def load_file(path: Path) -> Bundle:
    """Whatever one file holds: queries, answers or both. Raises `FaultyInput` with every fault."""
    return _bundle([_read(path, path.name)], DatasetCard())


def load_answers(path: Path, queries: Sequence[Query] = ()) -> Bundle:
    """Recorded answers, from one file or from the `answers` or `run` file of a folder.

    `queries` give their ids to answers that have only the text of the question. Raises `FaultyInput` with every fault.
    """
    if is_folder(path):
        found = member(path, "answers") or member(path, "run")
        if found is None:
            raise Reading(path.name).stop(
                "no_answers", "the folder holds no answers", expected="answers.jsonl or run.txt"
            )
        path = found
    part = _read(path, path.name, known=queries)
    if not part.answers:
        raise Reading(path.name).stop(
            "no_answers", "the file holds queries and no answers", expected="answers or a run", remedy=_SWAPPED
        )
    return _bundle([part], DatasetCard())


def load_corpus(path: Path) -> Bundle:
    """The documents of a corpus file, or of the corpus file of a folder.

    Raises `FaultyInput` with every fault.
    """
    found = member(path, "corpus") if is_folder(path) else path
    if found is None:
        raise Reading(path.name).stop("no_corpus", "the folder holds no corpus", expected="corpus.jsonl")
    return _bundle([_read_corpus(found)], DatasetCard())


_SWAPPED = "give the dataset first and the answers second"


def _load_folder(folder: Path) -> Bundle:
    faults: list[Fault] = []
    card, parts = DatasetCard(), dict[str, Part]()
    files = {role: path for role in ROLES if (path := member(folder, role))}
    splitted = split(folder)
    if is_file(folder / CARD_NAME):
        try:
            card = load_card(folder / CARD_NAME)
        except FaultyInput as error:
            faults.extend(error.faults)
    if splitted is not None:
        files.setdefault("qrels", splitted)
    if "queries" not in files and "qrels" not in files:
        expected = "queries.jsonl, or qrels.txt"
        raise Reading(folder.name).stop("no_queries", "the folder holds no queries", expected=expected)
    for role, path in files.items():
        known = parts["queries"].queries if "queries" in parts else ()
        try:
            name = path.relative_to(folder).as_posix()
            parts[role] = _read_corpus(path) if role == "corpus" else _read(path, name, card.unit or "document", known)
        except FaultyInput as error:
            faults.extend(error.faults)
    try:
        cases = read_cases(folder)
    except FaultyInput as error:
        cases = ()
        faults.extend(error.faults)
    if faults:
        raise FaultyInput(faults)
    if "qrels" in parts:
        parts["queries"] = _labelled(parts.get("queries"), parts.pop("qrels"), splitted is not None)
    bundle = with_cases(_bundle(list(parts.values()), card), cases)
    mismatch = check_lock(folder)
    return bundle if mismatch is None else msgspec.structs.replace(bundle, notices=(*bundle.notices, mismatch))


def _bundle(parts: Sequence[Part], card: DatasetCard) -> Bundle:
    documents = [part.documents for part in parts if part.documents is not None]
    return Bundle(
        queries=tuple(query for part in parts for query in part.queries),
        answers=tuple(answer for part in parts for answer in part.answers),
        documents=documents[0] if documents else None,
        card=card,
        notices=tuple(notice for part in parts for notice in part.notices),
        inputs=tuple(name for part in parts if part.input is not None for name in part.input.split("\n")),
    )


def _read(path: Path, name: str, unit: Unit = "document", known: Sequence[Query] = ()) -> Part:
    reading = Reading(name)
    table = read_table(path, reading)
    names = table.names()
    form = recognise(names, (*LONG, *row_forms(unit)), reading)
    if table.form == "CSV":
        _mend_ids(table, form.fields, reading)
    queries: list[Query] = []
    answers: list[Answer] = []
    if form is long.RUN:
        answers = long.answers_from(table.rows, form.fields, reading)
    elif form in LONG:
        queries = long.queries_from(table.rows, form.fields, reading)
    else:
        _check_question(form, names, reading)
        queries, answers = read_rows(table.rows, form.fields, holding(names, form.fields), reading, known)
    reading.raise_faults()
    return Part(queries, answers, None, reading.notices(tuple(form.fields)), _input(name, form, table))


def _read_corpus(path: Path) -> Part:
    reading = Reading(path.name)
    table = read_table(path, reading)
    form = recognise(table.names(), DOCUMENTS, reading)
    if table.form == "CSV":
        _mend_ids(table, form.fields, reading)
    documents: dict[tuple[str, str | None], Document] = {}
    for line, cells in table.rows:
        reading.line = line
        try:
            values = convert(reading, cells, form.fields)
        except Unfit as unfit:
            reading.misfits(unfit)
            continue
        if "document" not in values:
            reading.fault("no_id", "the document has no id", field="document", expected="an id in every row")
            continue
        document = Document(**values)
        if documents.setdefault((document.document, document.revision), document) is not document:
            reading.fault(
                "duplicate_document",
                "two rows describe one revision of one document",
                field="document",
                value=repr(document.document),
                expected="one row for each document and revision",
                remedy="give each row its revision, or remove one",
            )
    reading.raise_faults()
    return Part((), (), tuple(documents.values()), reading.notices(tuple(form.fields)), _input(path.name, form, table))


def _input(name: str, form: Form, table: Table) -> str:
    return f"{name} ({form.name} {table.form}{', ' + table.encoding if table.encoding else ''})"


def _check_question(form: Form, names: set[str], reading: Reading) -> None:
    """`id` with `query` and nothing answered: the author meant `query` as the question."""
    if form.name == "own" and {"id", "query"} <= names and "question" not in names and not names & ANSWER.keys():
        reading.line = None
        reading.fault(
            "ambiguous_query",
            "`query` is the id of a query, and these rows have `id` too",
            field="query",
            expected="the text of the question in the field question",
            remedy="rename query to question",
        )


def _mend_ids(table: Table, fields: Fields, reading: Reading) -> None:
    """A whole column of `101.0` is a column of whole numbers that had gaps; other texts stay as they are."""
    reading.line = None
    for name in table.names():
        cells = [row.fields for row in table.rows if name in row.fields]
        if name in fields and fields[name].name in _IDS and all(_WHOLE.fullmatch(str(cell[name])) for cell in cells):
            for cell in cells:
                cell[name] = str(cell[name]).removesuffix(".0")
            reading.note("whole_ids", "ids written as 1.0 are read as 1", name)


def _labelled(queries: Part | None, qrels: Part, is_split: bool) -> Part:
    """Queries with the gold that stands in a file of its own. A split keeps only the queries that it judges."""
    if queries is None:
        return qrels
    gold = {query.id: query for query in qrels.queries}
    twice = [query.id for query in queries.queries if query.relevant is not None and query.id in gold]
    if twice:
        raise Reading("qrels").stop(
            "two_golds", "queries have gold in both files", value=", ".join(twice[:5]), remedy="keep one"
        )
    asked = {query.id for query in queries.queries}
    notices: list[Notice] = [*queries.notices, *qrels.notices]
    kept: list[Query] = []
    outside: list[str] = []
    for query in queries.queries:
        if query.id in gold:
            kept.append(msgspec.structs.replace(query, relevant=gold[query.id].relevant))
        elif is_split and query.relevant is None:
            outside.append(query.id)
        else:
            kept.append(query)
    missing = [query for query in qrels.queries if query.id not in asked]
    if outside:
        notices.append(_listing("not_in_split", "queries that the split does not judge were left out", outside))
    if missing:
        notices.append(_listing("no_question", "judged queries have no question", [query.id for query in missing]))
    return Part([*kept, *missing], queries.answers, None, notices, f"{queries.input}\n{qrels.input}")


def _listing(code: str, message: str, ids: Sequence[str]) -> Notice:
    return Notice(code=code, count=len(ids), message=message, samples=tuple(ids[:5]))
