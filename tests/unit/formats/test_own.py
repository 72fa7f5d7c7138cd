"""Our own rows, in every shape that people write them."""

from datetime import date

import pytest

from ragassay.formats import load_answers, load_corpus, load_dataset
from ragassay.records import Citation, Document, Query, Relevance, Requester, Result


def codes(bundle):
    return {notice.code: notice for notice in bundle.notices}


def test_a_full_query(save):
    row = {
        "id": "q17",
        "question": "Каков момент затяжки болта М12?",
        "answerable": True,
        "relevant": [{"document": "TI-204", "grade": 2}],
        "reference": "Болты М12 затягивают моментом 80 Н·м.",
        "required_claims": ["М12 — 80 Н·м"],
        "critical": True,
        "severity": "high",
        "slices": ["exact-entity", "table"],
        "requester": {"groups": ["assembly"]},
        "scope": {"product": "K-7"},
        "as_of": "2026-10-01",
        "origin": "support ticket",
    }
    bundle = load_dataset(save("queries.jsonl", [row]))
    assert bundle.queries == (
        Query(
            id="q17",
            question="Каков момент затяжки болта М12?",
            answerable=True,
            relevant=(Relevance(document="TI-204", grade=2.0),),
            reference="Болты М12 затягивают моментом 80 Н·м.",
            required_claims=("М12 — 80 Н·м",),
            critical=True,
            severity="high",
            slices=("exact-entity", "table"),
            requester=Requester(groups=("assembly",)),
            scope={"product": "K-7"},
            as_of=date(2026, 10, 1),
            origin="support ticket",
        ),
    )
    assert bundle.answers == ()
    assert bundle.notices == ()
    assert bundle.inputs == ("queries.jsonl (own JSON, utf-8)",)


def test_a_full_answer(save):
    row = {
        "query": "q17",
        "answer": "80 Н·м [1].",
        "retrieved": [{"passage": "TI-204#3", "document": "TI-204", "revision": "C", "score": 0.83, "text": "…"}],
        "citations": [{"marker": "[1]", "passage": "TI-204#3"}],
        "packed": ["TI-204#3"],
        "score_kind": "rerank",
        "retrieval_ms": 41,
        "input_tokens": 911,
        "cost": 0.0021,
        "complete": False,
        "history": [{"role": "user", "content": "И ещё?"}],
    }
    bundle = load_answers(save("answers.jsonl", [row]))
    (answer,) = bundle.answers
    assert bundle.queries == ()
    assert answer.retrieved == (Result(passage="TI-204#3", document="TI-204", revision="C", score=0.83, text="…"),)
    assert answer.citations == (Citation(marker="[1]", passage="TI-204#3"),)
    assert (answer.packed, answer.score_kind, answer.complete) == (("TI-204#3",), "rerank", False)
    assert (answer.retrieval_ms, answer.input_tokens, answer.cost) == (41.0, 911, 0.0021)
    assert answer.history == ({"role": "user", "content": "И ещё?"},)
    assert answer.ordered


def test_the_smallest_useful_row_gives_query_and_answer(save):
    path = save("rows.jsonl", [{"question": "Кто?", "relevant_doc": "d1", "retrieved_docs": ["d2", "d1"]}])
    bundle = load_dataset(path)
    (query,), (answer,) = bundle.queries, bundle.answers
    assert query.relevant == (Relevance(document="d1"),)
    assert answer.query == query.id
    assert answer.retrieved == (Result(document="d2"), Result(document="d1"))
    assert load_answers(path).answers == bundle.answers
    assert "ids_from_questions" in codes(bundle)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"relevant": ["a", "b"]}, (Relevance(document="a"), Relevance(document="b"))),
        ({"relevant": "a"}, (Relevance(document="a"),)),
        ({"relevant": []}, ()),
        ({"relevant": None}, None),
        ({}, None),
        ({"relevant": {"passage": "p"}}, (Relevance(passage="p"),)),
        ({"relevant_docs": ["a"]}, (Relevance(document="a"),)),
        ({"relevant_passages": ["p", "r"]}, (Relevance(passage="p"), Relevance(passage="r"))),
        ({"relevant": [{"document": "a", "grade": 0}]}, (Relevance(document="a", grade=0.0),)),
        (
            {"relevant": [["a", "b"], ["c"]]},
            (Relevance(document="a", need="1"), Relevance(document="b", need="1"), Relevance(document="c", need="2")),
        ),
        (
            {"relevant": ["x", [{"document": "a", "grade": 2}, "b"]]},
            (Relevance(document="x"), Relevance(document="a", grade=2.0, need="2"), Relevance(document="b", need="2")),
        ),
    ],
)
def test_relevant_in_every_shape(save, given, expected):
    (query,) = load_dataset(save("q.jsonl", [{"id": "q", "question": "?", **given}])).queries
    assert query.relevant == expected


def test_a_gold_id_twice_counts_once_and_is_said(save):
    bundle = load_dataset(save("q.jsonl", [{"id": "q", "relevant": ["a", "b", "a"]}]))
    assert bundle.queries[0].relevant == (Relevance(document="a"), Relevance(document="b"))
    assert codes(bundle)["repeated_gold"].count == 1


def test_a_gold_id_with_two_grades_is_a_fault(save, faults_of):
    rows = [{"id": "q", "relevant": [{"document": "a", "grade": 1}, {"document": "a", "grade": 2}]}]
    (fault,) = faults_of(lambda: load_dataset(save("q.jsonl", rows)))
    assert (fault.line, fault.field) == (1, "relevant[1].grade")


def test_results_given_out_of_order_are_sorted_by_rank(save):
    retrieved = [{"document": "b", "rank": 2}, {"document": "a", "rank": 1}, {"document": "c", "rank": 5}]
    (answer,) = load_answers(save("a.jsonl", [{"query": "q", "retrieved": retrieved}])).answers
    assert [result.document for result in answer.retrieved] == ["a", "b", "c"]
    assert [result.rank for result in answer.retrieved] == [1, 2, 5]


@pytest.mark.parametrize("ranks", [[1, None], [1, 1], [0, 1], [1.5, 2], ["x", 1]])
def test_ranks_that_give_no_order_are_faults(save, faults_of, ranks):
    retrieved = [{"document": str(place), "rank": rank} for place, rank in enumerate(ranks)]
    faults_of(lambda: load_answers(save("a.jsonl", [{"query": "q", "retrieved": retrieved}])))


def test_null_is_not_recorded_and_a_list_may_be_empty(save):
    rows = [{"query": "a", "retrieved": None, "answer": ""}, {"query": "b", "retrieved": []}]
    first, second = load_answers(save("a.jsonl", rows)).answers
    assert first.retrieved is None
    assert first.answer == ""
    assert second.retrieved == ()
    assert second.answer is None


def test_every_bad_row_is_named_at_once(save, faults_of):
    text = (
        '{"id":"q1","question":"?"}\r\n'
        "\r\n"
        '{"id":"q2","question":"?","relevant":[{"document":"a","grade":"high"},{"grade":1}],"as_of":"tomorrow"}\n'
        '{"id":"q3",\n'
        "[1]\n"
        '{"id":"q1","question":"again"}\n'
    )
    faults = faults_of(lambda: load_dataset(save("q.jsonl", text)))
    assert sorted((fault.line, fault.field, fault.code) for fault in faults if fault.field) == [
        (3, "as_of", "bad_value"),
        (3, "relevant[0].grade", "bad_value"),
        (3, "relevant[1]", "bad_value"),
        (6, "id", "duplicate_query"),
    ]
    assert {(fault.line, fault.code) for fault in faults} >= {(4, "broken_json"), (5, "not_an_object")}
    assert all(fault.file == "q.jsonl" for fault in faults)
    assert "high" in next(fault.value for fault in faults if fault.field == "relevant[0].grade")


def test_unknown_fields_are_one_notice_with_the_name_that_was_meant(save):
    rows = [{"id": str(row), "question": "?", "relevent": ["a"], "colour": "red"} for row in range(3)]
    bundle = load_dataset(save("q.jsonl", rows))
    notice = codes(bundle)["unknown_fields"]
    assert notice.count == 2
    assert notice.samples[0].startswith("relevent (3 rows, first at line 1; did you mean relevant")
    assert "did you mean" not in notice.samples[1]


def test_unknown_fields_inside_results_are_said(save):
    bundle = load_answers(save("a.jsonl", [{"query": "q", "retrieved": [{"document": "d", "scor": 1}]}]))
    assert codes(bundle)["unknown_fields"].samples[0].startswith("retrieved.scor ")


def test_two_answers_to_one_query_are_a_fault(save, faults_of):
    rows = [{"query": 1, "answer": "a"}, {"query": "1", "answer": "b"}]
    (fault,) = faults_of(lambda: load_answers(save("a.jsonl", rows)))
    assert (fault.code, fault.line, fault.value) == ("duplicate_answer", 2, "'1'")


def test_ids_join_however_they_were_typed(save):
    queries = load_dataset(save("q.jsonl", '{"id":1,"relevant":[101.0]}\n{"id":"007","relevant":["7"]}\n')).queries
    answers = load_answers(save("a.jsonl", '{"query":"1","retrieved":[101]}\n')).answers
    assert [query.id for query in queries] == ["1", "007"]
    assert queries[0].relevant[0].id == answers[0].retrieved[0].document == "101"
    assert answers[0].query == "1"


@pytest.mark.parametrize("bad", [1.5, True, "", "  ", {"a": 1}, ["a"]])
def test_what_names_nothing_is_no_id(save, faults_of, bad):
    faults_of(lambda: load_answers(save("a.jsonl", [{"query": bad, "answer": "x"}])))


def test_a_query_id_and_a_document_id_may_be_equal(save):
    """Two name spaces: nothing is dropped because a document is called like its query."""
    documents = [str(each) for each in range(10)]
    bundle = load_dataset(save("r.jsonl", [{"id": "0", "relevant": documents, "retrieved": documents}]))
    assert [each.id for each in bundle.queries[0].relevant] == documents
    assert [each.document for each in bundle.answers[0].retrieved] == documents


def test_two_spellings_of_one_id_stop_the_loading(save, faults_of):
    rows = [{"id": "q", "relevant": ["й"], "retrieved": ["и\u0306"]}]
    (fault,) = faults_of(lambda: load_dataset(save("r.jsonl", rows)))
    assert fault.code == "ids_collapse"
    assert "u0439" in fault.value
    assert "u0306" in fault.value


@pytest.mark.parametrize("pair", [("Ａ１２", "A12"), ("до\u200bговор", "договор"), ("а", "a"), ("ещё", "еще")])
def test_ids_that_only_look_alike_stay_distinct(save, pair):
    bundle = load_dataset(save("r.jsonl", [{"id": "q", "relevant": list(pair)}]))
    assert len(bundle.queries[0].relevant) == 2


def test_questions_resolve_to_ids(save):
    queries = (Query(id="q1", question="Какой срок  гарантии?"), Query(id="q2", question="Кто?"))
    rows = [{"question": "какой срок гарантии?", "answer": "5 лет"}, {"query": "Кто?", "answer": "x"}]
    answers = load_answers(save("a.jsonl", rows), queries).answers
    assert [answer.query for answer in answers] == ["q1", "q2"]


def test_a_question_asked_by_two_queries_names_neither(save, faults_of):
    queries = (Query(id="q1", question="Кто?"), Query(id="q2", question="Кто?"))
    (fault,) = faults_of(lambda: load_answers(save("a.jsonl", [{"question": "Кто?", "answer": "x"}]), queries))
    assert "q1, q2" in fault.remedy


def test_ids_made_from_questions_are_the_same_in_every_file(save):
    (query,) = load_dataset(save("q.jsonl", [{"question": "Кто?", "relevant": ["a"]}])).queries
    (answer,) = load_answers(save("a.jsonl", [{"question": " кто? ", "answer": "я"}])).answers
    assert query.id == answer.query


def test_swapped_files_are_told_so(save, faults_of):
    queries = save("q.jsonl", [{"id": "q", "question": "?"}])
    answers = save("a.jsonl", [{"query": "q", "answer": "x"}])
    assert faults_of(lambda: load_dataset(answers))[0].code == "no_queries"
    assert faults_of(lambda: load_answers(queries))[0].code == "no_answers"


def test_query_that_means_question_is_a_fault(save, faults_of):
    (fault,) = faults_of(lambda: load_dataset(save("q.jsonl", [{"id": "1", "query": "Кто?", "relevant": ["a"]}])))
    assert fault.remedy == "rename query to question"


def test_an_unknown_form_names_its_fields_and_the_nearest(save, faults_of):
    (fault,) = faults_of(lambda: load_dataset(save("q.jsonl", [{"usr_input": "?", "reponse": "!"}])))
    assert fault.code == "unknown_form"
    assert "'usr_input'" in fault.value
    assert "ragas" in fault.expected
    assert "user_input" in fault.remedy


def test_rows_of_nothing_but_ids_and_slices_are_queries(save):
    (query,) = load_dataset(save("q.jsonl", [{"id": "q", "slices": ["a"]}])).queries
    assert query == Query(id="q", slices=("a",))


def test_a_trace_export_is_not_taken_for_our_rows(save, faults_of):
    row = {"id": "run-1", "name": "chain", "inputs": {}, "outputs": {}, "error": "x", "trace_id": "t", "tags": ["a"]}
    assert faults_of(lambda: load_answers(save("runs.jsonl", [row])))[0].code == "unknown_form"


def test_a_corpus(save):
    row = {
        "document": "TI-204",
        "revision": 3,
        "status": "in_force",
        "valid_from": "2026-03-01",
        "valid_to": None,
        "readers": ["assembly"],
        "applies_to": {"product": ["K-7"], "site": "*"},
        "source": "PLM",
        "text": "…",
    }
    assert load_corpus(save("corpus.jsonl", [row])).documents == (
        Document(
            document="TI-204",
            revision="3",
            status="in_force",
            valid_from=date(2026, 3, 1),
            readers=("assembly",),
            applies_to={"product": ("K-7",), "site": ("*",)},
            source="PLM",
            text="…",
        ),
    )


def test_faults_of_a_corpus(save, faults_of):
    rows = [{"document": "a", "status": "inforce"}, {"document": "b"}, {"text": "x"}, {"document": "b"}]
    faults = faults_of(lambda: load_corpus(save("corpus.jsonl", rows)))
    assert [(fault.line, fault.field) for fault in faults] == [(1, "status"), (3, "document"), (4, "document")]
    assert faults[0].remedy == "did you mean in_force?"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("total_ms", -1),
        ("input_tokens", 1.5),
        ("input_tokens", True),
        ("score_kind", "cosine"),
        ("complete", "maybe"),
        ("answer", ["a"]),
        ("answer", True),
        ("cost", "0,5"),
        ("history", ["text"]),
        ("retrieved", [{}]),
        ("retrieved", [{"document": ""}]),
        ("citations", [3]),
    ],
)
def test_values_of_the_wrong_kind_are_faults(save, faults_of, field, value):
    (fault,) = faults_of(lambda: load_answers(save("a.jsonl", [{"query": "q", field: value}])))
    assert fault.line == 1
    assert fault.field.startswith(field)
    assert fault.expected
