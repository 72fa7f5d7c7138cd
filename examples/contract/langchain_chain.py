"""A LangChain chain under the contract: an in-memory vector store that searches only what is admissible."""

from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from plant import ASSEMBLY, CHUNKS, QUESTION, contract, model

from ragassay.contract import Request
from ragassay.contract.adapters.langchain import asked_by, guarded_chain, scored

# This embedding finds nothing but the text itself; a real one goes here.
store = InMemoryVectorStore(DeterministicFakeEmbedding(size=64))
store.add_documents(
    [
        Document(page_content=text, metadata={"document": document, "revision": revision})
        for (document, revision), text in CHUNKS.items()
    ]
)


def admissible(request: Request) -> Runnable[str, list[Document]]:
    def is_allowed(found: Document) -> bool:
        metadata: dict[str, Any] = found.metadata
        return request.admissible.allows(metadata["document"], metadata["revision"])

    return scored(store, k=5, filter=is_allowed)


def write(prompt: dict[str, Any]) -> str:
    return model(prompt["question"])


chain = guarded_chain(contract(), admissible, RunnableLambda(write))

if __name__ == "__main__":
    for question in (*CHUNKS.values(), QUESTION):
        reply = chain.invoke(question, asked_by(requester=ASSEMBLY))
        print(f"{reply.outcome}: {reply.text}")
