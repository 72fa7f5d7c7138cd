"""An endpoint described in a small TOML file."""

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from ragassay.judges.llm.endpoint import Endpoint, Price, faults_of
from ragassay.records import Fault, FaultyInput
from ragassay.text.normalise import visible

_FIELDS = {field.name: field for field in msgspec.structs.fields(Endpoint)}
_PRICES = tuple(field.name for field in msgspec.structs.fields(Price))
_KIND = "kind"
_EXPECTED = {int: "a whole number", float: "a number", str: "text", Price: "input and output, both numbers"}
_LONGEST = 65_536


def read_endpoint(path: Path) -> Endpoint:
    """The endpoint of a file with `kind = "llm"` and the fields of `Endpoint`. Raises `FaultyInput` with everything
    that is wrong with it."""
    table = _table(path)
    faults = [*_wrong_keys(table)]
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name in _FIELDS:
            try:
                values[name] = msgspec.convert(value, type=_FIELDS[name].type, strict=True)
            except msgspec.ValidationError:
                faults.append(_fault("bad_value", name, _shown(name, value), _expected(name), "change it"))
    missing = [name for name in ("base_url", "model") if name not in table]
    faults += [_fault("missing", name, None, _expected(name), "add it") for name in missing]
    filled: dict[str, Any] = {"base_url": "http://localhost", "model": "any", **values}
    faults += faults_of(Endpoint(**filled))
    if faults:
        raise FaultyInput(msgspec.structs.replace(fault, file=path.name) for fault in faults)
    return Endpoint(**values)


def _table(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST + 1)
        if len(text) > _LONGEST:
            raise FaultyInput([_unreadable(path, f"longer than {_LONGEST:,} bytes")])
        return tomllib.loads(text.decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise FaultyInput([_unreadable(path, visible(str(error)))]) from None


def _wrong_keys(table: Mapping[str, Any]) -> Iterator[Fault]:
    if table.get(_KIND) != "llm":
        yield _fault("bad_value", _KIND, _shown(_KIND, table.get(_KIND)), '"llm"', 'write kind = "llm"')
    price = table.get("price")
    prices = cast("dict[str, object]", price) if isinstance(price, dict) else {}
    for key, known, path in (
        *((key, (_KIND, *_FIELDS), "") for key in table),
        *((key, _PRICES, "price.") for key in prices),
    ):
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            remedy = f"did you mean {near[0]}?" if near else "remove it; a key belongs in a variable"
            yield _fault("unknown_key", path + visible(key), None, f"one of {', '.join(known)}", remedy)


def _expected(name: str) -> str:
    kinds = [kind for kind in _EXPECTED if kind in (_FIELDS[name].type, *getattr(_FIELDS[name].type, "__args__", ()))]
    return _EXPECTED[kinds[0]]


def _shown(name: str, value: object) -> str | None:
    """The value, safe to print. An address may hold a password."""
    return None if value is None or name == "base_url" else visible(str(value))[:120]


def _unreadable(path: Path, why: str) -> Fault:
    return Fault(
        code="unreadable_judge",
        message=f"the description of the judge cannot be read: {why}",
        file=path.name,
        expected="a TOML file",
        remedy="see docs/judges-llm.md",
    )


def _fault(code: str, field: str, value: str | None, expected: str, remedy: str) -> Fault:
    return Fault(
        code=code,
        message="the description of the judge cannot be used",
        field=field,
        value=value,
        expected=expected,
        remedy=remedy,
    )
