"""A LangGraph graph under the contract: a node per stage, and an end behind every stop."""

from typing import Any

from langchain_core.documents import Document
from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]
from plant import ASSEMBLY, CHUNKS, QUESTION, contract, model

from ragassay.contract.adapters.langchain import asked_by
from ragassay.contract.adapters.langgraph import ContractNodes, ContractState, route


def retrieve(state: ContractState) -> dict[str, Any]:
    admissible = state.get("contract_request").admissible  # pyright: ignore[reportOptionalMemberAccess]
    found = [
        Document(page_content=text, metadata={"document": document, "revision": revision, "score": 0.9})
        for (document, revision), text in CHUNKS.items()
        if admissible.allows(document, revision)
    ]
    return {"documents": found}


def generate(state: ContractState) -> dict[str, Any]:
    return {"answer": model(state.get("question", ""))}


def graph() -> Any:  # noqa: ANN401  What LangGraph compiles.
    nodes = ContractNodes(contract())
    built: Any = StateGraph(ContractState)
    for name, node, after in (
        ("filter", nodes.filter, "retrieve"),
        ("search", nodes.search, "grade"),
        ("grade", nodes.grade, "generate"),
        ("verify", nodes.verify, END),
    ):
        built.add_node(name, node)
        built.add_conditional_edges(name, route, {"proceed": after, "stop": END})
    built.add_node("retrieve", retrieve)
    built.add_node("generate", generate)
    built.add_edge(START, "filter")
    built.add_edge("retrieve", "search")
    built.add_edge("generate", "verify")
    return built.compile()


if __name__ == "__main__":
    app = graph()
    for question in (QUESTION, "How many days of leave are there?"):
        state = app.invoke({"question": question}, asked_by(requester=ASSEMBLY))
        print(f"{state['decision']['outcome']}: {state['answer']}")
