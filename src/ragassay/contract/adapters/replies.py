"""Replies as plain data, for frameworks that copy, keep or send on what passes through them."""

from typing import Any, cast

from msgspec import to_builtins

from ragassay.contract.request import Reply


def plain(reply: Reply) -> dict[str, Any]:
    """`text`, `outcome`, `citations` and `decisions`, of texts, numbers, lists and mappings alone."""
    return {
        "text": reply.text,
        "outcome": reply.outcome,
        "citations": _listed(to_builtins(reply.citations)),
        "decisions": _listed(reply.trail.as_actions()),
    }


def _listed(value: object) -> object:
    """The same with lists for tuples: what has been through JSON is then equal to what has not."""
    if isinstance(value, dict):
        return {key: _listed(each) for key, each in cast("dict[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_listed(each) for each in cast("list[object]", value)]
    return value
