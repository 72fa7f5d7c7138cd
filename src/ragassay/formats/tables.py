"""Any file into rows. The form is told by the content, never by the name."""

import io
from pathlib import Path

import polars as pl
from msgspec import Struct

from ragassay.formats.delimited import csv_rows
from ragassay.formats.encoding import decode, read_bytes
from ragassay.formats.jsonl import Row, json_rows
from ragassay.formats.reading import Reading
from ragassay.formats.spreadsheet import ZIP_MAGIC, xlsx_rows
from ragassay.formats.trec import is_trec, trec_rows

PARQUET_MAGIC = b"PAR1"


class Table(Struct, frozen=True, kw_only=True):
    """The rows of a file; `form` and `encoding` say how it was read."""

    form: str
    encoding: str | None
    rows: list[Row]

    def names(self) -> set[str]:
        """Every field name that any row gives."""
        return set[str]().union(*(row.fields.keys() for row in self.rows))


def read_table(path: Path, reading: Reading) -> Table:
    """Rows of JSON Lines, JSON, CSV, TREC, XLSX or Parquet, gzip or not.

    Faults of single rows go to `reading`; `FaultyInput` is raised where no row can be had.
    """
    data = read_bytes(path, reading)
    if data.startswith(PARQUET_MAGIC):
        table = Table(form="Parquet", encoding=None, rows=_parquet_rows(data, reading))
    elif data.startswith(ZIP_MAGIC):
        table = Table(form="XLSX", encoding=None, rows=xlsx_rows(data, reading))
    else:
        text, encoding = decode(data, reading)
        form, rows = _text_rows(text, reading)
        table = Table(form=form, encoding=encoding, rows=rows)
    reading.line = None
    if not table.rows:
        raise reading.stop("empty_file", "the file holds no records", expected="at least one record")
    return table


def _text_rows(text: str, reading: Reading) -> tuple[str, list[Row]]:
    if not text.strip():
        raise reading.stop("empty_file", "the file holds only blanks", expected="at least one record")
    if text.lstrip()[0] in "[{":
        return "JSON", json_rows(text, reading)
    if is_trec(text):
        return "TREC", trec_rows(text, reading)
    return "CSV", csv_rows(text, reading)


def _parquet_rows(data: bytes, reading: Reading) -> list[Row]:
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        reason = str(error).split("\n", 1)[0][:200]
        raise reading.stop("broken_file", f"no readable Parquet: {reason}", remedy="write the file again") from None
    return [
        Row(number, {name: value for name, value in row.items() if value is not None})
        for number, row in enumerate(frame.iter_rows(named=True), start=1)
    ]
