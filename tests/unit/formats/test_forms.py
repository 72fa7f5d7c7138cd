"""The forms of other tools, recognised by their fields."""

import io
import json

import polars as pl
import pytest

from ragassay.formats import load_answers, load_corpus, load_dataset
from ragassay.records import Relevance, Result

REFUND, PRO_RATA = "Refunds are issued within 5 business days.", "Annual plans are refunded pro rata."


def codes(bundle):
    return [notice.code for notice in bundle.notices]


def test_trec_qrels_and_run(save):
    queries = load_dataset(save("any.name", "q1 0 kb-000 2\nq1\t0\tkb-001 0\r\n\nq2 Q0 kb-000 1\n")).queries
    assert queries[0].relevant == (Relevance(document="kb-000", grade=2.0), Relevance(document="kb-001", grade=0.0))
    assert queries[1].id == "q2"
    bundle = load_answers(save("run", "q1 Q0 b 1 0.5 s\nq1 Q0 a 2 0.9 s\nq1 Q0 c 3 0.5 s more junk\n"))
    (answer,) = bundle.answers
    assert answer.ordered is False
    assert answer.retrieved == tuple(
        Result(document=each, score=score) for each, score in (("a", 0.9), ("b", 0.5), ("c", 0.5))
    )
    assert codes(bundle) == ["trec_order"]


def test_broken_trec_lines_are_named(save, faults_of):
    text = "q1 Q0 a 1 0.9 s\nq1 Q0 a 1 high s\nq1 Q0 b\nq1 Q0 c 4 1e999 s\n"
    faults = faults_of(lambda: load_answers(save("run.txt", text)))
    assert [(fault.line, fault.code) for fault in faults] == [(2, "broken_line"), (3, "broken_line"), (4, "bad_value")]


def test_two_grades_in_qrels(save, faults_of):
    (fault,) = faults_of(lambda: load_dataset(save("qrels.txt", "q 0 a 1\nq 0 a 1\nq 0 a 2\n")))
    assert (fault.code, fault.line) == ("two_grades", 3)


def parquet(**columns):
    stream = io.BytesIO()
    pl.DataFrame(columns).write_parquet(stream)
    return stream.getvalue()


def test_long_tables(save):
    qrels = load_dataset(save("q.csv", "query_id,doc_id,grade\n1,101,1\n1,102,0\n")).queries
    run = load_answers(save("r.parquet", parquet(query_id=[1, 1], doc_id=[102, 101], score=[0.5, 0.9]))).answers
    assert [each.id for each in qrels[0].relevant] == ["101", "102"]
    assert run[0].query == qrels[0].id == "1"
    assert [each.document for each in run[0].retrieved] == ["101", "102"]
    assert run[0].ordered is False


@pytest.mark.parametrize("first", [0, 1])
def test_a_long_run_with_ranks_is_in_order_of_rank(save, first):
    text = f"query_id,passage_id,score,rank\nq,b,9,{first + 1}\nq,a,1,{first}\n"
    (answer,) = load_answers(save("r.csv", text)).answers
    assert answer.ordered is True
    assert answer.retrieved == (Result(passage="a", score=1.0), Result(passage="b", score=9.0))


@pytest.mark.parametrize(
    "rows", ["q,a,1,\nq,b,1,1\n", "q,a,1,2\nq,b,2,2\n", "q,,1,1\n", ",a,1,1\n", "q,a,,\n", "q,a,nan,\n"]
)
def test_long_runs_without_an_order_or_an_id(save, faults_of, rows):
    faults_of(lambda: load_answers(save("r.csv", "query_id,doc_id,score,rank\n" + rows)))


RAGAS = {
    "user_input": "How long does a refund take?",
    "retrieved_contexts": [REFUND, PRO_RATA],
    "retrieved_context_ids": ["kb-000", 1],
    "reference_contexts": [REFUND],
    "reference_context_ids": ["kb-000"],
    "response": "5 days.",
    "reference": "5 business days",
}


@pytest.mark.parametrize("name", ["ragas.jsonl", "ragas.json", "ragas.csv"])
def test_ragas(save, name):
    if name.endswith("csv"):
        cells = [
            '"' + (value if isinstance(value, str) else json.dumps(value)).replace('"', '""') + '"'
            for value in RAGAS.values()
        ]
        content = ",".join(RAGAS) + "\n" + ",".join(cells)
    else:
        content = json.dumps([RAGAS] if name == "ragas.json" else RAGAS, indent=1 if name == "ragas.json" else None)
    bundle = load_dataset(save(name, content))
    (query,), (answer,) = bundle.queries, bundle.answers
    assert query.relevant == (Relevance(passage="kb-000"),)
    assert query.reference == "5 business days"
    assert answer.retrieved == (Result(passage="kb-000", text=REFUND), Result(passage="1", text=PRO_RATA))
    assert answer.answer == "5 days."
    assert "(ragas " in bundle.inputs[0]


def test_the_older_names_of_ragas(save):
    row = {"question": "?", "contexts": [REFUND], "context_ids": ["kb"], "answer": "!", "ground_truth": "!!"}
    bundle = load_dataset(save("r.jsonl", [row]))
    assert bundle.answers[0].retrieved == (Result(passage="kb", text=REFUND),)
    assert bundle.queries[0].reference == "!!"
    assert bundle.queries[0].relevant is None


def test_texts_match_by_equality_and_never_by_containment(save):
    row = {"user_input": "?", "reference_contexts": ["article 12", "article 1"]}
    row["retrieved_contexts"] = ["article 123", "article 40", "Article\u00a01 "]
    bundle = load_dataset(save("r.jsonl", [row]))
    gold = {each.id for each in bundle.queries[0].relevant}
    assert [each.passage in gold for each in bundle.answers[0].retrieved] == [False, False, True]
    assert len(gold) == 2


def test_gold_texts_take_the_ids_of_retrieved_passages(save):
    row = {
        "user_input": "?",
        "reference_contexts": ["A", "B", " "],
        "retrieved_contexts": ["a", "A", "C"],
        "retrieved_context_ids": ["1", "2", "3"],
    }
    (query,) = load_dataset(save("r.jsonl", [row])).queries
    first, second, third = query.relevant
    assert (first, second) == (Relevance(passage="1", need="1"), Relevance(passage="2", need="1"))
    assert third.need is None
    assert third.passage.startswith("text-")


@pytest.mark.parametrize(
    ("contexts", "retrieved", "said"),
    [(None, None, []), ([], (), []), ([""], (), ["empty_context"]), ([" \n\t", ""], (), ["empty_context"])],
)
def test_contexts_that_are_empty_and_contexts_that_were_not_recorded(save, contexts, retrieved, said):
    row = {"question": "?", "answer": "The warranty lasts 5 years.", "ground_truth": "5", "contexts": contexts}
    bundle = load_answers(save("r.jsonl", [row]))
    assert bundle.answers[0].retrieved == retrieved
    assert [code for code in codes(bundle) if code == "empty_context"] == said


def test_a_blank_context_among_others_keeps_its_rank(save):
    (answer,) = load_answers(save("r.jsonl", [{"question": "?", "contexts": ["", "x"]}])).answers
    assert [each.text for each in answer.retrieved] == ["", "x"]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (
            {"user_input": "?", "retrieved_contexts": ["a"], "retrieved_context_ids": ["1", "2"]},
            "retrieved_context_ids",
        ),
        ({"user_input": "?", "retrieved_contexts": ["a"], "retrieved": ["1"]}, "retrieved"),
        ({"user_input": "?", "reference_contexts": ["a"], "relevant": ["1"]}, "relevant"),
        ({"user_input": "?", "question": "!", "response": "x"}, "question"),
    ],
)
def test_what_is_given_twice_or_does_not_fit(save, faults_of, row, field):
    (fault,) = faults_of(lambda: load_dataset(save("r.jsonl", [row])))
    assert fault.field == field


def test_deepeval_goldens(save):
    golden = {
        "input": "How long?",
        "actual_output": "5 days.",
        "expected_output": "5 business days",
        "context": [REFUND],
        "retrieval_context": [REFUND, PRO_RATA],
        "tags": ["faq"],
        "name": "refund",
        "additional_metadata": {"lang": "en"},
    }
    bundle = load_dataset(save("g.json", json.dumps([golden], indent=1)))
    (query,), (answer,) = bundle.queries, bundle.answers
    assert query.relevant == (Relevance(passage=answer.retrieved[0].passage),)
    assert [each.text for each in answer.retrieved] == [REFUND, PRO_RATA]
    assert (query.slices, query.reference, answer.answer) == (("faq",), "5 business days", "5 days.")
    assert "unknown_fields" in codes(bundle)


def test_deepeval_test_cases_in_camel_case(save):
    case = {
        "input": "How long?",
        "actualOutput": "5 days.",
        "expectedOutput": "5 business days",
        "retrievalContext": [{"context": REFUND, "source": "kb-000"}],
        "tokenCost": 7.6e-05,
        "completionTime": 0.83,
    }
    for content in (
        json.dumps(case, indent=1),
        json.dumps({"testCases": [case]}),
        json.dumps({"testCases": [case]}, indent=1),
    ):
        bundle = load_dataset(save("c.json", content))
        (answer,) = bundle.answers
        assert (answer.retrieved[0].document, answer.retrieved[0].text) == ("kb-000", REFUND)
        assert (answer.cost, answer.total_ms) == (7.6e-05, 830.0)
        assert bundle.queries[0].reference == "5 business days"


def test_ragchecker(save):
    result = {
        "query_id": "0",
        "query": "How long?",
        "gt_answer": "5 business days",
        "response": "5 days.",
        "retrieved_context": [{"doc_id": "kb-000", "text": REFUND}],
    }
    bundle = load_dataset(save("r.json", json.dumps({"results": [result]}, indent=1)))
    assert (bundle.queries[0].id, bundle.queries[0].question) == ("0", "How long?")
    assert bundle.queries[0].reference == "5 business days"
    assert bundle.answers[0].retrieved == (Result(document="kb-000", text=REFUND),)


def test_azure_rows_are_called_by_their_number(save):
    row = {
        "retrieval_ground_truth": [{"document_id": "a", "query_relevance_label": 2}],
        "retrieved_documents": [{"document_id": "b", "relevance_score": 0.9}],
    }
    bundle = load_dataset(save("a.jsonl", [row, row]))
    assert [query.id for query in bundle.queries] == ["row-1", "row-2"]
    assert bundle.queries[0].relevant == (Relevance(document="a", grade=2.0),)
    assert bundle.answers[1].retrieved == (Result(document="b", score=0.9),)


def test_foreign_rows_may_have_our_fields_too(save):
    (query,) = load_dataset(save("r.jsonl", [{**RAGAS, "id": "q9", "slices": ["faq"]}])).queries
    assert (query.id, query.slices) == ("q9", ("faq",))


def test_beir(save, tmp_path):
    save("corpus.jsonl", [{"_id": "kb-000", "title": "T", "text": REFUND, "metadata": {}}])
    save("queries.jsonl", [{"_id": "q1", "text": "How long?"}, {"_id": "train1", "text": "?"}])
    save("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\tkb-000\t1\nq3\tkb-000\t1\n")
    save("qrels/train.tsv", "query-id\tcorpus-id\tscore\ntrain1\tkb-000\t1\n")
    bundle = load_dataset(tmp_path)
    assert [query.id for query in bundle.queries] == ["q1", "q3"]
    assert bundle.queries[0].relevant == (Relevance(document="kb-000"),)
    assert bundle.documents[0].text == REFUND
    assert load_corpus(tmp_path).documents == bundle.documents
    assert {"not_in_split", "no_question"} <= set(codes(bundle))
