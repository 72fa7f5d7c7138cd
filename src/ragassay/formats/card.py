"""`dataset.toml`: what the labels of a dataset mean."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any, cast

import msgspec

from ragassay.formats.encoding import decode, read_bytes
from ragassay.formats.reading import Reading, shown
from ragassay.records import DatasetCard, Exclusion

CARD_NAME = "dataset.toml"
_KEYS = tuple(field.name for field in msgspec.structs.fields(DatasetCard))
_TYPES = {field.name: field.type for field in msgspec.structs.fields(DatasetCard)}
_EXCLUSION_KEYS = tuple(field.name for field in msgspec.structs.fields(Exclusion))


def load_card(path: Path) -> DatasetCard:
    """The card. Unknown keys and unusable values raise `FaultyInput`, all at once."""
    reading = Reading(path.name)
    text, _ = decode(read_bytes(path, reading), reading)
    try:
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise reading.stop("broken_toml", f"broken TOML: {error}", remedy="mend the line") from None
    values: dict[str, Any] = {}
    for key, value in given.items():
        reading.line = _line_of(key, text)
        if key not in _KEYS:
            reading.unknown_key(key, _KEYS)
        else:
            _take(values, key, value, reading)
    reading.raise_faults()
    return DatasetCard(**values)


def _take(values: dict[str, Any], key: str, value: object, reading: Reading) -> None:
    if key == "exclusions":
        _check_exclusions(value, reading)
    try:
        taken = msgspec.convert(value, _TYPES[key])
    except msgspec.ValidationError as error:
        reading.fault("bad_value", "unusable value", field=key, value=shown(value), expected=str(error))
        return
    if key == "k" and (not taken or min(taken) < 1 or len(set(taken)) != len(taken)):
        reading.fault(
            "bad_value", "unusable value", field=key, value=shown(value), expected="different whole numbers above 0"
        )
        return
    values[key] = taken


def _check_exclusions(value: object, reading: Reading) -> None:
    items = cast("list[object]", value) if isinstance(value, list) else []
    for place, item in enumerate(items):
        for name in cast("dict[str, object]", item) if isinstance(item, dict) else ():
            if name not in _EXCLUSION_KEYS:
                reading.unknown_key(name, _EXCLUSION_KEYS, f"exclusions[{place}].")


def _line_of(key: str, text: str) -> int | None:
    found = re.search(rf'^\s*\[*\s*"?{re.escape(key)}"?\s*(?:=|\]|\.)', text, re.MULTILINE)
    return text.count("\n", 0, found.end()) + 1 if found else None


def card_text(card: DatasetCard) -> str:
    """The card as TOML; values that are the default are left out, but for name and version."""
    lines = [f"name = {_quoted(card.name)}", f"version = {_quoted(card.version)}"]
    if card.unit is not None:
        lines.append(f"unit = {_quoted(card.unit)}")
    if card.as_of is not None:
        lines.append(f"as_of = {card.as_of.isoformat()}")
    lines.append(f"k = {list(card.k)}")
    if card.labelling_rules is not None:
        lines.append(f"labelling_rules = {_quoted(card.labelling_rules)}")
    if card.disjoint_ids:
        lines.append("disjoint_ids = true")
    for exclusion in card.exclusions:
        lines += ["", "[[exclusions]]"]
        lines += [
            f"{key} = {_quoted(value)}" for key in _EXCLUSION_KEYS if (value := getattr(exclusion, key)) is not None
        ]
    if card.quotas:
        lines += ["", "[quotas]", *(f"{_quoted(axis)} = {least}" for axis, least in card.quotas.items())]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A JSON string is a TOML basic string, save that TOML wants DEL escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
