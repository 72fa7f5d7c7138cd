"""Spans as an exporter sees them."""

import asyncio
import json

import pytest
from contracting import (
    ANSWER,
    DOCUMENTS,
    GOOD,
    QUESTION,
    REQUESTER,
    SECRET,
    TODAY,
    Raising,
    Said,
    Waiting,
    judged,
    passage,
)
from langchain_core.runnables import RunnableLambda
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from ragassay.contract import Recorder
from ragassay.contract.adapters.langchain import asked_by, guarded_chain
from ragassay.contract.adapters.opentelemetry import TracedContract
from ragassay.records import BudgetTerms, FaultyInput, GradeTerms, Terms

TERMS = Terms(name="test")
GROUNDS = {"requester": REQUESTER, "scope": {"product": "K-7"}, "as_of": TODAY, "id": "q1"}


class Traces:
    """A tracer, and what was exported, by name."""

    def __init__(self):
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = provider.get_tracer("test")

    def contract(self, judge=None, terms=TERMS, **given):
        return TracedContract(terms, DOCUMENTS, tracer=self.tracer, judges=judged(judge or Said()), **given)

    @property
    def spans(self):
        return {span.name: span for span in self.exporter.get_finished_spans()}


@pytest.fixture
def traces():
    return Traces()


def answered(contract, way="sync", found=(SECRET, GOOD), said=ANSWER):
    if way == "sync":
        return contract.guard(search=lambda _: found, generate=lambda _: said)(QUESTION, **GROUNDS)

    async def search(_):
        return found

    async def generate(_):
        return said

    return asyncio.run(contract.aguard(search=search, generate=generate)(QUESTION, **GROUNDS))


both = pytest.mark.parametrize("way", ["sync", "async"])


@both
def test_every_stage_is_a_span_under_the_request(traces, way):
    reply = answered(traces.contract(), way)
    spans = traces.spans
    stages = ("expand", "filter", "search", "grade", "verify")
    assert list(spans) == [*(f"contract {stage}" for stage in stages), "contract"]
    root = spans["contract"]
    for decision in reply.trail.decisions:
        span = spans[f"contract {decision.stage}"]
        assert span.parent.span_id == root.context.span_id
        assert root.start_time <= span.start_time <= span.end_time <= root.end_time
        assert span.attributes["ragassay.contract.reason"] == decision.reason
        assert span.attributes["ragassay.contract.hash"] == reply.trail.hash
        assert span.status.status_code is StatusCode.UNSET
    kinds = [span.attributes["openinference.span.kind"] for span in spans.values()]
    assert kinds == ["CHAIN", "GUARDRAIL", "RETRIEVER", "EVALUATOR", "GUARDRAIL", "CHAIN"]
    assert root.attributes["ragassay.contract.outcome"] == "proceed"


def test_what_was_found_stands_under_the_names_of_both_conventions(traces):
    answered(traces.contract())
    attributes = traces.spans["contract search"].attributes
    assert attributes["retrieval.documents.0.document.id"] == "TI-204@C#1"
    assert attributes["retrieval.documents.0.document.score"] == 0.9
    assert "retrieval.documents.1.document.id" not in attributes
    assert attributes["gen_ai.operation.name"] == "retrieval"
    assert json.loads(attributes["gen_ai.retrieval.documents"]) == [{"id": "TI-204@C#1", "score": 0.9}]
    assert attributes["ragassay.contract.score.value"] == 0.9
    assert attributes["ragassay.contract.score.at_least"] == 0.7
    assert attributes["ragassay.contract.removed.forbidden"] == 1


def test_what_judges_said_are_evaluation_results(traces):
    answered(traces.contract(terms=Terms(name="t", grade=GradeTerms(context_sufficiency=0.95))))
    span = traces.spans["contract grade"]
    results = [(event.name, dict(event.attributes)) for event in span.events]
    assert results == [
        (
            "gen_ai.evaluation.result",
            {
                "gen_ai.evaluation.name": "context_sufficiency",
                "gen_ai.evaluation.score.value": 0.9,
                "gen_ai.evaluation.score.label": "fail",
            },
        ),
        (
            "gen_ai.evaluation.result",
            {
                "gen_ai.evaluation.name": "context_relevancy",
                "gen_ai.evaluation.score.value": 0.9,
                "gen_ai.evaluation.score.label": "pass",
            },
        ),
    ]


@both
def test_a_stop_is_no_error_and_no_later_stage_a_span(traces, way):
    reply = answered(traces.contract(), way, found=[SECRET])
    assert list(traces.spans) == ["contract expand", "contract filter", "contract search", "contract"]
    search = traces.spans["contract search"]
    assert search.attributes["ragassay.contract.outcome"] == "abstain"
    assert search.status.status_code is StatusCode.UNSET
    assert traces.spans["contract"].attributes["ragassay.contract.outcome"] == reply.outcome == "abstain"


@both
def test_a_judge_that_fails_is_an_error_without_its_text(traces, way):
    answered(traces.contract(Raising(RuntimeError("the canary sings"))), way)
    span = traces.spans["contract grade"]
    assert span.status.status_code is StatusCode.ERROR
    assert span.attributes["error.type"] == span.status.description == span.events[0].attributes["error.type"]
    assert span.attributes["ragassay.contract.failed"] == "closed"
    assert "canary" not in "".join(each.to_json() for each in traces.spans.values())


@both
@pytest.mark.parametrize("said", [ANSWER, "The bolts are blue."])
def test_no_text_is_on_a_span_unless_asked_for(traces, way, said):
    found = [GOOD, SECRET, passage("TI-204@C#2", text="Another canary.")]
    answered(traces.contract(), way, found, said)
    dumped = "".join(span.to_json() for span in traces.spans.values())
    for text in ("torque", "80 Nm", "canary", "Salaries", "HR-1", "blue", "assembly"):
        assert text not in dumped


def test_texts_are_there_when_asked_for(traces):
    answered(traces.contract(texts=True))
    spans = traces.spans
    assert spans["contract search"].attributes["retrieval.documents.0.document.content"] == GOOD.text
    assert spans["contract search"].attributes["gen_ai.retrieval.query.text"] == QUESTION
    assert spans["contract"].attributes["input.value"] == QUESTION
    assert spans["contract"].attributes["output.value"] == "The M12 bolts take 80 Nm [1]."
    assert "Salaries" not in "".join(span.to_json() for span in spans.values())


def test_what_the_application_raises_is_named_by_its_type_alone(traces):
    def broken(_):
        raise ZeroDivisionError("canary")

    with pytest.raises(ZeroDivisionError):
        traces.contract().guard(search=broken, generate=lambda _: "x")(QUESTION, **GROUNDS)
    root = traces.spans["contract"]
    assert (root.status.status_code, root.status.description) == (StatusCode.ERROR, "ZeroDivisionError")
    assert not root.events


def test_a_stage_out_of_order_is_an_error(traces):
    request = traces.contract().request(QUESTION, **GROUNDS)
    assert request.grade().reason == "out_of_order"
    assert traces.spans["contract grade"].status.description == "out_of_order"
    assert traces.spans["contract grade"].parent is None


def test_a_rewriting_is_a_span(traces):
    request = traces.contract().request(QUESTION, **GROUNDS)
    assert request.rewrite(f"{QUESTION} Please.").proceeds
    assert traces.spans["contract rewrite"].attributes["ragassay.contract.reason"] == "rewritten"


def test_what_the_application_does_in_between_stands_beside_the_stages(traces):
    def search(_):
        with traces.tracer.start_as_current_span("index"):
            return [GOOD]

    traces.contract().guard(search=search, generate=lambda _: ANSWER)(QUESTION, **GROUNDS)
    assert traces.spans["index"].parent.span_id == traces.spans["contract"].context.span_id


@both
def test_an_adapter_takes_a_traced_contract(traces, way):
    from langchain_core.documents import Document

    document = Document(page_content=GOOD.text, metadata={"document": "TI-204", "revision": "C", "score": 0.9})
    chain = guarded_chain(traces.contract(), RunnableLambda(lambda _: [document]), RunnableLambda(lambda _: ANSWER))
    grounds = asked_by(**GROUNDS)
    reply = chain.invoke(QUESTION, grounds) if way == "sync" else asyncio.run(chain.ainvoke(QUESTION, grounds))
    assert reply.outcome == "proceed"
    assert len({span.context.trace_id for span in traces.exporter.get_finished_spans()}) == 1
    assert len(traces.spans) == 6


def test_hostile_ids_stay_values(traces):
    odd = passage("TI-204@C#\ud800\n🦊", text="M12: 80 Nm \udfff")
    answered(traces.contract(texts=True), found=[odd], said=f"{ANSWER}\udc00")
    for span in traces.spans.values():
        for value in span.attributes.values():
            assert str(value).encode()


def test_it_loads_as_a_contract_does_and_records(tmp_path, traces):
    path = tmp_path / "contract.toml"
    path.write_text('name = "c"\n[search.thresholds]\ndistance = 0.3\n')
    recorder = Recorder(tmp_path / "answers.jsonl")
    loaded = TracedContract.load(path, DOCUMENTS, tracer=traces.tracer, judges=judged(Said()), recorder=recorder)
    answered(loaded, found=[passage("TI-204@C#1", 0.1)])
    assert traces.spans["contract search"].attributes["ragassay.contract.score.at_most"] == 0.3
    assert recorder.flush() and recorder.counts.written == 1
    with pytest.raises(FaultyInput):
        TracedContract.load(path, DOCUMENTS, score_kind="bm25")


def test_without_a_provider_nothing_happens():
    contract = TracedContract(TERMS, DOCUMENTS, judges=judged(Said()))
    assert answered(contract).outcome == "proceed"


def test_after_a_stop_no_call_opens_a_span(traces):
    request = traces.contract().request(QUESTION, **GROUNDS)
    stop = request.search([])
    assert request.grade() is request.verify("x") is asyncio.run(request.agrade()) is stop
    assert list(traces.spans) == ["contract search"]


def test_a_task_that_is_given_up_ends_its_span(traces):
    terms = Terms(name="t", budget=BudgetTerms(grade=600_000))

    async def given_up():
        request = traces.contract(Waiting(), terms).request(QUESTION, **GROUNDS)
        request.search([GOOD])
        task = asyncio.create_task(request.agrade())
        await asyncio.sleep(0)
        task.cancel("canary")
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(given_up())
    assert not traces.spans["contract grade"].events
    assert "canary" not in traces.spans["contract grade"].to_json()
