"""Writing and converting: what is lost is said, and nothing is half written."""

import json

import pytest

from ragassay.formats import Bundle, convert, load_answers, load_dataset, write_jsonl, write_ragas, write_trec
from ragassay.formats.atomic import replace_file
from ragassay.records import Answer, Document, Query, Relevance, Result

BUNDLE = Bundle(
    queries=(
        Query(
            id="q1", question="Кто?", relevant=(Relevance(document="a", grade=2.0), Relevance(document="b", grade=0.0))
        ),
        Query(id="q2", question="Где?"),
    ),
    answers=(
        Answer(query="q1", answer="я", retrieved=(Result(document="b", text="B"), Result(document="a", text="A"))),
    ),
    documents=(Document(document="a", text="A"),),
)


def test_numbers_that_are_none_are_never_written(tmp_path, faults_of):
    for value in (float("nan"), float("inf")):
        bundle = Bundle(answers=(Answer(query="q", history=({"score": value},)),))
        (fault,) = faults_of(lambda bundle=bundle: write_jsonl(bundle, tmp_path))
        assert (fault.code, fault.line) == ("unwritable", 1)
    assert list(tmp_path.iterdir()) == []


def test_half_characters_are_refused(tmp_path, faults_of):
    assert faults_of(lambda: write_jsonl(Bundle(answers=(Answer(query="q", answer="\ud83e"),)), tmp_path))


def test_trec_says_what_it_cannot_hold(tmp_path):
    (notice,) = write_trec(BUNDLE, tmp_path)
    assert notice.code == "not_carried"
    assert notice.samples == (
        "question of queries (2)",
        "answer of answers (1)",
        "the corpus (1)",
        "queries without gold (1)",
        "texts of results (2)",
    )
    assert (tmp_path / "qrels.txt").read_text() == "q1 0 a 2\nq1 0 b 0\n"
    assert (tmp_path / "run.txt").read_text() == "q1 Q0 b 1 2.0 ragassay\nq1 Q0 a 2 1.0 ragassay\n"


def test_trec_refuses_ids_with_blanks(tmp_path, faults_of):
    bundle = Bundle(answers=(Answer(query="a b", retrieved=(Result(document="c\td"),), system="x y"),))
    faults = faults_of(lambda: write_trec(bundle, tmp_path))
    assert [(fault.code, fault.value) for fault in faults] == [("blank_in_id", "'a b'"), ("blank_in_id", "'c\\td'")]
    assert list(tmp_path.iterdir()) == []


def test_ragas(tmp_path):
    path = tmp_path / "out.ragas.jsonl"
    (notice,) = write_ragas(BUNDLE, path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert rows == [
        {
            "user_input": "Кто?",
            "retrieved_contexts": ["B", "A"],
            "retrieved_context_ids": ["b", "a"],
            "reference_context_ids": ["a"],
            "response": "я",
        },
        {"user_input": "Где?"},
    ]
    assert "ids of queries (2)" in notice.samples
    answers = load_answers(path).answers
    assert [result.passage for result in answers[0].retrieved] == ["b", "a"]


@pytest.mark.parametrize("target", ["out", "out.parquet"])
def test_conversion_into_our_own_forms_loses_nothing(save, tmp_path, target):
    row = {"id": 1, "question": "Кто?", "relevant": [["a", "b"]], "answer": "я", "retrieved": ["a"], "slices": ["x"]}
    source = save("rows.jsonl", [row])
    assert convert(source, tmp_path / target) == ()
    before, after = load_dataset(source), load_dataset(tmp_path / target)
    assert (after.queries, after.answers) == (before.queries, before.answers)


def test_conversion_of_answers_alone(save, tmp_path):
    notices = convert(save("run.txt", "q Q0 a 1 0.5 s\n"), tmp_path / "out")
    assert [notice.code for notice in notices] == ["trec_order"]
    assert load_answers(tmp_path / "out").answers[0].ordered is False
    assert [notice.code for notice in convert(tmp_path / "run.txt", tmp_path / "b.trec")] == ["trec_order"]
    assert load_answers(tmp_path / "b.trec").answers == load_answers(tmp_path / "run.txt").answers


def test_conversion_never_mixes_with_what_is_there(save, tmp_path, faults_of):
    source = save("q.jsonl", [{"id": "q", "question": "?"}])
    save("full/queries.csv", "id\nq\n")
    for name, code in (("full", "target_exists"), ("q.jsonl", "unknown_target"), ("out.docx", "unknown_target")):
        assert faults_of(lambda name=name: convert(source, tmp_path / name))[0].code == code


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    replace_file(path, b"old")

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(KeyboardInterrupt):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]
