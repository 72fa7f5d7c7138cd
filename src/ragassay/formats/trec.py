"""TREC relevance judgements (`query 0 document grade`) and runs (`query Q0 document rank score tag`)."""

import re

from ragassay.formats.jsonl import Row
from ragassay.formats.reading import Reading, shown

_BLANKS = re.compile(r"[ \t\v\f\r]+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z")
QRELS = 4
RUN = 6


def is_trec(text: str) -> bool:
    """Whether the first line has the columns of either form."""
    first = text.lstrip().split("\n", 1)[0]
    return _width(_columns(first)) is not None


def trec_rows(text: str, reading: Reading) -> list[Row]:
    """Rows with `query_id`, `doc_id` and `grade`, or `query_id`, `doc_id` and `score`.

    The rank column of a run is not read: trec_eval orders by score, and so do we.
    """
    rows: list[Row] = []
    width: int | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        columns = _columns(line)
        if columns == [""]:
            continue
        width = width or _width(columns)
        if width is None or _width(columns) != width:
            reading.line = number
            reading.fault(
                "broken_line", "no TREC line", value=shown(line), expected=_expected(width), remedy="mend the line"
            )
        elif width == QRELS:
            rows.append(Row(number, {"query_id": columns[0], "doc_id": columns[2], "grade": columns[3]}))
        else:
            rows.append(Row(number, {"query_id": columns[0], "doc_id": columns[2], "score": columns[4]}))
    if width == RUN:
        reading.line = None
        reading.note(
            "trec_order", "results are ordered by score; the rank column is not read, as in trec_eval", reading.file
        )
    return rows


def _columns(line: str) -> list[str]:
    return _BLANKS.split(line.strip(" \t\v\f\r"))


def _width(columns: list[str]) -> int | None:
    """trec_eval reads six columns of a run and ignores what follows."""
    if len(columns) == QRELS and _NUMBER.match(columns[3]):
        return QRELS
    if len(columns) >= RUN and _NUMBER.match(columns[3]) and _NUMBER.match(columns[4]):
        return RUN
    return None


def _expected(width: int | None) -> str:
    return "query 0 document grade" if width == QRELS else "query Q0 document rank score tag"


def is_column(text: str) -> bool:
    """Whether the text can stand in a column: some characters, none of them white space or a line end."""
    return bool(text) and "\n" not in text and _BLANKS.search(text) is None
