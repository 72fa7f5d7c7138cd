"""Cells of a CSV file that people open in a spreadsheet: no text of ours is ever run as a formula there."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

import msgspec

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""A cell that begins so is run by spreadsheets, or would be without its apostrophe; one in front keeps it a text."""


def csv_bytes(names: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A table with a byte order mark, by which spreadsheets know UTF-8. What is no text is JSON, None is empty."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(names)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return stream.getvalue().encode("utf-8-sig")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    return f"'{value}" if _FORMULA.match(value) else value


def without_guard(value: object) -> object:
    """The text of a cell without the apostrophe that kept it from being run."""
    return value[1:] if isinstance(value, str) and value.startswith("'") and _FORMULA.match(value) else value
