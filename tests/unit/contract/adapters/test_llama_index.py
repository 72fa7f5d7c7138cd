"""The contract inside LlamaIndex's own retrievers, postprocessors and query engines."""

import asyncio
from typing import Any

import pytest
from contracting import ANSWER, DOCUMENTS, QUESTION, REQUESTER, TODAY, Raising, Said, contract, judged
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import BaseSynthesizer
from llama_index.core.schema import NodeWithScore, TextNode

from ragassay.contract import Contract, Recorder
from ragassay.contract.adapters.llama_index import ContractPostprocessor, ContractQueryEngine, admissible_filters
from ragassay.contract.adapters.passages import Keys
from ragassay.records import Document, ExpandTerms, FaultyInput, Terms

TEXT = "M12 bolts of the K-7 take 80 Nm."


def grounds() -> Any:
    return {"requester": REQUESTER, "scope": {"product": "K-7"}, "as_of": TODAY}


def node(document: Any = "TI-204", revision: Any = "C", score: Any = 0.9, text: str = TEXT) -> NodeWithScore:
    metadata = {"document": document, "revision": revision}
    return NodeWithScore(node=TextNode(id_=f"{document}@{revision}", text=text, metadata=metadata), score=score)


GOOD, OLD, SECRET, GLOSSARY = node(), node(revision="B"), node("HR-1", "1", text="Salaries."), node("GL-1", "1")
HOSTILE = [node(["TI-204"]), node(revision={"$ne": 1}), node(score=None), node(score=float("inf")), node(True, True)]


class Listed(BaseRetriever):
    def __init__(self, *nodes: NodeWithScore) -> None:
        self.nodes, self.asked = list(nodes), []
        super().__init__()

    def _retrieve(self, query_bundle: Any) -> list[NodeWithScore]:
        self.asked.append(query_bundle)
        return self.nodes


class Writing(BaseSynthesizer):
    """Says what it is told to say, also as a stream, and remembers what it was shown."""

    def __init__(self, said: Any = ANSWER, streaming: bool = False) -> None:
        super().__init__(llm=MockLLM(), streaming=streaming)
        self.said, self.shown = said, []

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: Any) -> None:
        return None

    def get_response(self, query_str: str, text_chunks: Any, **given: Any) -> Any:
        self.shown.append(list(text_chunks))
        return (part for part in self.said.partition(" ")) if self._streaming else self.said

    async def aget_response(self, query_str: str, text_chunks: Any, **given: Any) -> Any:
        self.shown.append(list(text_chunks))
        return self._parts() if self._streaming else self.said

    async def _parts(self) -> Any:
        for part in self.said.partition(" "):
            yield part


def ask(engine: Any, way: str) -> Any:
    return engine.query(QUESTION) if way == "sync" else asyncio.run(engine.aquery(QUESTION))


def post(
    processor: ContractPostprocessor, nodes: list[NodeWithScore], way: str, question: str | None = QUESTION
) -> Any:
    if way == "sync":
        return processor.postprocess_nodes(nodes, query_str=question)
    return asyncio.run(processor.apostprocess_nodes(nodes, query_str=question))


both = pytest.mark.parametrize("way", ["sync", "async"])


@both
def test_a_postprocessor_leaves_what_may_be_shown(way):
    processor = ContractPostprocessor(contract=contract(), grounds=grounds)
    assert post(processor, [SECRET, OLD, GOOD, node(score=0.5), *HOSTILE], way) == [GOOD]


@both
def test_a_postprocessor_leaves_nothing_of_a_context_that_does_not_answer(way):
    processor = ContractPostprocessor(contract=contract(Said(sufficiency=0.1)), grounds=grounds)
    assert post(processor, [GOOD], way) == []
    assert post(processor, [], way) == []


@both
def test_who_is_not_named_reads_what_everyone_may(way):
    assert post(ContractPostprocessor(contract=contract()), [GOOD, GLOSSARY], way) == [GLOSSARY]


@both
def test_what_is_no_ground_is_refused_by_name(way):
    processor = ContractPostprocessor(contract=contract(), grounds=lambda: {"requester": {"groups": ["board"]}})
    with pytest.raises(FaultyInput, match="requester"):
        post(processor, [SECRET], way)
    with pytest.raises(FaultyInput, match="question"):
        post(ContractPostprocessor(contract=contract()), [GOOD], way, question=None)


@both
def test_a_postprocessor_works_in_an_engine_of_theirs(way):
    writing = Writing()
    engine = RetrieverQueryEngine(
        Listed(SECRET, GOOD),
        writing,
        node_postprocessors=[ContractPostprocessor(contract=contract(), grounds=grounds)],
    )
    assert [each.node_id for each in ask(engine, way).source_nodes] == ["TI-204@C"]
    assert "80 Nm" in writing.shown[0][0] and "Salaries" not in str(writing.shown)


@both
@pytest.mark.parametrize("streaming", [False, True])
def test_an_engine_answers_as_verified(way, streaming, tmp_path):
    recorder, writing = Recorder(tmp_path / "answers.jsonl"), Writing(streaming=streaming)
    engine = ContractQueryEngine(contract(recorder=recorder), Listed(SECRET, GOOD), writing, grounds=grounds)
    response = ask(engine, way)
    assert response.response == "The M12 bolts take 80 Nm [1]."
    assert response.source_nodes == [GOOD]
    told = response.metadata["ragassay"]
    assert told["outcome"] == "proceed"
    assert [each["stage"] for each in told["decisions"]] == ["expand", "filter", "search", "grade", "verify"]
    assert told["citations"] == [
        {"marker": "[1]", "passage": "TI-204@C", "document": "TI-204", "revision": "C"},
    ]
    assert "Salaries" not in str(writing.shown)
    assert recorder.flush() and recorder.counts.written == 1


@both
@pytest.mark.parametrize(
    ("nodes", "judge", "outcome", "reason"),
    [
        ([SECRET], Said(), "abstain", "nothing_admissible"),
        (HOSTILE, Said(), "abstain", "nothing_suitable"),
        ([GOOD], Said(sufficiency=0.1), "clarify", "insufficient_context"),
        ([GOOD], Raising(OSError("no")), "block", "judge_failed"),
    ],
)
def test_after_a_stop_nothing_is_synthesised(way, nodes, judge, outcome, reason):
    writing = Writing()
    response = ask(ContractQueryEngine(contract(judge), Listed(*nodes), writing, grounds=grounds), way)
    told = response.metadata["ragassay"]
    assert (told["outcome"], told["decisions"][-1]["reason"]) == (outcome, reason)
    assert response.response == told["decisions"][-1]["message"]
    assert response.source_nodes == writing.shown == []


@both
@pytest.mark.parametrize("said", ["", "The K-7 is green."])
def test_an_answer_that_says_nothing_supported_is_withheld(way, said):
    response = ask(ContractQueryEngine(contract(), Listed(GOOD), Writing(said), grounds=grounds), way)
    assert response.metadata["ragassay"]["outcome"] == "block"
    assert response.source_nodes == []
    assert "green" not in response.response


@both
def test_where_nothing_is_admissible_nothing_is_retrieved(way):
    closed, retriever = Contract(Terms(name="t"), DOCUMENTS[2:3], judges=judged(Said())), Listed(SECRET)
    response = ask(ContractQueryEngine(closed, retriever, Writing()), way)
    assert response.metadata["ragassay"]["decisions"][-1]["stage"] == "filter"
    assert retriever.asked == []


@both
def test_synonyms_are_searched_beside_the_question(way):
    terms = Terms(name="t", expand=ExpandTerms(synonyms={"bolts": ("screws",)}))
    retriever = Listed(GOOD)
    response = ask(ContractQueryEngine(contract(terms=terms), retriever, Writing(), grounds=grounds), way)
    assert (
        len(retriever.asked) == 2
        and retriever.asked[0].query_str == QUESTION
        and "screws" in retriever.asked[1].query_str
    )
    assert response.source_nodes == [GOOD]


def test_filters_hold_in_a_real_vector_store():
    nodes = [each.node for each in (SECRET, OLD, GOOD, GLOSSARY)]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=4))
    found = []

    def retriever(request):
        made = index.as_retriever(similarity_top_k=10, filters=admissible_filters(request))
        found.extend(each.node_id for each in made.retrieve(QUESTION))
        return made

    response = ContractQueryEngine(contract(), retriever, Writing(), grounds=grounds).query(QUESTION)
    assert set(found) == {"TI-204@C", "GL-1@1"}
    assert response.metadata["ragassay"]["outcome"] == "proceed"


def test_filters_leave_revisions_out_where_some_document_has_none():
    corpus = (Document(document="A", readers=("*",)), Document(document="B", revision="2", readers=("*",)))
    request = Contract(Terms(name="t"), corpus, judges=judged(Said())).request(QUESTION)
    assert [(each.key, each.value) for each in admissible_filters(request).filters] == [("document", ["A", "B"])]
    assert [each.key for each in admissible_filters(contract().request("?"), Keys(revision=None)).filters] == [
        "document"
    ]
