"""JSON and JSON Lines into rows. JSON is strict: no NaN, no Infinity, no number beyond the range of a double."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any, NamedTuple, cast

import msgspec

from ragassay.formats.reading import Reading, shown


class Row(NamedTuple):
    """One record as it stands in a file; `line` counts from 1."""

    line: int
    fields: dict[str, object]


_DECODER = msgspec.json.Decoder(Any)
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NOT_JSON = re.compile(r"-?\b(?:NaN|Infinity|nan|inf)\b|-?Infinity")
_POSITION = re.compile(r"\(byte (\d+)\)")
_SCANNER = json.JSONDecoder()
_BLANKS = re.compile(r"[ \t\r\n]*")
WRAPPERS = ("results", "test_cases", "testCases", "goldens")


def json_rows(text: str, reading: Reading) -> list[Row]:
    """Rows of JSON Lines, of an array of objects, of `{"results": […]}` or of one object. Faults go to `reading`."""
    first = text.lstrip().split("\n", 1)[0].rstrip()
    if first.startswith("{") and (first.endswith("}") or _is_value(first)):
        return _unwrapped(_lines(text, reading), reading)
    return _document(text, reading)


def _is_value(text: str) -> bool:
    try:
        _DECODER.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def _lines(text: str, reading: Reading) -> list[Row]:
    rows: list[Row] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or not line.strip(" \t\r"):
            continue
        reading.line = number
        value = _decoded(line, reading)
        fields = _as_object(value)
        if fields is not None:
            rows.append(Row(number, fields))
        elif value is not _BROKEN:
            _no_object(value, reading)
    return rows


def _unwrapped(rows: list[Row], reading: Reading) -> list[Row]:
    """A file of one object that only wraps the records gives the records."""
    wrapper = _wrapper(rows[0].fields) if len(rows) == 1 else None
    if wrapper is None:
        return rows
    return _records(cast("list[object]", rows[0].fields[wrapper]), repeat(rows[0].line), reading)


def _document(text: str, reading: Reading) -> list[Row]:
    reading.line = None
    repaired = _repaired(text, reading) if _SURROGATE.search(text) else text
    value = _decoded(repaired, reading)
    if value is _BROKEN:
        return []
    fields = _as_object(value)
    opening = r"\s*\["
    if fields is not None:
        wrapper = _wrapper(fields)
        if wrapper is None:
            return [Row(1, fields)]
        value, opening = fields[wrapper], rf'"{wrapper}"\s*:\s*\['
    if not isinstance(value, list):
        raise reading.stop(
            "not_an_object", "the file holds no records", value=shown(value), expected="an array of objects"
        )
    return _records(cast("list[object]", value), _starts(repaired, re.compile(opening)), reading)


def _records(items: list[object], lines: Iterable[int], reading: Reading) -> list[Row]:
    rows: list[Row] = []
    for item, line in zip(items, lines, strict=False):
        reading.line = line
        fields = _as_object(item)
        if fields is None:
            _no_object(item, reading)
        else:
            rows.append(Row(line, fields))
    return rows


def _wrapper(fields: dict[str, object]) -> str | None:
    return next((name for name in WRAPPERS if isinstance(fields.get(name), list)), None)


def _as_object(value: object) -> dict[str, object] | None:
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _no_object(value: object, reading: Reading) -> None:
    reading.fault("not_an_object", "the record is no JSON object", value=shown(value), expected='{"field": value, …}')


def _starts(text: str, opening: re.Pattern[str]) -> Iterator[int]:
    """The physical lines on which the items of an array begin, in a text that is known to be valid JSON."""
    found = opening.search(text)
    position, line, counted = (found.end() if found else 0), 1, 0
    while True:
        position = _blanks(text, position)
        if text[position : position + 1] == ",":
            position = _blanks(text, position + 1)
        line += text.count("\n", counted, position)
        counted = position
        yield line
        position = _SCANNER.raw_decode(text, position)[1]


def _blanks(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return found.end() if found else position


class _Broken:
    pass


_BROKEN = _Broken()


def _decoded(text: str, reading: Reading) -> object:
    """The JSON value, or `_BROKEN` after a fault was added."""
    try:
        return _DECODER.decode(text)
    except msgspec.ValidationError:
        _out_of_range(text, reading)
    except msgspec.DecodeError as error:
        if _SURROGATE.search(text):
            repaired = _repaired(text, reading)
            if repaired != text:
                return _decoded(repaired, reading)
        _malformed(text, str(error), reading)
    except RecursionError:
        reading.fault("broken_json", "nested too deeply", remedy="flatten the record")
    except UnicodeEncodeError:
        reading.fault("broken_json", "holds a lone surrogate", remedy="save the file as UTF-8")
    return _BROKEN


def _out_of_range(text: str, reading: Reading) -> None:
    for found in _NUMBER.finditer(text):
        if float(found[0]) in (float("inf"), float("-inf")):
            reading.fault(
                "not_finite",
                f"a number at column {found.start() + 1} is not finite",
                value=shown(found[0]),
                expected="a finite number",
                remedy="leave the field out where there is no number",
            )
            return
    reading.fault("not_finite", "a number is out of range", expected="a finite number")


def _malformed(text: str, message: str, reading: Reading) -> None:
    position = _POSITION.search(message)
    byte = int(position[1]) if position else len(text.encode("utf-8", "replace"))
    column = len(text.encode("utf-8", "replace")[:byte].decode("utf-8", "ignore"))
    if reading.line is None:
        reading.line = text.count("\n", 0, column) + 1
        line_start = text.rfind("\n", 0, column) + 1
        text, column = text[line_start:], column - line_start
    constant = _NOT_JSON.match(text, max(0, column - 1)) or _NOT_JSON.match(text, column)
    if constant:
        reading.fault(
            "not_finite",
            f"{constant[0]} at column {constant.start() + 1} is no JSON",
            value=constant[0],
            expected="a finite number or null",
            remedy="write null, or leave the field out, where there is no number",
        )
        return
    reason = _POSITION.sub("", message.removeprefix("JSON is malformed: ")).strip()
    reading.fault(
        "broken_json",
        f"broken JSON at column {column + 1}: {reason}",
        value=shown(text[max(0, column - 20) : column + 20]),
        expected="one complete JSON object",
        remedy="mend the line; broken lines are never skipped",
    )


def _repaired(text: str, reading: Reading) -> str:
    """The text with every lone surrogate escape replaced by U+FFFD; pairs and escaped backslashes stay."""

    def mend(found: re.Match[str]) -> str:
        escape = found[0]
        if len(escape) == len(r"\ud800") and _SURROGATE.match(escape):
            reading.note("text_repaired", "half characters (lone surrogates) were replaced by U+FFFD")
            return "\\ufffd"
        return escape

    return _ESCAPE.sub(mend, text)
