"""LangGraph under a contract: a node per stage, and the edge that does not go on after a stop."""

from typing import Annotated, Any, Literal, TypedDict

try:
    from langchain_core.documents import Document
    from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
    from langgraph.channels import UntrackedValue  # pyright: ignore[reportMissingTypeStubs]
except ImportError as missing:
    raise ImportError(
        "the LangGraph adapter needs the packages langchain-core and langgraph: pip install 'ragassay[langchain]'",
        name="langgraph",
    ) from missing

from ragassay.contract.adapters.grounds import opened
from ragassay.contract.adapters.langchain import SCORED, grounds_of, result, text_of
from ragassay.contract.adapters.passages import Keys, screened
from ragassay.contract.adapters.replies import plain
from ragassay.contract.contract import Contract
from ragassay.contract.request import Request
from ragassay.records import Decision

__all__ = ["ContractNodes", "ContractState", "route"]


class ContractState(TypedDict, total=False):
    """What the nodes read and write; extend it with your own.

    `decision` is the last one and `decisions` are all of them, as plain data. `answer` is what may be shown: the text
    as verified, or the refusal. `contract_request` is the request in flight. It never enters a checkpoint: a graph
    that is resumed from one has to search again, and is told so by `out_of_order`.
    """

    question: str
    documents: list[Document]
    answer: Any
    decision: dict[str, Any]
    decisions: list[dict[str, Any]]
    contract_request: Annotated[Any, UntrackedValue]


Node = Runnable[ContractState, ContractState]


def route(state: ContractState) -> Literal["proceed", "stop"]:
    """For a conditional edge behind a node. Without a decision nothing goes on."""
    return "proceed" if state.get("decision", {}).get("outcome") == "proceed" else "stop"


class ContractNodes:
    """The stages of a contract as nodes, sync and async.

    `filter` opens the request; a node of yours then searches what its `admissible` allows and writes `documents`.
    `search` leaves what may be shown of them, `grade` looks at that, and `verify` at the `answer` your model wrote. Who
    asks stands in the config, by `ragassay.contract.adapters.langchain.asked_by`.
    """

    def __init__(self, contract: Contract, keys: Keys = SCORED) -> None:
        self._contract = contract
        self._keys = keys
        self.filter: Node = RunnableLambda(self._filter, name="contract_filter")
        self.search: Node = RunnableLambda(self._search, name="contract_search")
        self.grade: Node = RunnableLambda(self._grade, self._agrade, name="contract_grade")
        self.verify: Node = RunnableLambda(self._verify, self._averify, name="contract_verify")

    def _filter(self, state: ContractState, config: RunnableConfig) -> ContractState:
        request = opened(self._contract, state.get("question"), grounds_of(config))
        request.expand()
        return _written(request, request.filter())

    def _search(self, state: ContractState, config: RunnableConfig) -> ContractState:
        request = self._request(state, config)
        found = state.get("documents", [])
        documents = screened(request, [(each, result(each, self._keys)) for each in found])
        decision = request.trail.decisions[-1]
        return {**_written(request, decision), "documents": documents}

    def _grade(self, state: ContractState, config: RunnableConfig) -> ContractState:
        request = self._request(state, config)
        return _written(request, request.grade())

    async def _agrade(self, state: ContractState, config: RunnableConfig) -> ContractState:
        request = self._request(state, config)
        return _written(request, await request.agrade())

    def _verify(self, state: ContractState, config: RunnableConfig) -> ContractState:
        request = self._request(state, config)
        return _written(request, request.verify(text_of(state.get("answer"))))

    async def _averify(self, state: ContractState, config: RunnableConfig) -> ContractState:
        request = self._request(state, config)
        return _written(request, await request.averify(text_of(state.get("answer"))))

    def _request(self, state: ContractState, config: RunnableConfig) -> Request:
        known = state.get("contract_request")
        if isinstance(known, Request):
            return known
        return opened(self._contract, state.get("question"), grounds_of(config))


def _written(request: Request, decision: Decision) -> ContractState:
    told = plain(request.reply)
    decisions = told["decisions"]
    state: ContractState = {"contract_request": request, "decision": decisions[-1], "decisions": decisions}
    if decision.stage == "verify" or not decision.proceeds:
        state["answer"] = told["text"]
        request.finish()
    return state
