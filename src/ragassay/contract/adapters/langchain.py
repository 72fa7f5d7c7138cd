"""LangChain under a contract: a retriever that gives only what may be shown, and a whole chain."""

from collections.abc import Callable
from typing import Any, Unpack, cast

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda, ensure_config
    from langchain_core.vectorstores import VectorStore
except ImportError as missing:
    raise ImportError(
        "the LangChain adapter needs the package langchain-core: pip install 'ragassay[langchain]'",
        name="langchain_core",
    ) from missing

from ragassay.contract.adapters.grounds import opened
from ragassay.contract.adapters.passages import Keys, gathered, result_of, screened
from ragassay.contract.contract import Contract
from ragassay.contract.guarding import Grounds
from ragassay.contract.request import Reply, Request
from ragassay.records import Result

__all__ = ["ContractRetriever", "Keys", "asked_by", "grounds_of", "guarded_chain", "result", "scored", "text_of"]

Search = Runnable[str, list[Document]]
Searches = Search | Callable[[Request], Search]
"""A retriever, or what makes one for a request that searches only what is `request.admissible`."""
SCORED = Keys(score="score")
"""LangChain has no place for a score but the metadata; see `scored`."""
_GROUNDS = "ragassay"


def asked_by(**grounds: Unpack[Grounds]) -> RunnableConfig:
    """The part of a config that says who asks, about what and when. Merge it with your own by `merge_configs`."""
    return {"configurable": {_GROUNDS: grounds}}


def grounds_of(config: RunnableConfig | None) -> object:
    """What `asked_by` put into a config; nothing where there is none. Unchecked."""
    return (config or {}).get("configurable", {}).get(_GROUNDS, {})


def scored(store: VectorStore, k: int = 10, **options: object) -> Search:
    """A vector store as a retriever that keeps each score, in the metadata under `score`.

    `options` go to the store's search, a filter among them. Whether a score is a similarity or a distance is the
    store's doing, and `score_kind` of the contract has to say it.
    """

    def search(query: str) -> list[Document]:
        return _with_scores(store.similarity_search_with_score(query, k=k, **options))

    async def asearch(query: str) -> list[Document]:
        return _with_scores(await store.asimilarity_search_with_score(query, k=k, **options))

    return RunnableLambda(search, asearch, name="scored")


class ContractRetriever(BaseRetriever):
    """Gives only documents that are admissible and score well enough: none at all where the search stops.

    Who asks stands in the config, by `asked_by`. Nothing is recorded, for nothing is known of an answer.
    """

    contract: Contract
    retriever: Any
    keys: Keys = SCORED

    def invoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:  # noqa: ANN401  Theirs.
        return super().invoke(input, config, grounds=grounds_of(ensure_config(config)), **kwargs)

    async def ainvoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:  # noqa: ANN401  Theirs.
        return await super().ainvoke(input, config, grounds=grounds_of(ensure_config(config)), **kwargs)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, grounds: object = None
    ) -> list[Document]:
        request = opened(self.contract, query, grounds)
        return _searched(request, self, {"callbacks": run_manager.get_child()})

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, grounds: object = None
    ) -> list[Document]:
        request = opened(self.contract, query, grounds)
        return await _asearched(request, self, {"callbacks": run_manager.get_child()})


def guarded_chain(
    contract: Contract, retriever: Searches, generate: Runnable[dict[str, Any], Any], keys: Keys = SCORED
) -> Runnable[str, Reply]:
    """A chain from a question to a `Reply`. `generate` is given `question` and `context` (documents), and gives a text
    or a message. Config and callbacks reach both; what they raise is raised."""
    steps = ContractRetriever(contract=contract, retriever=retriever, keys=keys)

    def answer(question: str, config: RunnableConfig) -> Reply:
        with opened(contract, question, grounds_of(config)) as request:
            documents = _searched(request, steps, config)
            if request.grade().proceeds:
                request.verify(text_of(generate.invoke(_prompted(request, documents), config)))
            return request.reply

    async def aanswer(question: str, config: RunnableConfig) -> Reply:
        with opened(contract, question, grounds_of(config)) as request:
            documents = await _asearched(request, steps, config)
            if (await request.agrade()).proceeds:
                await request.averify(text_of(await generate.ainvoke(_prompted(request, documents), config)))
            return request.reply

    return RunnableLambda(answer, aanswer, name="guarded_chain")


def result(document: Document, keys: Keys) -> Result:
    """A document as a passage."""
    return result_of(keys, document.metadata, text=document.page_content, passage=document.id)


def text_of(written: object) -> str:
    """The text of what a model wrote; of what is neither text nor message there is none."""
    if isinstance(written, BaseMessage):
        return str(written.text)
    return written if isinstance(written, str) else ""


def _searched(request: Request, steps: ContractRetriever, config: RunnableConfig) -> list[Document]:
    request.expand()
    if not request.filter().proceeds:
        return []
    search = _search(request, steps)
    return _left(request, steps, [search.invoke(query, config) for query in request.queries])


async def _asearched(request: Request, steps: ContractRetriever, config: RunnableConfig) -> list[Document]:
    request.expand()
    if not request.filter().proceeds:
        return []
    search = _search(request, steps)
    return _left(request, steps, [await search.ainvoke(query, config) for query in request.queries])


def _search(request: Request, steps: ContractRetriever) -> Search:
    given: object = steps.retriever
    return cast("Search", given if isinstance(given, Runnable) else cast("Callable[[Request], Search]", given)(request))


def _left(request: Request, steps: ContractRetriever, batches: list[list[Document]]) -> list[Document]:
    return screened(request, gathered(batches, lambda each: result(each, steps.keys), steps.contract.score_kind))


def _prompted(request: Request, documents: list[Document]) -> dict[str, Any]:
    return {"question": request.standalone, "context": documents}


def _with_scores(found: list[tuple[Document, float]]) -> list[Document]:
    return [each.model_copy(update={"metadata": {**each.metadata, "score": score}}) for each, score in found]
