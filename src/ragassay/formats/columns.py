"""Gold and runs as columns, in slices of whole queries: TREC, Parquet, frames, and every long form of the row readers.

Clean tables pass at full speed. What is not clean (odd blanks, gaps, foreign spellings of an id) goes to the row
readers, which mend it or say line by line what is wrong.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from ragassay.formats import long
from ragassay.formats.encoding import GZIP_MAGIC, read_bytes
from ragassay.formats.jsonl import Row
from ragassay.formats.own import Form
from ragassay.formats.reading import Reading
from ragassay.formats.recognise import recognise
from ragassay.formats.tables import PARQUET_MAGIC, read_table
from ragassay.formats.trec import is_trec
from ragassay.matrices.gold import gold_id
from ragassay.metrics.columns import Gold, Judgements, Slice, keys_of, repeated
from ragassay.metrics.ranking import Ints
from ragassay.records import Unit

Source = Path | pl.DataFrame | pl.LazyFrame
ROWS = 250_000
"""Rows read at a time: the unit of memory."""
GOLD_FORMS = (long.QRELS, long.BEIR_QRELS)
RUN_FORMS = (long.RUN,)
SHOWN_FAULTS = 20
_HEAD = 4096
_TREC_GOLD = ("query_id", "iteration", "doc_id", "grade")
_TREC_RUN = ("query_id", "iteration", "doc_id", "position", "score", "tag")


class NotClean(Exception):
    """The columns cannot be taken as they are; the row readers must look at each value."""


class Layout(NamedTuple):
    """The columns of a table that hold the query, the id and the value. `ranked`: the value is a rank, 1 the best."""

    query: str
    id: str
    value: str
    ranked: bool


class Table(NamedTuple):
    """A table not yet read. `lazy` and `layout` are None where only the row readers can read it."""

    name: str
    source: Source
    lazy: pl.LazyFrame | None
    layout: Layout | None


class RunTable:
    """A run, read in slices of whole queries. `ranked`: ranks gave the order, and none may occur twice in a query."""

    def __init__(self, table: Table, unit: Unit) -> None:
        self.name = table.name
        self._table = table
        self._unit: Unit = unit
        self.ranked = table.layout is not None and table.layout.ranked

    def slices(self) -> Iterator[Slice]:
        """The run at full speed; a query whose rows lie apart comes more than once. Raises `NotClean`."""
        lazy, layout = self._table.lazy, self._table.layout
        if lazy is None or layout is None:
            raise NotClean
        try:
            batches = lazy.select(*layout[:3]).collect_batches(chunk_size=ROWS, maintain_order=True)
            yield from _sliced((_clean(batch, layout) for batch in batches), self.ranked)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            raise NotClean from None

    def gathered(self) -> Iterator[Slice]:
        """The run by way of memory, the results of each query together. Raises `FaultyInput` with every fault."""
        try:
            frame = _collected(self._table)
        except NotClean:
            frame, self.ranked = _run_by_rows(self._table, self._unit)
        ordered = frame.sort("query", maintain_order=True)
        yield from _sliced(ordered.iter_slices(ROWS), self.ranked)


def read_run(source: Source, unit: Unit) -> RunTable:
    """A run whose ids are counted in `unit`. Ranks are the order where they are given, otherwise scores are."""
    return RunTable(_table(source, "run", unit), unit)


def read_gold(source: Source) -> tuple[Gold, Unit]:
    """The gold and its unit. Raises `FaultyInput` with every fault."""
    table = _table(source, "gold", "document")
    unit: Unit = "passage" if table.layout is not None and table.layout.id in long.PASSAGE_NAMES else "document"
    try:
        frame = _collected(table)
    except NotClean:
        frame, unit = _gold_by_rows(table)
    reading = Reading(table.name)
    if not len(frame):
        raise reading.stop("no_queries", "the gold holds no judgements", expected="at least one row")
    heads, offsets = _stretches(frame["query"])
    queries = heads.unique(maintain_order=True)
    if len(queries) < len(heads):
        frame = frame.sort("query", maintain_order=True)
        queries, offsets = _stretches(frame["query"])
    query = np.repeat(np.arange(len(queries)), np.diff(offsets))
    gold = Gold(Judgements(queries, query, frame["value"].to_numpy()), frame["id"])
    rows = repeated(keys_of(gold.id, query), offsets, gold.id)
    if len(rows):
        _fault_repeats(frame[rows.tolist()], reading)
    return gold, unit


def _fault_repeats(repeats: pl.DataFrame, reading: Reading) -> None:
    for query, identity, _ in repeats.head(SHOWN_FAULTS).iter_rows():
        reading.fault(
            "duplicate_gold",
            f"query {query!r} judges {identity!r} more than once ({len(repeats)} such rows in all)",
            expected="one row for each query and id",
            remedy="remove all rows of a pair but one",
        )
    reading.raise_faults()


def _table(source: Source, role: Literal["gold", "run"], unit: Unit) -> Table:
    forms, columns = (GOLD_FORMS, _TREC_GOLD) if role == "gold" else (RUN_FORMS, _TREC_RUN)
    if not isinstance(source, Path):
        lazy = source.lazy()
        return Table(role, source, lazy, _layout(_names(lazy, Reading(role)), forms, unit, Reading(role)))
    reading = Reading(source.name)
    head = _head(source, reading)
    if head.startswith(PARQUET_MAGIC):
        lazy = pl.scan_parquet(source)
        return Table(source.name, source, lazy, _layout(_names(lazy, reading), forms, unit, reading))
    line = head.split(b"\n", 1)[0]
    if is_trec(line.decode("utf-8", "replace")):
        value = "grade" if role == "gold" else "score"
        lazy = _trec(source, "\t" if b"\t" in line else " ", columns, value)
        return Table(source.name, source, lazy, Layout("query_id", "doc_id", value, ranked=False))
    return Table(source.name, source, None, None)


def _trec(path: Path, separator: str, columns: Sequence[str], value: str) -> pl.LazyFrame:
    """Exactly these columns, each between single blanks or tabs; anything else is an error of polars."""
    schema: dict[str, pl.DataType] = {name: pl.Float64() if name == value else pl.String() for name in columns}
    return pl.scan_csv(path, separator=separator, has_header=False, schema=schema, quote_char=None)


def _head(path: Path, reading: Reading) -> bytes:
    """The first bytes of a file; none of a packed one, which only the row readers unpack."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        head = read_bytes(path, reading)
    return b"" if head.startswith(GZIP_MAGIC) else head


def _names(lazy: pl.LazyFrame, reading: Reading) -> list[str]:
    try:
        return lazy.collect_schema().names()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).split("\n", 1)[0][:200]
        raise reading.stop("broken_file", f"no readable table: {reason}", remedy="write the file again") from None


def _layout(names: Sequence[str], forms: Sequence[Form], unit: Unit, reading: Reading) -> Layout:
    """Which columns to read. Raises `FaultyInput` naming the nearest form where some are missing."""
    form = recognise(names, forms, reading)
    fields = {form.fields[name].name: name for name in reversed(names) if name in form.fields}
    is_run = form in RUN_FORMS
    first, second = ("passage", "document") if unit == "passage" or not is_run else ("document", "passage")
    value = "grade" if not is_run else "rank" if "rank" in fields else "score"
    return Layout(fields["query"], fields.get(first) or fields[second], fields[value], value == "rank")


def _stretches(queries: pl.Series) -> tuple[pl.Series, Ints]:
    """The id of each stretch of equal ids, and where the stretches begin and the last one ends."""
    number = queries.rle_id().to_numpy()
    inner = np.flatnonzero(number[1:] != number[:-1]) + 1
    offsets = np.concatenate([[0], inner, [len(queries)]]).astype(np.int64)
    return _normal(queries.gather(offsets[:-1])), offsets


def _sliced(batches: Iterator[pl.DataFrame], ranked: bool) -> Iterator[Slice]:
    """Batches cut between queries: the last query of one waits for the next."""
    waiting: pl.DataFrame | None = None
    for batch in batches:
        if not len(batch):
            continue
        frame = batch if waiting is None else pl.concat([waiting, batch])
        heads, offsets = _stretches(frame["query"])
        waiting = frame[int(offsets[-2]) :]
        if len(heads) > 1:
            yield _slice(frame, heads[:-1], offsets[:-1], ranked)
    if waiting is not None:
        yield _slice(waiting, *_stretches(waiting["query"]), ranked)


def _slice(frame: pl.DataFrame, heads: pl.Series, offsets: Ints, ranked: bool) -> Slice:
    rows = frame[: int(offsets[-1])]
    value = rows["value"].to_numpy()
    return Slice(heads, offsets, rows["id"].rechunk(), -value if ranked else value)


def _collected(table: Table) -> pl.DataFrame:
    """The whole table as columns `query`, `id`, `value`. Raises `NotClean`."""
    if table.lazy is None or table.layout is None:
        raise NotClean
    try:
        frame = table.lazy.select(*table.layout[:3]).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise NotClean from None
    return _clean(frame, table.layout)


def _clean(frame: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """Columns `query`, `id` and `value`. Raises `NotClean` where a value is missing, not finite or oddly spelled."""
    query, identity, value = (frame[name] for name in layout[:3])
    if query.null_count() or identity.null_count() or value.null_count() or not value.dtype.is_numeric():
        raise NotClean
    number = value.cast(pl.Float64)
    if not number.is_finite().all() or (layout.ranked and not (number >= 0).all()):
        raise NotClean
    return pl.DataFrame({"query": _as_text(query), "id": _normal(_as_text(identity)), "value": number})


def _as_text(ids: pl.Series) -> pl.Series:
    if ids.dtype == pl.String:
        return ids
    if ids.dtype.is_integer() or isinstance(ids.dtype, pl.Categorical | pl.Enum):
        return ids.cast(pl.String)
    if ids.dtype == pl.Binary:
        return ids.bin.encode("hex")
    raise NotClean


def _normal(ids: pl.Series) -> pl.Series:
    """The same ids. Raises `NotClean` where one is empty, surrounded by blanks or not in normal form C."""
    least = ids.min()
    if not isinstance(least, str):
        return ids
    is_ascii = ids.str.len_bytes().sum() == ids.str.len_chars().sum()
    if is_ascii and least > "!" and not ids.str.ends_with(" ").any():
        return ids
    normal = ids.str.normalize("NFC").str.strip_chars()
    if (normal != ids).any() or normal.str.len_bytes().min() == 0:
        raise NotClean
    return ids


def _rows(table: Table, forms: Sequence[Form], reading: Reading) -> tuple[list[Row], Form]:
    if isinstance(table.source, Path):
        read = read_table(table.source, reading)
        return read.rows, recognise(read.names(), forms, reading)
    frame = table.source.lazy().collect()
    rows = [
        Row(line, {name: value for name, value in row.items() if value is not None})
        for line, row in enumerate(frame.iter_rows(named=True), start=1)
    ]
    return rows, recognise(frame.columns, forms, reading)


def _gold_by_rows(table: Table) -> tuple[pl.DataFrame, Unit]:
    reading = Reading(table.name)
    rows, form = _rows(table, GOLD_FORMS, reading)
    queries = long.queries_from(rows, form.fields, reading)
    reading.raise_faults()
    gold = [(query.id, relevance.id, relevance.grade) for query in queries for relevance in query.relevant or ()]
    has_passages = any(each.passage is not None for query in queries for each in query.relevant or ())
    return _frame(gold), "passage" if has_passages else "document"


def _run_by_rows(table: Table, unit: Unit) -> tuple[pl.DataFrame, bool]:
    reading = Reading(table.name)
    rows, form = _rows(table, RUN_FORMS, reading)
    answers = long.answers_from(rows, form.fields, reading)
    reading.raise_faults()
    ranked = any(answer.ordered for answer in answers)
    results = [
        (answer.query, gold_id(unit, result.document, result.passage), place if ranked else result.score)
        for answer in answers
        for place, result in enumerate(answer.retrieved or (), start=1)
    ]
    return _frame(results), ranked


def _frame(rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"query": pl.String, "id": pl.String, "value": pl.Float64}, orient="row")
