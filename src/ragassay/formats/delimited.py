"""CSV and its relatives into rows, with the physical line on which each record begins."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragassay.formats.jsonl import Row
from ragassay.formats.reading import Reading, shown

DELIMITERS = (",", ";", "\t")


class Record(NamedTuple):
    """The cells of one record; `line` is where it begins."""

    line: int
    cells: list[str]


def csv_rows(text: str, reading: Reading) -> list[Row]:
    """Rows of a delimited text with a header line. Comma, semicolon and tab are told apart by the header.

    An empty cell is a field that was not given. Faults go to `reading`.
    """
    records = _records(text, _delimiter(text), reading)
    header = next(records, None)
    if header is None:
        raise reading.stop("empty_file", "the file holds no records", expected="a header line and at least one record")
    names = column_names(header.cells, header.line, reading)
    rows: list[Row] = []
    for line, cells in records:
        reading.line = line
        if len(cells) != len(names):
            reading.fault(
                "ragged_row",
                "the record does not have as many cells as the header",
                value=f"{len(cells)} cells",
                expected=f"{len(names)} cells",
                remedy="put cells that contain the delimiter, quotes or line ends in double quotes",
            )
            continue
        rows.append(Row(line, {name: cell for name, cell in zip(names, cells, strict=True) if cell}))
    return rows


def column_names(cells: list[str], line: int, reading: Reading) -> list[str]:
    """The names in a header, without the blanks around them; an unnamed column is called by its number."""
    names = [cell.strip() or f"column {position}" for position, cell in enumerate(cells, start=1)]
    reading.line = line
    for name in sorted({name for name in names if names.count(name) > 1}):
        reading.fault(
            "duplicate_column", "two columns have one name", field=name, remedy="rename or remove one of them"
        )
    return names


def _delimiter(text: str) -> str:
    header = text.lstrip("\r\n").split("\n", 1)[0]
    bare = re.sub(r'"[^"]*"', "", header)
    return max(DELIMITERS, key=bare.count)


def _records(text: str, delimiter: str, reading: Reading) -> Iterator[Record]:
    """The standard library's reader has a process-wide limit on cell size and no line of the record's beginning."""
    quoted = re.compile(r'"([^"]*(?:""[^"]*)*)"')
    plain = re.compile(rf"[^{delimiter}\r\n]*")
    position, line, end = 0, 1, len(text)
    while position < end:
        start, cells = line, list[str]()
        while True:
            found = quoted.match(text, position) or plain.match(text, position)
            if found is None or (found[0].startswith('"') and found.re is plain):
                reading.line = start
                raise reading.stop(
                    "broken_csv",
                    "a quote is opened and never closed",
                    value=shown(text[position : position + 40]),
                    remedy='close the quote; double the quotes inside a cell: ""',
                )
            cells.append(found[1].replace('""', '"') if found.re is quoted else found[0])
            line += found[0].count("\n")
            position = found.end()
            if text[position : position + 1] != delimiter:
                break
            position += 1
        if position < end and text[position] not in "\r\n":
            reading.line = start
            raise reading.stop(
                "broken_csv",
                "text follows a closing quote",
                value=shown(text[position : position + 40]),
                remedy='put the whole cell in quotes and double the quotes inside it: ""',
            )
        position += 2 if text.startswith("\r\n", position) else 1
        line += 1
        if cells != [""]:
            yield Record(start, cells)
