"""What stands where a path leads, and a query in the places of a template."""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from ragassay.formats.system import PLACEHOLDERS, Items, Reply, Steps
from ragassay.records import Query

_PLACE = re.compile(r"\{(" + "|".join(PLACEHOLDERS) + r")\}")


def decoded(data: bytes | str) -> object:
    """The JSON value; ValueError for anything else. Halves of characters are let in: a stream may tear one apart."""
    text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def found(value: object, steps: Steps) -> object:
    """What stands at the path; None where nothing does. Every place of a list gives a list of what is there."""
    for at, step in enumerate(steps):
        if step is None:
            items = cast("list[object]", value) if isinstance(value, list) else []
            inner = [found(item, steps[at + 1 :]) for item in items]
            return [each for each in inner if each is not None] if isinstance(value, list) else None
        value = _inside(value, step)
        if value is None:
            return None
    return value


def _inside(value: object, step: str | int) -> object:
    if isinstance(step, str):
        return cast("dict[str, object]", value).get(step) if isinstance(value, dict) else None
    items = cast("list[object]", value) if isinstance(value, list) else []
    return items[step] if step < len(items) else None


def row_of(reply: Reply, document: object) -> dict[str, Any]:
    """The fields of an answer that stand in a document, and the labels of the system among them."""
    scalars = {name: found(document, steps) for name, steps in reply.scalars.items()}
    lists = {name: _listed(items, document) for name, items in reply.items.items()}
    return {name: value for name, value in {**scalars, **lists}.items() if value is not None}


def _listed(items: Items, document: object) -> list[dict[str, object]] | None:
    each = found(document, items.each)
    if each is None:
        return None
    return [
        {name: found(item, steps) for name, steps in items.fields.items()}
        for item in (cast("list[object]", each) if isinstance(each, list) else [each])
    ]


def values_of(query: Query) -> dict[str, object]:
    """What stands for each placeholder."""
    return {
        "question": query.question,
        "query": query.id,
        "language": query.language,
        "groups": list(query.requester.groups) if query.requester else None,
        "scope": query.scope,
        "as_of": query.as_of.isoformat() if query.as_of else None,
    }


def filled(template: object, values: Mapping[str, object]) -> object:
    """The template with its placeholders filled. What is filled in is never read as a template again."""
    if isinstance(template, dict):
        return {name: filled(item, values) for name, item in cast("dict[str, object]", template).items()}
    if isinstance(template, list):
        return [filled(item, values) for item in cast("list[object]", template)]
    if not isinstance(template, str):
        return template
    alone = _PLACE.fullmatch(template)
    return values[alone[1]] if alone else _PLACE.sub(lambda place: str(values[place[1]]), template)
