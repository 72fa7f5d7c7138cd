"""Values as files give them into values as records hold them. A cell is data: nothing in it is ever run."""

import ast
import math
import re
import sys
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple, cast

import msgspec

from ragassay.formats.reading import Misfit, Reading, Unfit, near_miss

Converter = Callable[[Reading, object], Any]
LITERAL_LIMIT = 1 << 20
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00(?:\.0+)?)?)?")
TRUE = frozenset({"true", "yes", "1", "да", "истина"})
FALSE = frozenset({"false", "no", "0", "нет", "ложь"})


class Field(NamedTuple):
    """Where a value goes and how it gets there."""

    name: str
    convert: Converter


Fields = Mapping[str, Field]


def convert(reading: Reading, fields: Mapping[str, object], table: Fields, path: str = "") -> dict[str, Any]:
    """Our names and values. Null is "not given"; a name not in the table is noted; raises `Unfit` with every misfit."""
    values: dict[str, Any] = {}
    misfits: list[Misfit] = []
    for name, value in fields.items():
        if value is None:
            continue
        field = table.get(name)
        if field is None:
            if value not in ("", [], {}):
                reading.unknown(f"{path}{name}")
            continue
        if field.name in values:
            misfits.append(Misfit(value, "one value", f"another column already gives {field.name}", f".{name}"))
            continue
        try:
            values[field.name] = field.convert(reading, value)
        except Unfit as unfit:
            misfits.extend(misfit._replace(path=f".{name}{misfit.path}") for misfit in unfit.misfits)
    if misfits:
        raise Unfit(*misfits)
    return values


def text(_: Reading, value: object) -> str:
    """Text as it stands. A number is text too: a spreadsheet does not know that `80` was meant as words."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise Unfit(Misfit(value, "text"))


def number(_: Reading, value: object) -> float:
    """A finite number."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max:
        return float(value)
    remedy = "write decimals with a point" if isinstance(value, str) and "," in value else None
    raise Unfit(Misfit(value, "a finite number", remedy))


def amount(reading: Reading, value: object) -> float:
    """A finite number, 0 or above."""
    amount = number(reading, value)
    if amount < 0:
        raise Unfit(Misfit(value, "a number of 0 or more"))
    return amount


def count(reading: Reading, value: object) -> int:
    """A whole number, 0 or above."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    whole = number(reading, value)
    if whole < 0 or not whole.is_integer() or not math.isfinite(whole):
        raise Unfit(Misfit(value, "a whole number of 0 or more"))
    return int(whole)


def rank(reading: Reading, value: object) -> int:
    """A whole number, 1 or above."""
    position = count(reading, value)
    if position < 1:
        raise Unfit(Misfit(value, "a rank, counted from 1"))
    return position


def boolean(_: Reading, value: object) -> bool:
    """True or false in English, Russian, or as 1 and 0."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().casefold().removesuffix(".0") if isinstance(value, str | int | float) else ""
    if word in TRUE:
        return True
    if word in FALSE:
        return False
    raise Unfit(Misfit(value, "true or false"))


def day(_: Reading, value: object) -> date:
    """An ISO date; a time of midnight, which spreadsheets add, is no part of it."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    found = _DAY.fullmatch(value.strip()) if isinstance(value, str) else None
    try:
        if found:
            return date.fromisoformat(found[1])
    except ValueError:
        pass
    raise Unfit(Misfit(value, "a date as YYYY-MM-DD"))


def choice(*allowed: str) -> Converter:
    """A converter that takes one of these words."""

    def convert_choice(_: Reading, value: object) -> str:
        if isinstance(value, str) and value.strip() in allowed:
            return value.strip()
        meant = near_miss(value, allowed) if isinstance(value, str) else None
        raise Unfit(Misfit(value, "one of " + ", ".join(allowed), f"did you mean {meant}?" if meant else None))

    return convert_choice


def identity(kind: str) -> Converter:
    """A converter to an id of one name space."""

    def convert_identity(reading: Reading, value: object) -> str:
        return reading.identify(kind, value)

    return convert_identity


def listed(value: object) -> list[Any]:
    """The items of a list, also of one that a tool wrote as text: JSON, else a Python literal, else one item."""
    if isinstance(value, list | tuple):
        return list(cast("list[Any]", value))
    if not isinstance(value, str):
        return [value]
    stripped = value.strip()
    if not stripped:
        return []
    if stripped[0] in "[(" and len(stripped) <= LITERAL_LIMIT:
        items = _parsed(stripped)
        if isinstance(items, list | tuple):
            return list(cast("list[Any]", items))
    return [value]


def _parsed(value: str) -> object:
    try:
        return msgspec.json.decode(value)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        pass
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def each(convert_item: Converter) -> Converter:
    """A converter that takes a list, in any of the ways a file can hold one, and converts its items."""

    def convert_each(reading: Reading, value: object) -> tuple[Any, ...]:
        items: list[Any] = []
        misfits: list[Misfit] = []
        for position, item in enumerate(listed(value)):
            try:
                items.append(convert_item(reading, item))
            except Unfit as unfit:
                misfits.extend(misfit._replace(path=f"[{position}]{misfit.path}") for misfit in unfit.misfits)
        if misfits:
            raise Unfit(*misfits)
        return tuple(items)

    return convert_each


def wording(_: Reading, value: object) -> str:
    """An item of a list of texts, where a number is a mistake and not words."""
    if isinstance(value, str):
        return value
    raise Unfit(Misfit(value, "text"))


def mapping(_: Reading, value: object) -> dict[str, Any]:
    """An object with text keys, or its JSON in a cell."""
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
            raise Unfit(Misfit(value, 'an object: {"name": value, …}')) from None
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    raise Unfit(Misfit(value, 'an object: {"name": value, …}'))


def axes(reading: Reading, value: object) -> dict[str, str]:
    """An object of texts."""
    return {axis: text(reading, place) for axis, place in mapping(reading, value).items() if place is not None}


def axis_lists(reading: Reading, value: object) -> dict[str, tuple[str, ...]]:
    """An object of lists of texts; a single text is a list of one."""
    values = mapping(reading, value).items()
    return {axis: each(text)(reading, places) for axis, places in values if places is not None}


texts = each(wording)
words = each(text)
mappings = each(mapping)
