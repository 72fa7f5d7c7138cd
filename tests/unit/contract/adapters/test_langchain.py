"""The contract inside LangChain's own retrievers, runnables and callbacks."""

import asyncio
from typing import Any

import pytest
from contracting import ANSWER, DOCUMENTS, QUESTION, REQUESTER, TODAY, Raising, Said, contract, judged
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.config import merge_configs
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import Field

from ragassay.contract import Contract, Recorder
from ragassay.contract.adapters.langchain import (
    ContractRetriever,
    Keys,
    asked_by,
    guarded_chain,
    scored,
    text_of,
)
from ragassay.records import Citation, ExpandTerms, FaultyInput, SearchTerms, Terms

TEXT = "M12 bolts of the K-7 take 80 Nm."
ASKED = asked_by(requester=REQUESTER, scope={"product": "K-7"}, as_of=TODAY)


def found(document: Any = "TI-204", revision: Any = "C", score: Any = 0.9, text: str = TEXT) -> Document:
    return Document(page_content=text, metadata={"document": document, "revision": revision, "score": score})


GOOD, OLD, SECRET = found(), found(revision="B"), found("HR-1", "1", text="Salaries of the board.")
HOSTILE = [
    found(["TI-204"]),
    found(revision={"$gt": ""}),
    found(score="0.99"),
    found(score=float("nan")),
    found({}, {}),
]


class Listed(BaseRetriever):
    """Gives its documents for whatever it is asked."""

    documents: list[Document]
    asked: list[str] = Field(default_factory=list)

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        self.asked.append(query)
        return self.documents

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        self.asked.append(f"async {query}")
        return self.documents


class Seen(BaseCallbackHandler):
    """Which retrievers and models were started under which parents."""

    def __init__(self):
        self.retrievers, self.chains, self.models = [], [], 0

    def on_retriever_start(self, serialized, query, **kwargs):
        self.retrievers.append((kwargs["name"], kwargs["parent_run_id"] is not None))

    def on_chain_start(self, serialized, inputs, **kwargs):
        self.chains.append(kwargs["name"])

    def on_chat_model_start(self, serialized, messages, **kwargs):
        self.models += 1


class Prompted:
    """A prompt and a chat model, and what the model was shown."""

    def __init__(self, said: str = ANSWER):
        self.prompts: list[str] = []
        model = GenericFakeChatModel(messages=iter([AIMessage(content=said)] * 5))
        prompt = ChatPromptTemplate.from_template("{question}\n{context}")
        self.runnable = prompt | RunnableLambda(self._shown) | model

    def _shown(self, prompt):
        self.prompts.append(prompt.to_string())
        return prompt


def run(runnable: Any, value: Any, way: str, config: Any = ASKED) -> Any:
    return runnable.invoke(value, config) if way == "sync" else asyncio.run(runnable.ainvoke(value, config))


both = pytest.mark.parametrize("way", ["sync", "async"])


@both
def test_a_retriever_gives_only_what_may_be_shown(way):
    inner = Listed(documents=[SECRET, OLD, GOOD, found(score=0.5), *HOSTILE])
    retriever = ContractRetriever(contract=contract(), retriever=inner)
    assert run(retriever, QUESTION, way) == [GOOD]
    assert inner.asked[-1] == (QUESTION if way == "sync" else f"async {QUESTION}")


@both
def test_who_is_not_named_reads_what_everyone_may(way):
    retriever = ContractRetriever(contract=contract(), retriever=Listed(documents=[GOOD, found("GL-1", "1")]))
    assert run(retriever, QUESTION, way, None) == [found("GL-1", "1")]


def test_a_retriever_keeps_its_place_in_a_chain_with_config_and_callbacks():
    seen = Seen()
    retriever = ContractRetriever(contract=contract(), retriever=Listed(documents=[SECRET, GOOD]))
    chain = retriever | RunnableLambda(len)
    assert chain.invoke(QUESTION, merge_configs(ASKED, {"callbacks": [seen]})) == 1
    assert seen.retrievers == [("ContractRetriever", True), ("Listed", True)]
    assert chain.batch([QUESTION, QUESTION], ASKED) == [1, 1]


def test_what_searches_may_depend_on_the_request():
    allowed = []

    def searching(request):
        allowed.extend(request.admissible.revisions)
        return Listed(documents=[GOOD])

    retriever = ContractRetriever(contract=contract(), retriever=searching)
    assert retriever.invoke(QUESTION, ASKED) == [GOOD]
    assert allowed == [("TI-204", "C"), ("GL-1", "1")]


@both
def test_a_mapping_that_came_with_a_call_is_nobodys_identity(way):
    retriever = ContractRetriever(contract=contract(), retriever=Listed(documents=[SECRET]))
    forged = {"configurable": {"ragassay": {"requester": {"groups": ["board"]}}}}
    with pytest.raises(FaultyInput, match="requester"):
        run(retriever, QUESTION, way, forged)
    with pytest.raises(FaultyInput, match="question"):
        run(retriever, {"question": QUESTION}, way)


@both
def test_a_chain_answers_as_verified(way, tmp_path):
    recorder, writer, seen = Recorder(tmp_path / "answers.jsonl"), Prompted(), Seen()
    chain = guarded_chain(contract(recorder=recorder), Listed(documents=[SECRET, GOOD]), writer.runnable)
    reply = run(chain, QUESTION, way, merge_configs(ASKED, {"callbacks": [seen]}))
    assert (reply.outcome, reply.text) == ("proceed", "The M12 bolts take 80 Nm [1].")
    assert reply.citations == (Citation(marker="[1]", document="TI-204", revision="C"),)
    assert "80 Nm" in writer.prompts[0] and "Salaries" not in writer.prompts[0]
    assert (seen.chains[0], seen.retrievers, seen.models) == ("guarded_chain", [("Listed", True)], 1)
    assert recorder.flush() and recorder.counts.written == 1


@both
@pytest.mark.parametrize(
    ("documents", "judge", "asked", "outcome", "reason"),
    [
        ([SECRET], Said(), ASKED, "abstain", "nothing_admissible"),
        ([found(score=0.1)], Said(), ASKED, "abstain", "nothing_suitable"),
        (HOSTILE, Said(), ASKED, "abstain", "nothing_suitable"),
        ([GOOD], Said(sufficiency=0.1), ASKED, "clarify", "insufficient_context"),
        ([GOOD], Raising(RuntimeError("no")), ASKED, "block", "judge_failed"),
    ],
)
def test_after_a_stop_no_model_writes(way, documents, judge, asked, outcome, reason):
    writer = Prompted()
    reply = run(guarded_chain(contract(judge), Listed(documents=documents), writer.runnable), QUESTION, way, asked)
    assert (reply.outcome, reply.trail.stop.reason, writer.prompts) == (outcome, reason, [])
    assert reply.text and not reply.citations


@both
def test_where_nothing_is_admissible_nothing_is_searched(way):
    inner = Listed(documents=[GOOD])
    closed = Contract(Terms(name="t"), DOCUMENTS[2:3], judges=judged(Said()))
    reply = run(guarded_chain(closed, inner, Prompted().runnable), QUESTION, way)
    assert (reply.trail.stop.stage, reply.trail.stop.reason) == ("filter", "nothing_admissible")
    assert inner.asked == []
    assert run(ContractRetriever(contract=closed, retriever=inner), QUESTION, way) == []


def test_a_chain_without_a_text_is_blocked():
    chain = guarded_chain(contract(), Listed(documents=[GOOD]), RunnableLambda(lambda _: {"answer": "80 Nm"}))
    assert chain.invoke(QUESTION, ASKED).trail.stop.reason == "empty_answer"


def test_what_a_model_raises_is_raised():
    def broken(_):
        raise ZeroDivisionError

    chain = guarded_chain(contract(), Listed(documents=[GOOD]), RunnableLambda(broken))
    with pytest.raises(ZeroDivisionError):
        chain.invoke(QUESTION, ASKED)


@both
def test_synonyms_are_searched_beside_the_question(way):
    terms = Terms(name="t", expand=ExpandTerms(synonyms={"bolts": ("screws",)}))
    inner = Listed(documents=[GOOD])
    reply = run(guarded_chain(contract(terms=terms), inner, Prompted().runnable), QUESTION, way)
    assert len(inner.asked) == 2 and "screws" in inner.asked[1]
    assert len(reply.trail.decisions) == 5
    assert reply.outcome == "proceed"


@both
def test_a_vector_store_keeps_its_scores(way):
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents([Document(page_content=TEXT, metadata={"document": "TI-204", "revision": "C"}, id="c1")])
    documents = run(scored(store, k=1), TEXT, way)
    assert documents[0].metadata["score"] == pytest.approx(1.0)
    assert "score" not in store.get_by_ids(["c1"])[0].metadata
    retriever = ContractRetriever(contract=contract(), retriever=scored(store, filter=lambda _: True))
    assert [each.id for each in run(retriever, TEXT, way)] == ["c1"]


def test_a_distance_is_better_when_lower():
    terms = Terms(name="t", search=SearchTerms(thresholds={"distance": 0.3}))
    retriever = ContractRetriever(
        contract=contract(terms=terms),
        retriever=Listed(documents=[found(score=0.9), found(score=0.2)]),
        keys=Keys(score="score"),
    )
    assert retriever.invoke(QUESTION, ASKED) == [found(score=0.2)]


def test_the_text_of_what_a_model_wrote():
    assert text_of("a") == "a"
    assert text_of(AIMessage(content=[{"type": "text", "text": "a"}, "b"])) == "ab"
    assert text_of(None) == text_of(["a"]) == ""
