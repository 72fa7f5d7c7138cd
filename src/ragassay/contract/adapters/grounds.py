"""Who asks, about what and when, as a framework hands it on: checked before anything is searched for them."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, cast

from ragassay.contract.contract import Contract
from ragassay.contract.guarding import Grounds
from ragassay.contract.request import Request
from ragassay.records import Fault, FaultyInput, Requester

_EXPECTED = {
    "requester": "a ragassay.records.Requester whose groups are a tuple of texts",
    "scope": "a mapping of texts to texts",
    "as_of": "a datetime.date",
    "id": "a text",
}


def nobody() -> Grounds:
    """Grounds of a requester who is not named, and so reads what everyone may read."""
    return {}


def opened(contract: Contract, question: object, grounds: object) -> Request:
    """A request on these grounds. Raises `FaultyInput` for a question that is no text, and for what is no ground.

    A requester is a `Requester` made by the application: a mapping that came with a call never becomes one.
    """
    faults = [] if isinstance(question, str) else [_fault("question", question, "a text")]
    if not isinstance(grounds, Mapping):
        raise FaultyInput([*faults, _fault("grounds", grounds, f"a mapping with {', '.join(_EXPECTED)}")])
    given = cast("Mapping[Any, Any]", grounds)
    faults += [_fault(str(key)[:60], given[key], _expected(key)) for key in given if not _is_ground(key, given[key])]
    if faults:
        raise FaultyInput(faults)
    return contract.request(cast("str", question), **cast("Grounds", dict(given)))


def _is_ground(key: object, value: object) -> bool:
    if value is None:
        return key in _EXPECTED
    match key:
        case "requester":
            groups: object = value.groups if isinstance(value, Requester) else None
            return isinstance(groups, tuple) and _are_texts(cast("tuple[object, ...]", groups))
        case "scope":
            scope = cast("Mapping[object, object]", value)
            return isinstance(value, Mapping) and _are_texts((*scope.keys(), *scope.values()))
        case "as_of":
            return isinstance(value, date) and not isinstance(value, datetime)
        case "id":
            return isinstance(value, str)
        case _:
            return False


def _are_texts(values: tuple[object, ...]) -> bool:
    return all(isinstance(each, str) for each in values)


def _expected(key: object) -> str:
    return _EXPECTED.get(key, f"one of {', '.join(_EXPECTED)}") if isinstance(key, str) else "a text for a key"


def _fault(field: str, value: object, expected: str) -> Fault:
    """The type of a value and not the value, which may be who asks."""
    return Fault(
        code="unusable_grounds",
        message="a request cannot be opened with this",
        field=field,
        value=type(value).__name__,
        expected=expected,
    )
