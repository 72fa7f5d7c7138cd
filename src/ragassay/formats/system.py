"""A system under test behind HTTP as a small TOML file: where it is, what is sent, where things stand in the reply.

Nothing in it is ever run: placeholders are whole words from a closed list, and paths are names and places.
"""

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from ragassay.formats.encoding import decode, read_bytes
from ragassay.formats.reading import Reading, near_miss, shown

LIMIT = 1 << 20
Steps = tuple[str | int | None, ...]
"""A parsed path: a name in an object, a place in a list, or None for every place. Empty: the value itself."""

TEXTS = ("question", "query")
"""Placeholders that every query fills with text, so they may stand inside a longer one. `query` is the query's id."""
PLACEHOLDERS = (*TEXTS, "language", "groups", "scope", "as_of")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w:.]*)\}")
_FROM_ENVIRONMENT = re.compile(r"\{env:([A-Za-z_]\w*)\}", re.ASCII)
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_LITERAL_HEADERS = ("accept", "accept-language", "user-agent")
_STEP = re.compile(r"(?:(?<!^)\.|^)([^.\[\]\s]+)|\[(\d{1,6}|\*)\]")

_RESULT = ("passage", "document", "revision", "score", "rank", "text")
_ITEMS = {"retrieved": _RESULT, "candidates": _RESULT, "citations": ("marker", "passage", "document", "revision")}
_SCALARS = (
    *("answer", "error", "packed", "retrieval_ms", "first_token_ms", "total_ms", "input_tokens", "output_tokens"),
    *("cost", "complete", "trace_id", "system", "model", "prompt_hash", "index_hash"),
)


class Price(Struct, frozen=True, forbid_unknown_fields=True):
    """Money per million tokens, in any one currency."""

    input: float
    output: float


class Items(Struct, frozen=True, kw_only=True):
    """A list in the reply: where it stands, and where its fields stand in each item."""

    each: Steps
    fields: dict[str, Steps]


class Reply(Struct, frozen=True, kw_only=True):
    """Where an answer's fields stand in the reply, by the names of our own answers."""

    scalars: dict[str, Steps]
    items: dict[str, Items]


class Stream(Struct, frozen=True, kw_only=True):
    """A reply in pieces. `end` is the text of its last event, `finish` the path that says the answer is whole."""

    form: Literal["sse", "lines"]
    end: str | None = None
    finish: Steps | None = None


class HttpDescription(Struct, frozen=True, kw_only=True):
    """An HTTP endpoint that answers questions. Holds names of environment variables and never their values.

    `request` is the JSON body with placeholders in its texts. `reply` None: the reply is one of our own answers.
    `most_tokens` bounds what one call takes, question and reply together; a limit on tokens or money needs it.
    """

    url: str
    method: str = "POST"
    version: str | None = None
    model: str | None = None
    prompt_hash: str | None = None
    index_hash: str | None = None
    headers: dict[str, str] = {}
    parameters: dict[str, str] = {}
    request: dict[str, Any] | None = None
    reply: Reply | None = None
    stream: Stream | None = None
    price: Price | None = None
    most_tokens: int | None = None


def variables_in(template: str) -> list[str]:
    """The names of the environment variables in a header."""
    return _FROM_ENVIRONMENT.findall(template)


def with_variables(template: str, values: Mapping[str, str]) -> str:
    """The header with the values of its variables. No value is read as a template again."""
    return _FROM_ENVIRONMENT.sub(lambda found: values[found[1]], template)


def read_system(path: Path) -> HttpDescription:
    """Read a description. Raises `FaultyInput` with everything that is wrong with it."""
    reading = Reading(path.name)
    text, _ = decode(read_bytes(path, reading, LIMIT), reading)
    try:
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise reading.stop("broken_toml", f"broken TOML: {error}", remedy="mend the line") from None
    return described(given, reading)


def described(given: Mapping[str, Any], reading: Reading) -> HttpDescription:
    """The description that these tables give. Raises `FaultyInput` with everything that is wrong with them."""
    _check_keys(given, HttpDescription.__struct_fields__, "", reading)
    labels = {name: _text(given, name, reading) for name in ("version", "model", "prompt_hash", "index_hash")}
    values: dict[str, Any] = {
        "url": _url(given.get("url"), reading),
        "method": _method(given, reading),
        "headers": _headers(_table(given, "headers", "", reading), reading),
        "parameters": _parameters(_table(given, "parameters", "", reading), reading),
        "request": _request(given, reading),
        "stream": _stream(given, reading),
        "reply": _reply(given, reading),
        "price": _price(given, reading),
        "most_tokens": _most_tokens(given, reading),
    }
    _check_question(values, reading)
    reading.raise_faults()
    return HttpDescription(**labels, **values)


def steps(path: str) -> Steps | None:
    """A path such as `a.b[0].c` or `a[*].b`, parsed; `.` is the value itself. None: no such path."""
    if path == ".":
        return ()
    found: list[str | int | None] = []
    position = 0
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            return None
        name, place = step.groups()
        found.append(name if place is None else None if place == "*" else int(place))
        position = step.end()
    return tuple(found) or None


def _url(value: object, reading: Reading) -> str:
    try:
        parts = urlsplit(value) if isinstance(value, str) else None
        is_plain = (
            parts is not None
            and parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and not (
                parts.username or parts.password or parts.query or parts.fragment or re.search(r"[\s{]", str(value))
            )
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        is_plain = False
    if not is_plain:
        # What stands in a faulty address may be a password, so it is not shown.
        reading.fault(
            "bad_value",
            "unusable address" if value is not None else "the address is missing",
            field="url",
            expected="http(s)://host/path without user, password, query or placeholder",
            remedy="put a key into [headers] as {env:NAME}, and what changes with the question into [parameters]",
        )
    return str(value)


def _method(given: Mapping[str, Any], reading: Reading) -> str:
    method = given.get("method", "POST")
    if method not in ("GET", "POST", "PUT"):
        _bad(reading, "method", method, "GET, POST or PUT")
    elif method == "GET" and "request" in given:
        _bad(reading, "request", given["request"], "no body where the method is GET", "use [parameters]")
    return str(method)


def _headers(given: Mapping[str, Any], reading: Reading) -> dict[str, str]:
    for name, value in given.items():
        field = "headers." + shown(name).strip("'\"")
        if not _HEADER.fullmatch(name):
            _bad(reading, field, name, "the name of a header")
        elif not isinstance(value, str):
            _bad(reading, field, value, "text")
        elif not variables_in(value) and name.casefold() not in _LITERAL_HEADERS:
            reading.fault(
                "secret_in_file",
                "the value of a header stands in the file",
                field=field,
                expected='a value from the environment, such as "Bearer {env:NAME}"',
                remedy="put the value into an environment variable",
            )
        elif not _FROM_ENVIRONMENT.sub("", value).isprintable() or not value.isascii():
            reading.fault("bad_value", "unusable value", field=field, expected="plain letters on one line")
    return {name: str(value) for name, value in given.items()}


def _parameters(given: Mapping[str, Any], reading: Reading) -> dict[str, str]:
    for name, value in given.items():
        field = f"parameters.{name}"
        if not isinstance(value, str):
            _bad(reading, field, value, "text", "write it in quotes")
        elif value == "{scope}":
            _bad(reading, field, value, "a text or a list of texts", "send the scope in [request]")
        else:
            _check_placeholders(value, field, reading)
    return {name: str(value) for name, value in given.items()}


def _request(given: Mapping[str, Any], reading: Reading) -> dict[str, Any] | None:
    if "request" not in given:
        return None
    body = _table(given, "request", "", reading)
    for field, value in _leaves(body, "request"):
        if isinstance(value, str):
            _check_placeholders(value, field, reading)
        elif isinstance(value, float) and not math.isfinite(value):
            _bad(reading, field, value, "a finite number")
    return dict(body)


def _leaves(value: object, field: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for name, item in cast("dict[str, object]", value).items():
            yield from _leaves(item, f"{field}.{name}")
    elif isinstance(value, list):
        for place, item in enumerate(cast("list[object]", value)):
            yield from _leaves(item, f"{field}[{place}]")
    else:
        yield field, value


def _check_placeholders(text: str, field: str, reading: Reading) -> None:
    for found in _PLACEHOLDER.finditer(text):
        name = found[1]
        if name not in PLACEHOLDERS:
            meant = near_miss(name, PLACEHOLDERS)
            remedy = f"did you mean {{{meant}}}?" if meant else "a key belongs into [headers]" if ":" in name else None
            _bad(reading, field, found[0], "one of " + ", ".join(f"{{{each}}}" for each in PLACEHOLDERS), remedy)
        elif found[0] != text and name not in TEXTS:
            expected = f"{found[0]} alone; only {{question}} and {{query}} may stand inside a text"
            _bad(reading, field, text, expected)


def _check_question(values: Mapping[str, Any], reading: Reading) -> None:
    places = [value for _, value in _leaves(values["request"] or {}, "")] + list(values["parameters"].values())
    if not any(isinstance(place, str) and "{question}" in place for place in places):
        reading.fault(
            "no_question",
            "the question is sent nowhere",
            field="request",
            expected="{question} in [request] or [parameters]",
            remedy='for example: [request] question = "{question}"',
        )


def _stream(given: Mapping[str, Any], reading: Reading) -> Stream | None:
    if "stream" not in given:
        return None
    table = _table(given, "stream", "", reading)
    _check_keys(table, Stream.__struct_fields__, "stream.", reading)
    form = table.get("form")
    if form not in ("sse", "lines"):
        _bad(reading, "stream.form", form, "sse (server-sent events) or lines (a JSON object on each line)")
    finish = _path(table["finish"], "stream.finish", reading) if "finish" in table else None
    return Stream(
        form="lines" if form == "lines" else "sse", end=_text(table, "end", reading, "stream."), finish=finish
    )


def _reply(given: Mapping[str, Any], reading: Reading) -> Reply | None:
    if "reply" not in given:
        if "stream" in given:
            _bad(reading, "reply.answer", None, "the path to the piece of the answer in an event")
        return None
    table = _table(given, "reply", "", reading)
    _check_keys(table, (*_SCALARS, *_ITEMS), "reply.", reading)
    if "answer" not in table and ("stream" in given or "retrieved" not in table):
        _bad(reading, "reply.answer", None, "the path to the answer")
    scalars = {name: _path(table[name], f"reply.{name}", reading) for name in _SCALARS if name in table}
    items = {name: _items(table, name, fields, reading) for name, fields in _ITEMS.items() if name in table}
    return Reply(scalars=scalars, items=items)


def _items(reply: Mapping[str, Any], name: str, known: tuple[str, ...], reading: Reading) -> Items:
    field = f"reply.{name}"
    table = _table(reply, name, "reply.", reading)
    _check_keys(table, ("each", *known), f"{field}.", reading)
    named = {key for key in table if key in known}
    if table and not named & {"passage", "document", "text"}:
        _bad(reading, field, sorted(table), "a path to the passage, the document or the text of each item")
    each = _path(table.get("each"), f"{field}.each", reading)
    return Items(each=each, fields={key: _path(table[key], f"{field}.{key}", reading) for key in known if key in named})


def _path(value: object, field: str, reading: Reading) -> Steps:
    parsed = steps(value) if isinstance(value, str) else None
    if parsed is None:
        remedy = "leave out $." if isinstance(value, str) and value.startswith("$") else None
        _bad(reading, field, value, "a path such as a.b[0].c or a[*].b", remedy)
    elif "$" in parsed[:1]:
        _bad(reading, field, value, "a path such as a.b[0].c or a[*].b", "leave out $.")
    return parsed or ()


def _price(given: Mapping[str, Any], reading: Reading) -> Price | None:
    if "price" not in given:
        return None
    _check_keys(_table(given, "price", "", reading), Price.__struct_fields__, "price.", reading)
    try:
        price = msgspec.convert(given["price"], Price)
    except msgspec.ValidationError:
        price = None
    if price is None or not all(math.isfinite(each) and each >= 0 for each in (price.input, price.output)):
        _bad(reading, "price", given["price"], "input and output: money per million tokens, 0 or more")
    return price


def _most_tokens(given: Mapping[str, Any], reading: Reading) -> int | None:
    value = given.get("most_tokens")
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return value
    _bad(reading, "most_tokens", value, "a whole number above 0")
    return None


def _text(given: Mapping[str, Any], name: str, reading: Reading, path: str = "") -> str | None:
    value = given.get(name)
    if value is None or (isinstance(value, str) and value):
        return value
    _bad(reading, path + name, value, "text", "write it in quotes")
    return None


def _table(given: Mapping[str, Any], name: str, path: str, reading: Reading) -> Mapping[str, Any]:
    value = given.get(name, {})
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    _bad(reading, path + name, value, f"a table: [{path}{name}]")
    return {}


def _check_keys(given: Mapping[str, Any], known: Sequence[str], path: str, reading: Reading) -> None:
    for key in given:
        if key not in known:
            reading.unknown_key(key, known, path)


def _bad(reading: Reading, field: str, value: object, expected: str, remedy: str | None = None) -> None:
    found = None if value is None else shown(value)
    message = "missing" if value is None else "unusable value"
    reading.fault("bad_value", message, field=field, value=found, expected=expected, remedy=remedy)
