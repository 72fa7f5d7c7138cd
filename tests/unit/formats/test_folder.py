"""Dataset folders: the card, the lock, and which files belong."""

from datetime import date

import pytest

from ragassay.formats import check_lock, load_answers, load_corpus, load_dataset, write_lock
from ragassay.records import DatasetCard, Exclusion

CARD = """\
name = "assembly"
version = "3"
unit = "passage"
as_of = 2026-10-01
k = [1, 10]
labelling_rules = "two experts"
disjoint_ids = true

[[exclusions]]
query = "q9"
reason = "asks for two things"

[quotas]
"language=ru" = 50
"""


def test_a_folder(save, tmp_path):
    save("dataset.toml", CARD)
    save("queries.csv", 'id,question,relevant\nq1,Кто?,"[""p1""]"\n')
    save("corpus.jsonl", [{"document": "d1"}])
    save("answers.jsonl", [{"query": "q1", "answer": "я"}])
    bundle = load_dataset(tmp_path)
    assert bundle.card == DatasetCard(
        name="assembly",
        version="3",
        unit="passage",
        as_of=date(2026, 10, 1),
        k=(1, 10),
        labelling_rules="two experts",
        exclusions=(Exclusion(query="q9", reason="asks for two things"),),
        quotas={"language=ru": 50},
        disjoint_ids=True,
    )
    assert bundle.queries[0].relevant[0].passage == "p1"
    assert bundle.answers[0].answer == "я"
    assert bundle.documents[0].document == "d1"
    assert load_answers(tmp_path).answers == bundle.answers


def test_faults_of_a_card_are_listed_together_and_with_those_of_other_files(save, tmp_path, faults_of):
    save("dataset.toml", 'nmae = "x"\nunit = "page"\nk = [0]\n[[exclusions]]\nreason = "r"\nquerry = "q"\n')
    save("queries.jsonl", '{"id": 1.5, "question": "?"}\n')
    save("corpus.jsonl", "nothing\n")
    faults = faults_of(lambda: load_dataset(tmp_path))
    named = {(fault.file, fault.field): fault for fault in faults}
    assert named["dataset.toml", "nmae"].remedy == "did you mean name?"
    assert named["dataset.toml", "nmae"].line == 1
    assert named["dataset.toml", "unit"].line == 2
    assert named["dataset.toml", "k"].line == 3
    assert named["dataset.toml", "exclusions[0].querry"].remedy == "did you mean query?"
    assert named["queries.jsonl", "id"].line == 1
    assert any(fault.file == "corpus.jsonl" for fault in faults)


@pytest.mark.parametrize("text", ["name = ", "[" * 5000, "name = 5", "k = 'all'", 'quotas = {a = "b"}'])
def test_broken_cards(save, tmp_path, faults_of, text):
    save("queries.jsonl", [{"id": "q", "question": "?"}])
    save("dataset.toml", text)
    assert {fault.file for fault in faults_of(lambda: load_dataset(tmp_path))} == {"dataset.toml"}


def test_folders_that_are_none(save, tmp_path, faults_of):
    assert faults_of(lambda: load_dataset(tmp_path))[0].code == "no_queries"
    assert faults_of(lambda: load_corpus(tmp_path))[0].code == "no_corpus"
    save("queries.jsonl", [{"id": "q", "question": "?"}])
    save("queries.csv", "id,question\nq,?\n")
    assert faults_of(lambda: load_dataset(tmp_path))[0].code == "ambiguous_folder"


def test_gold_in_two_places(save, tmp_path, faults_of):
    save("queries.jsonl", [{"id": "q", "question": "?", "relevant": ["a"]}])
    save("qrels.txt", "q 0 b 1\n")
    assert faults_of(lambda: load_dataset(tmp_path))[0].code == "two_golds"


def test_qrels_beside_queries_leave_the_others_unlabelled(save, tmp_path):
    save("queries.jsonl", [{"id": "q", "question": "?"}, {"id": "r", "question": "!"}])
    save("qrels.txt", "q 0 b 1\n")
    assert [query.relevant is None for query in load_dataset(tmp_path).queries] == [False, True]


def test_the_lock_names_what_changed(save, tmp_path, faults_of):
    queries = save("queries.jsonl", [{"id": "q", "question": "?"}])
    corpus = save("corpus.jsonl", [{"document": "d"}])
    assert check_lock(tmp_path) is None
    lock = write_lock(tmp_path)
    assert check_lock(tmp_path) is None
    save("answers.jsonl", [{"query": "q", "answer": "x"}])
    assert load_dataset(tmp_path).notices == ()
    queries.write_text('{"id": "q", "question": "changed"}\n')
    corpus.unlink()
    save("dataset.toml", 'name = "new"\n')
    (notice,) = load_dataset(tmp_path).notices
    assert (notice.code, notice.count) == ("lock_mismatch", 3)
    assert notice.samples == ("corpus.jsonl", "dataset.toml", "queries.jsonl")
    lock.write_text("files = 3")
    assert faults_of(lambda: check_lock(tmp_path))[0].code == "broken_lock"
