"""LlamaIndex under a contract: a node postprocessor, and a query engine that asks back instead of guessing."""

from collections.abc import Callable, Mapping
from typing import Any

try:
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.base.response.schema import (
        AsyncStreamingResponse,
        PydanticResponse,
        Response,
        StreamingResponse,
    )
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.response_synthesizers import BaseSynthesizer
    from llama_index.core.schema import NodeWithScore, QueryBundle
    from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
except ImportError as missing:
    raise ImportError(
        "the LlamaIndex adapter needs the package llama-index-core: pip install 'ragassay[llama-index]'",
        name="llama_index",
    ) from missing

from ragassay.contract.adapters.grounds import nobody, opened
from ragassay.contract.adapters.passages import KEYS, Keys, gathered, result_of, screened
from ragassay.contract.adapters.replies import plain
from ragassay.contract.contract import Contract
from ragassay.contract.guarding import Grounds
from ragassay.contract.request import Request
from ragassay.records import Result

__all__ = ["ContractPostprocessor", "ContractQueryEngine", "Keys", "admissible_filters"]

Retrievers = BaseRetriever | Callable[[Request], BaseRetriever]
"""A retriever, or what makes one for a request, with `admissible_filters`."""
METADATA = "ragassay"
"""The key under which a response carries the decisions."""


def admissible_filters(request: Request, keys: Keys = KEYS) -> MetadataFilters:
    """What may be searched for a request, as filters that every vector store of LlamaIndex understands.

    Flat, and so without the pairs of document and revision: a superseded revision may be found, and is removed after
    the search. Where the contract filters nothing this is what the corpus holds: then search without it.
    """
    revisions = sorted({revision for _, revision in request.admissible.revisions if revision is not None})
    is_labelled = all(revision is not None for _, revision in request.admissible.revisions)
    allowed = {keys.document: sorted(request.admissible.documents)}
    if keys.revision is not None and is_labelled:
        allowed[keys.revision] = revisions
    return MetadataFilters(
        filters=[MetadataFilter(key=key, value=value, operator=FilterOperator.IN) for key, value in allowed.items()]
    )


class ContractPostprocessor(BaseNodePostprocessor):
    """Leaves what is admissible, scores well enough and, taken together, answers the question; else nothing.

    `grounds` is called for every query, and tells who asks. Nothing is recorded, for nothing is known of an answer.
    """

    contract: Contract
    keys: Keys = KEYS
    grounds: Callable[[], Grounds] = nobody

    @classmethod
    def class_name(cls) -> str:
        return "ContractPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        request = self._request(query_bundle)
        left = screened(request, [(node, _result(node, self.keys)) for node in nodes])
        return left if request.grade().proceeds else []

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        request = self._request(query_bundle)
        left = screened(request, [(node, _result(node, self.keys)) for node in nodes])
        return left if (await request.agrade()).proceeds else []

    def _request(self, query_bundle: QueryBundle | None) -> Request:
        return opened(self.contract, query_bundle and query_bundle.query_str, self.grounds())


class ContractQueryEngine(BaseQueryEngine):
    """Retrieves, grades, synthesises and verifies. After a stop the response is what to tell the user, without nodes.

    `metadata["ragassay"]` of a response holds text, outcome, citations and decisions as plain data. What retriever and
    synthesizer raise is raised. A streamed synthesis is read to its end, since only then can it be verified.
    """

    def __init__(
        self,
        contract: Contract,
        retriever: Retrievers,
        synthesizer: BaseSynthesizer,
        *,
        keys: Keys = KEYS,
        grounds: Callable[[], Grounds] = nobody,
    ) -> None:
        super().__init__(CallbackManager([]))
        self._contract = contract
        self._retriever = retriever
        self._synthesizer = synthesizer
        self._keys = keys
        self._grounds = grounds

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {"response_synthesizer": self._synthesizer}

    def _query(self, query_bundle: QueryBundle) -> Response:
        nodes: list[NodeWithScore] = []
        with opened(self._contract, query_bundle.query_str, self._grounds()) as request:
            request.expand()
            if request.filter().proceeds:
                retriever = self._chosen(request)
                nodes = self._left(request, [retriever.retrieve(each) for each in _bundles(request, query_bundle)])
            if request.grade().proceeds:
                written = self._synthesizer.synthesize(query_bundle, nodes)
                request.verify(_text(written))
            return _response(request, nodes)

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        nodes: list[NodeWithScore] = []
        with opened(self._contract, query_bundle.query_str, self._grounds()) as request:
            request.expand()
            if request.filter().proceeds:
                retriever = self._chosen(request)
                bundles = _bundles(request, query_bundle)
                nodes = self._left(request, [await retriever.aretrieve(each) for each in bundles])
            if (await request.agrade()).proceeds:
                written = await self._synthesizer.asynthesize(query_bundle, nodes)
                if isinstance(written, AsyncStreamingResponse):
                    written = await written.get_response()
                await request.averify(_text(written))
            return _response(request, nodes)

    def _chosen(self, request: Request) -> BaseRetriever:
        return self._retriever if isinstance(self._retriever, BaseRetriever) else self._retriever(request)

    def _left(self, request: Request, batches: list[list[NodeWithScore]]) -> list[NodeWithScore]:
        found = gathered(batches, lambda node: _result(node, self._keys), self._contract.score_kind)
        return screened(request, found)


def _bundles(request: Request, asked: QueryBundle) -> list[QueryBundle]:
    """The question as it came, with an embedding it may have, and what the contract adds to it."""
    return [asked, *(QueryBundle(query) for query in request.queries if query != asked.query_str)]


def _result(node: NodeWithScore, keys: Keys) -> Result:
    metadata: Mapping[str, Any] = node.node.metadata
    return result_of(keys, metadata, text=node.node.get_content(), passage=node.node.node_id, score=node.score)


def _text(written: object) -> str:
    if isinstance(written, StreamingResponse | PydanticResponse):
        written = written.get_response()
    text = written.response if isinstance(written, Response) else None
    return text if isinstance(text, str) else ""


def _response(request: Request, nodes: list[NodeWithScore]) -> Response:
    reply = request.reply
    return Response(reply.text, nodes if reply.outcome == "proceed" else [], {METADATA: plain(reply)})
