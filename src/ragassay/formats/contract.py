"""A pipeline contract in TOML: thresholds per stage, the domain dictionary, and what happens when a judge fails."""

import math
import re
import tomllib
from pathlib import Path
from typing import Any, cast, get_args, get_origin

import msgspec

from ragassay.formats.encoding import decode, read_bytes
from ragassay.formats.reading import Reading, near_miss, shown
from ragassay.records import THRESHOLD_KINDS, ExpandTerms, FaultyInput, Terms

_SECTIONS: dict[str, type[msgspec.Struct]] = {
    field.name: field.type for field in msgspec.structs.fields(Terms) if field.name not in ("name", "version")
}
_KEYS = ("name", "version", *_SECTIONS)
_DICTIONARY, _SYNONYMS = "dictionary", "synonyms"
_DICTIONARY_LIMIT = 16 << 20
_BOUNDS = {
    "grade.context_sufficiency": (0.0, 1.0),
    "grade.context_relevancy": (0.0, 1.0),
    "search.thresholds.similarity": (-1.0, 1.0),
    "search.thresholds.distance": (0.0, math.inf),
    "budget.grade": (1.0, 600_000.0),
    "budget.verify": (1.0, 600_000.0),
}


def load_terms(contract: str | Path) -> Terms:
    """The terms of a contract file, its dictionary included. Raises `FaultyInput` with everything wrong at once."""
    path = Path(contract)
    reading = Reading(path.name)
    text = _text(path, reading)
    given = _parsed(text, reading)
    _unknown_keys(given, _KEYS, "", text, reading)
    values: dict[str, Any] = {}
    for key in ("name", "version"):
        if key in given:
            _take(values, key, given[key], str, reading, text)
    if "name" not in given:
        reading.line = None
        reading.fault("missing_key", "a contract has a name", field="name", remedy='add name = "…"')
    for section, kind in _SECTIONS.items():
        if section in given:
            values[section] = _section(section, kind, given[section], _Source(path.parent, text), reading)
    _raise(reading)
    return Terms(**values)


class _Source(msgspec.Struct, frozen=True):
    folder: Path
    text: str


def _text(path: Path, reading: Reading) -> str:
    return decode(read_bytes(path, reading, _DICTIONARY_LIMIT), reading)[0]


def _parsed(text: str, reading: Reading) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise reading.stop("broken_toml", f"broken TOML: {error}", remedy="mend the line") from None


def _section(name: str, kind: type[msgspec.Struct], table: object, source: _Source, reading: Reading) -> object:
    reading.line = _line_of(source.text, name)
    if not isinstance(table, dict):
        reading.fault("bad_value", "unusable value", field=name, value=shown(table), expected=f"a table [{name}]")
        return None
    given = cast("dict[str, Any]", table)
    types = {field.name: field.type for field in msgspec.structs.fields(kind)}
    keys = (*types, _DICTIONARY) if kind is ExpandTerms else tuple(types)
    _unknown_keys(given, keys, f"{name}.", source.text, reading)
    values: dict[str, Any] = {}
    if kind is ExpandTerms:
        values[_SYNONYMS] = _synonyms(given, source, reading)
    else:
        for key in types.keys() & given.keys():
            _take(values, f"{name}.{key}", given[key], types[key], reading, source.text)
    return kind(**values)


def _take(values: dict[str, Any], path: str, value: object, kind: object, reading: Reading, text: str) -> None:
    """Adds the value under the last part of the path, or a fault."""
    key = path.rpartition(".")[2]
    reading.line = _line_of(text, *path.split("."))
    if path == "search.thresholds":
        values[key] = _thresholds(value, text, reading)
        return
    choices = get_args(kind) if get_origin(kind) is not None else ()
    if choices and value not in choices:
        meant = near_miss(value, choices) if isinstance(value, str) else None
        reading.fault(
            "bad_value",
            "unusable value",
            field=path,
            value=shown(value),
            expected=f"one of {', '.join(choices)}",
            remedy=f"did you mean {meant}?" if meant else None,
        )
        return
    try:
        values[key] = msgspec.convert(value, cast("type[object]", kind))
    except msgspec.ValidationError as error:
        reading.fault("bad_value", "unusable value", field=path, value=shown(value), expected=str(error))
        return
    if kind is str and not values[key].strip():
        reading.fault("bad_value", "unusable value", field=path, value=shown(value), expected="a text")
    if kind is float:
        _check_bounds(path, values[key], reading)


def _check_bounds(path: str, value: float, reading: Reading) -> None:
    low, high = _BOUNDS.get(path, (-math.inf, math.inf))
    if math.isfinite(value) and low <= value <= high:
        return
    share = "; for 80 % write 0.8" if high == 1.0 else ""
    expected = (
        "a finite number" if math.isinf(low) else f"{low:g} or more" if math.isinf(high) else f"{low:g} to {high:g}"
    )
    reading.fault("out_of_bounds", "impossible value", field=path, value=shown(value), expected=expected + share)


def _thresholds(value: object, text: str, reading: Reading) -> dict[str, float]:
    path = "search.thresholds"
    given = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if not given:
        expected = "a table of score kinds, such as similarity = 0.7"
        reading.fault("bad_value", "unusable value", field=path, value=shown(given), expected=expected)
        return {}
    _unknown_keys(given, THRESHOLD_KINDS, f"{path}.", text, reading)
    found: dict[str, float] = {}
    for kind in THRESHOLD_KINDS:
        if kind in given:
            _take(found, f"{path}.{kind}", given[kind], float, reading, text)
    return found


def _synonyms(given: dict[str, Any], source: _Source, reading: Reading) -> dict[str, tuple[str, ...]]:
    """The synonyms of the table and of the file that it names; a word that stands in both is a fault."""
    found = _words(given.get(_SYNONYMS, {}), f"expand.{_SYNONYMS}", reading)
    if _DICTIONARY not in given:
        return found
    name = given[_DICTIONARY]
    if not isinstance(name, str) or not name or "\0" in name:
        reading.fault(
            "bad_value", "unusable value", field="expand.dictionary", value=shown(name), expected="a file name"
        )
        return found
    beside = Reading(name)
    try:
        more = _words(_parsed(_text(source.folder / name, beside), beside), None, beside)
    except FaultyInput:
        more = {}
    for word in found.keys() & more.keys():
        beside.fault("repeated_word", "the contract has synonyms for it too", field=shown(word), remedy="keep one")
    reading.faults += beside.faults
    return {**more, **found}


def _words(value: object, path: str | None, reading: Reading) -> dict[str, tuple[str, ...]]:
    try:
        words = msgspec.convert(value, dict[str, tuple[str, ...]])
    except msgspec.ValidationError as error:
        expected = f'word = ["synonym", "…"] ({error})'
        reading.fault("bad_value", "unusable dictionary", field=path, value=shown(value), expected=expected)
        return {}
    for word, synonyms in words.items():
        if not word.strip() or not synonyms or not all(each.strip() for each in synonyms):
            expected = "a word and at least one synonym, none of them empty"
            field = ".".join(part for part in (path, shown(word)) if part)
            reading.fault("bad_value", "an empty word", field=field, value=shown(synonyms), expected=expected)
    return words


def _unknown_keys(given: dict[str, Any], known: tuple[str, ...], path: str, text: str, reading: Reading) -> None:
    for key in given:
        if key in known:
            continue
        reading.line = _line_of(text, *(part for part in path.split(".") if part), key)
        reading.unknown_key(key, known, path)


def _raise(reading: Reading) -> None:
    """All faults at once, in the order of the file."""
    reading.faults.sort(key=lambda fault: (fault.file != reading.file, fault.line or 0))
    reading.raise_faults()


def _line_of(text: str, *path: str) -> int | None:
    """The line of a key: after the header of its table, or of a table that is named for it; None for inline ones."""
    *tables, key = path
    header = re.search(rf"^\s*\[\s*{re.escape('.'.join(path))}\s*\]", text, re.MULTILINE)
    if header is not None:
        return text.count("\n", 0, header.end()) + 1
    start = 0
    if tables:
        above = re.search(rf"^\s*\[\s*{re.escape('.'.join(tables))}\s*\]", text, re.MULTILINE)
        if above is None:
            return _line_of(text, *tables)
        start = above.end()
    found = re.compile(rf'^\s*"?{re.escape(key)}"?\s*[=.]', re.MULTILINE).search(text, start)
    return text.count("\n", 0, found.end()) + 1 if found else None
