"""The contract as components of a real pipeline."""

import asyncio
import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from contracting import ANSWER, DOCUMENTS, QUESTION, REQUESTER, TODAY, Raising, Said, contract, judged
from haystack import Document, Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers import InMemoryBM25Retriever
from haystack.core.errors import DeserializationError
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils.filters import document_matches_filter

from ragassay.contract import Contract, Recorder
from ragassay.contract.adapters.haystack import (
    ContractFilter,
    ContractGate,
    ContractVerify,
    InFlight,
    Keys,
    admissible_filters,
)
from ragassay.records import ExpandTerms, FaultyInput, FilterTerms, SearchTerms, Terms

TERMS = Terms(name="t", search=SearchTerms(thresholds={"bm25": 0.01}))
GROUNDS = {"requester": REQUESTER, "scope": {"product": "K-7"}, "as_of": TODAY}


def stored(name: str, document: Any, revision: Any, text: Any = "M12 bolts of the K-7 take 80 Nm.") -> Document:
    return Document(id=name, content=text, meta={"document": document, "revision": revision}, score=0.9)


GOOD, OLD, SECRET = stored("c", "TI-204", "C"), stored("b", "TI-204", "B"), stored("s", "HR-1", "1", "bolts of K-7")
HOSTILE = [stored("h1", ["TI-204"], "C"), stored("h2", "TI-204", {"a": 1}), Document(id="h3", content="x", meta={})]


@component
class Writer:
    """A generator that remembers its prompts."""

    def __init__(self, said: Any) -> None:
        self.said, self.prompts = said, []

    @component.output_types(replies=list[str])
    def run(self, prompt: str) -> dict[str, Any]:
        self.prompts.append(prompt)
        return {"replies": [self.said]}


@cache
def plain() -> Contract:
    """The contract of a module, as a pipeline names it."""
    return contract(terms=TERMS)


def pipeline(given: Contract, said: Any = ANSWER, documents: Any = (GOOD, OLD, SECRET)) -> tuple[Pipeline, Writer]:
    store, writer = InMemoryDocumentStore(), Writer(said)
    store.write_documents(list(documents))
    made = Pipeline()
    made.add_component("filter", ContractFilter(lambda: given))
    made.add_component("retriever", InMemoryBM25Retriever(store))
    made.add_component("gate", ContractGate())
    made.add_component("prompt", PromptBuilder("{% for d in documents %}{{d.content}}{% endfor %}", ["documents"]))
    made.add_component("writer", writer)
    made.add_component("verify", ContractVerify())
    for sender, receiver in (
        ("filter.query", "retriever.query"),
        ("filter.filters", "retriever.filters"),
        ("filter.request", "gate.request"),
        ("retriever.documents", "gate.documents"),
        ("gate.documents", "prompt.documents"),
        ("gate.request", "verify.request"),
        ("prompt.prompt", "writer.prompt"),
        ("writer.replies", "verify.replies"),
    ):
        made.connect(sender, receiver)
    return made, writer


def run(made: Pipeline, way: str, **given: Any) -> Any:
    data = {"filter": {"question": QUESTION, **GROUNDS, **given}}
    return made.run(data) if way == "sync" else asyncio.run(made.run_async(data))


def only_reply(told: Any, at: str) -> Any:
    """The reply of a run, which stands at this component and at no other."""
    assert [name for name, output in told.items() if "reply" in output] == [at]
    return told[at]["reply"]


both = pytest.mark.parametrize("way", ["sync", "async"])


@both
def test_a_pipeline_answers_as_verified(way, tmp_path):
    recorder = Recorder(tmp_path / "answers.jsonl")
    made, writer = pipeline(contract(terms=TERMS, recorder=recorder))
    told = run(made, way)
    reply = only_reply(told, "verify")
    assert (reply["outcome"], reply["text"]) == ("proceed", "The M12 bolts take 80 Nm [1].")
    assert [each["stage"] for each in reply["decisions"]] == ["expand", "filter", "search", "grade", "verify"]
    assert "removed" not in reply["decisions"][2]
    assert json.loads(json.dumps(reply)) == reply
    assert writer.prompts == [GOOD.content]
    assert recorder.flush() and recorder.counts.written == 1


@both
@pytest.mark.parametrize(
    ("judge", "reason"), [(Said(sufficiency=0.1), "insufficient_context"), (Raising(KeyError("no")), "judge_failed")]
)
def test_a_stop_at_the_gate_is_a_branch(way, judge, reason, tmp_path):
    recorder = Recorder(tmp_path / "answers.jsonl")
    made, writer = pipeline(contract(judge, TERMS, recorder=recorder))
    told = run(made, way)
    reply = only_reply(told, "gate")
    assert reply["decisions"][-1]["reason"] == reason
    assert reply["text"]
    assert writer.prompts == []
    assert recorder.flush() and recorder.counts.written == 1


@both
def test_where_nothing_is_admissible_no_retriever_runs(way):
    made, writer = pipeline(Contract(TERMS, DOCUMENTS[2:3], judges=judged(Said())))
    told = run(made, way)
    assert only_reply(told, "filter")["decisions"][-1]["reason"] == "nothing_admissible"
    assert writer.prompts == []


@both
@pytest.mark.parametrize("said", ["", ChatMessage.from_assistant("The K-7 is green.")])
def test_an_answer_that_says_nothing_supported_is_withheld(way, said):
    told = run(pipeline(contract(terms=TERMS), said)[0], way)
    reply = only_reply(told, "verify")
    assert reply["outcome"] == "block"
    assert "green" not in reply["text"]


@both
def test_hostile_documents_stop_by_name(way):
    off = InFlight(contract().request(QUESTION, **GROUNDS))
    documents = [*HOSTILE, replace(GOOD, id="h4", score="0.99"), replace(GOOD, id="h5", content=None, meta=None)]
    gate = ContractGate()
    told = gate.run(off, documents) if way == "sync" else asyncio.run(gate.run_async(off, documents))
    removed = {each["reason"]: each["count"] for each in told["reply"]["decisions"][-1]["removed"]}
    assert removed == {"unknown_document": 4, "no_score": 1}


def test_a_requester_is_made_by_the_application():
    with pytest.raises(FaultyInput, match="requester"):
        ContractFilter(plain).run(QUESTION, requester={"groups": ["board"]})


def test_filters_are_exact_in_document_and_revision():
    filters = admissible_filters(contract().request(QUESTION, **GROUNDS))
    swapped = [stored("x", "GL-1", "C"), stored("y", "TI-204", "1")]
    matching = [
        each
        for each in (GOOD, OLD, SECRET, stored("g", "GL-1", "1"), *swapped)
        if document_matches_filter(filters, each)
    ]
    assert [each.id for each in matching] == ["c", "g"]
    coarse = admissible_filters(contract().request(QUESTION, **GROUNDS), Keys(document="doc", revision=None))
    assert coarse == {"field": "meta.doc", "operator": "in", "value": ["GL-1", "TI-204"]}


def test_a_contract_that_filters_nothing_gives_no_filters():
    off = Terms(name="t", filter=FilterTerms(access="off", revision="off", scope="off"))
    told = ContractFilter(lambda: contract(terms=off)).run(QUESTION)
    assert told["filters"] is None


def test_synonyms_are_given_beside_the_question():
    terms = Terms(name="t", expand=ExpandTerms(synonyms={"bolts": ("screws",)}))
    told = ContractFilter(lambda: contract(terms=terms)).run(QUESTION, **GROUNDS)
    assert told["query"] == told["queries"][0] == QUESTION
    assert "screws" in told["queries"][1]


def test_a_request_is_never_copied():
    from copy import deepcopy

    carried = InFlight(contract().request(QUESTION))
    assert deepcopy({"a": [carried]})["a"][0] is carried


def test_a_pipeline_is_kept_by_names_and_comes_back():
    made = Pipeline()
    made.add_component("filter", ContractFilter(plain, Keys(document="doc", revision="rev")))
    made.add_component("gate", ContractGate(Keys(score="own")))
    made.add_component("verify", ContractVerify())
    made.connect("filter.request", "gate.request")
    made.connect("gate.request", "verify.request")
    text = made.dumps()
    assert "name: t" not in text
    with pytest.raises(DeserializationError):
        Pipeline.loads(text, allowed_modules=["ragassay.*"])
    back = Pipeline.loads(text, allowed_modules=["ragassay.*", __name__])
    assert back.dumps() == text
    assert back.get_component("filter").contract is plain
    assert back.get_component("gate").keys == Keys(score="own")
