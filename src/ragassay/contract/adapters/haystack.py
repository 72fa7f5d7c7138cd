"""Haystack under a contract: components that filter before retrieval, decide before generation, and verify after it."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Self, cast

import msgspec

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.dataclasses import ChatMessage
    from haystack.utils import callable_serialization
except ImportError as missing:
    raise ImportError(
        "the Haystack adapter needs the package haystack-ai: pip install 'ragassay[haystack]'", name="haystack"
    ) from missing

from ragassay.contract.adapters.grounds import opened
from ragassay.contract.adapters.passages import KEYS, Keys, result_of, screened
from ragassay.contract.adapters.replies import plain
from ragassay.contract.contract import Contract
from ragassay.contract.request import Request
from ragassay.records import Decision, Requester

__all__ = ["ContractFilter", "ContractGate", "ContractVerify", "InFlight", "Keys", "admissible_filters"]


class InFlight:
    """A request on its way through a pipeline, from filter to gate to verify.

    Haystack copies what it hands over; there is one request nevertheless, or its decisions would be lost.
    """

    def __init__(self, request: Request) -> None:
        self.request = request

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def admissible_filters(request: Request, keys: Keys = KEYS) -> dict[str, Any]:
    """What may be searched for a request, as filters of a document store: pairs of document and revision."""
    documents: dict[str | None, set[str]] = {}
    for document, revision in request.admissible.revisions:
        documents.setdefault(revision if keys.revision is not None else None, set()).add(document)
    conditions = [_condition(keys, revision, sorted(names)) for revision, names in documents.items()]
    return conditions[0] if len(conditions) == 1 else {"operator": "OR", "conditions": conditions}


@component
class ContractFilter:
    """Opens a request. `contract` is a function of a module that gives the contract, for a pipeline is kept by names.

    Connect `query` and `filters` to a retriever (or `queries` to one that takes several), and `request` to a
    `ContractGate`. Where nothing may be searched there is a `reply` and nothing else, so no retriever runs; every
    `reply` is plain data with `text`, `outcome`, `citations` and `decisions`. A contract that filters
    nothing gives None for filters.
    """

    def __init__(self, contract: Callable[[], Contract], keys: Keys | None = None) -> None:
        self.contract = contract
        self.keys = keys or KEYS

    @component.output_types(
        query=str, queries=list[str], filters=dict[str, Any] | None, request=InFlight, reply=dict[str, Any]
    )
    def run(
        self,
        question: str,
        requester: Requester | None = None,
        scope: dict[str, str] | None = None,
        as_of: date | None = None,
        id: str | None = None,
    ) -> dict[str, Any]:
        """Raises `FaultyInput` for a question or requester of the wrong type."""
        contract = self.contract()
        request = opened(contract, question, {"requester": requester, "scope": scope, "as_of": as_of, "id": id})
        request.expand()
        if not request.filter().proceeds:
            return _replied(request)
        filters = None if contract.terms.filter.is_off else admissible_filters(request, self.keys)
        queries = list(request.queries)
        return {"query": request.standalone, "queries": queries, "filters": filters, "request": InFlight(request)}

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(
            self, contract=callable_serialization.serialize_callable(self.contract), keys=msgspec.to_builtins(self.keys)
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        given = data["init_parameters"]
        contract = cast("Callable[[], Contract]", callable_serialization.deserialize_callable(given["contract"]))
        return cls(contract, _keys(given))


@component
class ContractGate:
    """Search threshold and grade: the documents that may be shown and the request, or a `reply`.

    Connect `documents` to a prompt builder that requires them, so that without documents no model is asked.
    """

    def __init__(self, keys: Keys | None = None) -> None:
        self.keys = keys or KEYS

    @component.output_types(documents=list[Document], request=InFlight, reply=dict[str, Any])
    def run(self, request: InFlight, documents: list[Document]) -> dict[str, Any]:
        left = self._left(request.request, documents)
        return _passed(request, request.request.grade(), left)

    @component.output_types(documents=list[Document], request=InFlight, reply=dict[str, Any])
    async def run_async(self, request: InFlight, documents: list[Document]) -> dict[str, Any]:
        left = self._left(request.request, documents)
        return _passed(request, await request.request.agrade(), left)

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(self, keys=msgspec.to_builtins(self.keys))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        return cls(_keys(data["init_parameters"]))

    def _left(self, request: Request, documents: list[Document]) -> list[Document]:
        return screened(
            request,
            [
                (each, result_of(self.keys, each.meta, text=each.content, passage=each.id, score=each.score))
                for each in documents
            ],
        )


@component
class ContractVerify:
    """Checks the first reply of a generator, a text or a message, against what the gate let through."""

    @component.output_types(reply=dict[str, Any])
    def run(self, request: InFlight, replies: list[str] | list[ChatMessage]) -> dict[str, Any]:
        request.request.verify(_text(replies))
        return _replied(request.request)

    @component.output_types(reply=dict[str, Any])
    async def run_async(self, request: InFlight, replies: list[str] | list[ChatMessage]) -> dict[str, Any]:
        await request.request.averify(_text(replies))
        return _replied(request.request)

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        return default_from_dict(cls, data)


def _passed(carried: InFlight, decision: Decision, documents: list[Document]) -> dict[str, Any]:
    if not decision.proceeds:
        return _replied(carried.request)
    return {"documents": documents, "request": carried}


def _replied(request: Request) -> dict[str, Any]:
    request.finish()
    return {"reply": plain(request.reply)}


def _text(replies: list[str] | list[ChatMessage]) -> str:
    first = replies[0] if replies else ""
    return first if isinstance(first, str) else first.text or ""


def _condition(keys: Keys, revision: str | None, documents: list[str]) -> dict[str, Any]:
    named = {"field": f"meta.{keys.document}", "operator": "in", "value": documents}
    if revision is None:
        return named
    labelled = {"field": f"meta.{keys.revision}", "operator": "==", "value": revision}
    return {"operator": "AND", "conditions": [labelled, named]}


def _keys(given: Mapping[str, Any]) -> Keys:
    """Raises `msgspec.ValidationError`, which names the place, for keys that are none."""
    return msgspec.convert(given.get("keys", {}), Keys)
