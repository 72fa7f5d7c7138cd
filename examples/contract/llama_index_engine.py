# ruff: noqa: ANN401, ARG002  The signatures are theirs.
"""A LlamaIndex query engine under the contract, over an index whose search is filtered for every request."""

from typing import Any

from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.response_synthesizers import BaseSynthesizer
from llama_index.core.schema import TextNode
from plant import ASSEMBLY, CHUNKS, QUESTION, contract, model

from ragassay.contract import Request
from ragassay.contract.adapters.llama_index import ContractQueryEngine, admissible_filters

index = VectorStoreIndex(
    [
        TextNode(id_=f"{document}@{revision}", text=text, metadata={"document": document, "revision": revision})
        for (document, revision), text in CHUNKS.items()
    ],
    embed_model=MockEmbedding(embed_dim=8),
)


class Stub(BaseSynthesizer):
    """Stands for `get_response_synthesizer(llm=…)`."""

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts_dict: dict[str, Any]) -> None:
        return None

    def get_response(self, query_str: str, text_chunks: Any, **response_kwargs: Any) -> str:
        return model(query_str)

    async def aget_response(self, query_str: str, text_chunks: Any, **response_kwargs: Any) -> str:
        return model(query_str)


def admissible(request: Request) -> BaseRetriever:
    return index.as_retriever(similarity_top_k=5, filters=admissible_filters(request))


engine = ContractQueryEngine(contract(), admissible, Stub(llm=MockLLM()), grounds=lambda: {"requester": ASSEMBLY})

if __name__ == "__main__":
    for question in (QUESTION, "How many days of leave are there?"):
        response = engine.query(question)
        decided = (response.metadata or {})["ragassay"]
        print(f"{decided['outcome']}: {response}")
