"""A Haystack pipeline under the contract. A stop ends it at the component where it stopped."""

from typing import Any

from haystack import Document, Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack.document_stores.in_memory import InMemoryDocumentStore
from plant import ASSEMBLY, CHUNKS, QUESTION, contract, model

from ragassay.contract.adapters.haystack import ContractFilter, ContractGate, ContractVerify

TEMPLATE = "{% for each in documents %}{{ each.content }}{% endfor %}"
store = InMemoryDocumentStore()
store.write_documents(
    [
        Document(content=text, meta={"document": document, "revision": revision}, score=0.9)
        for (document, revision), text in CHUNKS.items()
    ]
)


@component
class Retriever:
    """Stands for a retriever with similarities; it finds whatever the filters allow."""

    @component.output_types(documents=list[Document])
    def run(self, query: str, filters: dict[str, Any] | None = None) -> dict[str, Any]:  # noqa: ARG002
        return {"documents": store.filter_documents(filters)}


@component
class Generator:
    """Stands for a language model."""

    @component.output_types(replies=list[str])
    def run(self, prompt: str) -> dict[str, Any]:
        return {"replies": [model(prompt)]}


def pipeline() -> Pipeline:
    made = Pipeline()
    made.add_component("filter", ContractFilter(contract))
    made.add_component("retriever", Retriever())
    made.add_component("gate", ContractGate())
    made.add_component(
        "prompt", PromptBuilder("{% for each in documents %}{{ each.content }}{% endfor %}", ["documents"])
    )
    made.add_component("generator", Generator())
    made.add_component("verify", ContractVerify())
    made.connect("filter.query", "retriever.query")
    made.connect("filter.filters", "retriever.filters")
    made.connect("filter.request", "gate.request")
    made.connect("retriever.documents", "gate.documents")
    made.connect("gate.documents", "prompt.documents")
    made.connect("gate.request", "verify.request")
    made.connect("prompt.prompt", "generator.prompt")
    made.connect("generator.replies", "verify.replies")
    return made


if __name__ == "__main__":
    runs = pipeline()
    for question in (QUESTION, "How many days of leave are there?"):
        told = runs.run({"filter": {"question": question, "requester": ASSEMBLY}})
        reply = next(output["reply"] for output in told.values() if "reply" in output)
        print(f"{reply['outcome']}: {reply['text']}")
