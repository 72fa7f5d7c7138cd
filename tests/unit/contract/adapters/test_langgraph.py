"""The contract as nodes of a real graph."""

import asyncio
from typing import Any

import pytest
from contracting import ANSWER, QUESTION, REQUESTER, TODAY, Said, contract
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from ragassay.contract import Recorder
from ragassay.contract.adapters.langchain import asked_by
from ragassay.contract.adapters.langgraph import ContractNodes, ContractState, route

ASKED = asked_by(requester=REQUESTER, scope={"product": "K-7"}, as_of=TODAY)
GOOD, SECRET, HOSTILE = (
    Document(page_content="M12 bolts take 80 Nm.", metadata={"document": document, "revision": revision, "score": 0.9})
    for document, revision in (("TI-204", "C"), ("HR-1", "1"), (["TI-204"], 7))
)


class State(ContractState):
    asked: list[Any]


def graph(nodes: ContractNodes, documents: list[Document], answer: Any = ANSWER, **compiling: Any) -> Any:
    def retrieve(state: State) -> dict[str, Any]:
        return {"documents": documents, "asked": list(state["contract_request"].admissible.revisions)}

    def generate(state: State) -> dict[str, Any]:
        return {"answer": AIMessage(content=answer) if isinstance(answer, str) else answer}

    built = StateGraph(State)
    steps = {
        "filter": (nodes.filter, "retrieve"),
        "search": (nodes.search, "grade"),
        "grade": (nodes.grade, "generate"),
        "verify": (nodes.verify, END),
    }
    for name, (node, after) in steps.items():
        built.add_node(name, node)
        built.add_conditional_edges(name, route, {"proceed": after, "stop": END})
    built.add_node("retrieve", retrieve)
    built.add_node("generate", generate)
    built.add_edge(START, "filter")
    built.add_edge("retrieve", "search")
    built.add_edge("generate", "verify")
    return built.compile(**compiling)


def run(app: Any, way: str, config: Any = ASKED) -> Any:
    state = {"question": QUESTION}
    return app.invoke(state, config) if way == "sync" else asyncio.run(app.ainvoke(state, config))


both = pytest.mark.parametrize("way", ["sync", "async"])


@both
def test_a_graph_answers_as_verified(way, tmp_path):
    recorder = Recorder(tmp_path / "answers.jsonl")
    state = run(graph(ContractNodes(contract(recorder=recorder)), [SECRET, GOOD, HOSTILE]), way)
    assert state["answer"] == "The M12 bolts take 80 Nm [1]."
    assert state["documents"] == [GOOD]
    assert state["asked"] == [("TI-204", "C"), ("GL-1", "1")]
    assert [each["stage"] for each in state["decisions"]] == ["expand", "filter", "search", "grade", "verify"]
    assert state["decision"]["reason"] == "repaired"
    assert recorder.flush() and recorder.counts.written == 1


@both
@pytest.mark.parametrize(
    ("documents", "judge", "stage", "reason"),
    [
        ([SECRET], Said(), "search", "nothing_admissible"),
        ([HOSTILE], Said(), "search", "nothing_admissible"),
        ([GOOD], Said(relevance=0.1), "grade", "irrelevant_context"),
    ],
)
def test_a_stop_ends_the_graph(way, documents, judge, stage, reason, tmp_path):
    recorder = Recorder(tmp_path / "answers.jsonl")
    state = run(graph(ContractNodes(contract(judge, recorder=recorder)), documents), way)
    assert (state["decision"]["stage"], state["decision"]["reason"]) == (stage, reason)
    assert state["answer"] == state["decision"]["message"]
    assert recorder.flush() and recorder.counts.written == 1


def test_an_answer_that_is_no_text_is_blocked():
    state = graph(ContractNodes(contract()), [GOOD], answer={"x": 1}).invoke({"question": QUESTION}, ASKED)
    assert state["decision"]["reason"] == "empty_answer"
    assert isinstance(state["answer"], str) and state["answer"]


@both
def test_a_checkpoint_holds_plain_data_and_no_request(way):
    saver = InMemorySaver()
    config = {**ASKED, "configurable": {**ASKED["configurable"], "thread_id": "t"}}
    app = graph(ContractNodes(contract()), [GOOD], checkpointer=saver, interrupt_before=["grade"])
    run(app, way, config)
    kept = app.get_state(config).values
    assert "contract_request" not in kept
    assert kept["decision"]["stage"] == "search"
    resumed = app.invoke(None, config)
    assert resumed["decision"]["reason"] == "out_of_order"
    assert resumed["decision"]["outcome"] == "block"


def test_without_a_decision_nothing_goes_on():
    assert route({}) == "stop"
    assert route({"decision": {"outcome": "clarify"}}) == "stop"
    assert route({"decision": {"outcome": "proceed"}}) == "proceed"


def test_who_asks_is_in_no_checkpoint():
    saver = InMemorySaver()
    config = {**ASKED, "configurable": {**ASKED["configurable"], "thread_id": "t"}}
    graph(ContractNodes(contract()), [GOOD], checkpointer=saver).invoke({"question": QUESTION}, config)
    kept = list(saver.list({"configurable": {"thread_id": "t"}}))
    assert kept and "assembly" not in str(kept)
