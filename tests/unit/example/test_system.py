"""The bundled system: its answers are reproducible, and version 2 is better on the mean and worse where it counts."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

Row = dict[str, Any]

HANDBOOK = Path(__file__).parents[3] / "examples" / "handbook"
TIMES = {"retrieval_ms", "first_token_ms", "total_ms"}


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("handbook_system", HANDBOOK / "system.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SYSTEM = loaded()
CORPUS: dict[tuple[str, str], Row] = {
    (row["document"], row["revision"]): row for row in SYSTEM.read_jsonl(HANDBOOK / "corpus.jsonl")
}
QUERIES: dict[str, Row] = {query["id"]: query for query in SYSTEM.read_jsonl(HANDBOOK / "queries.jsonl")}
RECORDED: dict[str, list[Row]] = {
    version: SYSTEM.read_jsonl(HANDBOOK / f"answers-{version}.jsonl") for version in ("v1", "v2")
}
ASK: dict[str, Callable[[Row], Row]] = {"v1": SYSTEM.answer_v1, "v2": SYSTEM.answer_v2}
versions = pytest.mark.parametrize("version", ["v1", "v2"])


def without_times(answer: Row) -> Row:
    return {field: value for field, value in answer.items() if field not in TIMES}


def has_refused(answer: Row) -> bool:
    return answer["answer"] in SYSTEM.REFUSALS.values()


def revision_of(passage: str) -> Row:
    document, _, rest = passage.partition("@")
    return CORPUS[document, rest.partition("#")[0]]


def is_admissible(passage: str, query: Row) -> bool:
    source = revision_of(passage)
    return SYSTEM.is_in_force(source, query["as_of"]) and SYSTEM.may_read(source, query["requester"]["groups"])


def share(values: list[bool] | list[float]) -> float:
    return sum(values) / len(values)


def reciprocal_rank(answer: Row) -> float:
    query = QUERIES[answer["query"]]
    named = {entry["document"] for entry in query["relevant"]}
    for rank, result in enumerate(answer["retrieved"], start=1):
        if result["document"] in named and is_admissible(result["passage"], query):
            return 1 / rank
    return 0.0


def recall_at_5(answer: Row) -> float:
    query = QUERIES[answer["query"]]
    needs: dict[str, set[str]] = {}
    for entry in query["relevant"]:
        needs.setdefault(entry.get("need", entry["document"]), set()).add(entry["document"])
    found = {r["document"] for r in answer["retrieved"][:5] if is_admissible(r["passage"], query)}
    return share([not documents.isdisjoint(found) for documents in needs.values()])


def answers(version: str, **wanted: bool) -> list[Row]:
    return [
        answer
        for answer in RECORDED[version]
        if all(QUERIES[answer["query"]][field] == value for field, value in wanted.items())
    ]


@versions
def test_recorded_answers_can_be_regenerated(version: str) -> None:
    again = [without_times(ASK[version](query)) for query in QUERIES.values()]
    assert again == [without_times(answer) for answer in RECORDED[version]]


@versions
def test_answers_are_complete_and_consistent(version: str) -> None:
    assert [answer["query"] for answer in RECORDED[version]] == list(QUERIES)
    for answer in RECORDED[version]:
        ids = [result["passage"] for result in answer["retrieved"]]
        assert len(ids) == len(set(ids)) == 10
        assert answer["packed"] == ids[:3]
        assert {citation["passage"] for citation in answer["citations"]} <= set(answer["packed"])
        assert all(citation["marker"] in answer["answer"] for citation in answer["citations"])
        assert has_refused(answer) == (answer["citations"] == [])
        scores = [result["score"] for result in answer["retrieved"]]
        assert scores == sorted(scores, reverse=True)
        assert 0 <= answer["retrieval_ms"] <= answer["first_token_ms"] <= answer["total_ms"]


@versions
def test_refusals_are_in_the_language_of_the_question(version: str) -> None:
    for answer in RECORDED[version]:
        if has_refused(answer):
            assert answer["answer"] == SYSTEM.REFUSALS[QUERIES[answer["query"]]["language"]]


@versions
def test_sentences_of_an_answer_stand_in_the_passage_that_they_cite(version: str) -> None:
    passages = {
        passage.id: list(SYSTEM.sentences(passage)) for source in CORPUS.values() for passage in SYSTEM.sections(source)
    }
    for answer in RECORDED[version]:
        for citation in answer["citations"]:
            quoted = [
                text for text in passages[citation["passage"]] if f"{text} {citation['marker']}" in answer["answer"]
            ]
            assert quoted, (answer["query"], citation)


@versions
def test_nobody_is_shown_what_they_may_not_read(version: str) -> None:
    for answer in RECORDED[version]:
        groups = QUERIES[answer["query"]]["requester"]["groups"]
        assert all(SYSTEM.may_read(revision_of(result["passage"]), groups) for result in answer["retrieved"])


def test_version_1_searches_only_revisions_in_force() -> None:
    for answer in RECORDED["v1"]:
        day = QUERIES[answer["query"]]["as_of"]
        assert all(SYSTEM.is_in_force(revision_of(result["passage"]), day) for result in answer["retrieved"])


def test_version_2_retrieves_better_on_the_mean() -> None:
    first, second = answers("v1", answerable=True), answers("v2", answerable=True)
    assert share([recall_at_5(a) for a in second]) > share([recall_at_5(a) for a in first]) + 0.1
    assert share([reciprocal_rank(a) for a in second]) > share([reciprocal_rank(a) for a in first]) + 0.08


def refused(version: str, *, answerable: bool) -> int:
    return sum(has_refused(answer) for answer in answers(version, answerable=answerable))


def critical_with_outdated_citation(version: str) -> int:
    return sum(
        any(not is_admissible(citation["passage"], QUERIES[answer["query"]]) for citation in answer["citations"])
        for answer in answers(version, critical=True)
    )


def test_version_2_cites_outdated_revisions_and_refuses_too_little() -> None:
    must_refuse = len(answers("v1", answerable=False))
    assert critical_with_outdated_citation("v1") == 0
    assert critical_with_outdated_citation("v2") > 20
    assert refused("v1", answerable=False) > 0.75 * must_refuse
    assert refused("v2", answerable=False) < 0.5 * must_refuse
    assert 0 < refused("v2", answerable=True) < refused("v1", answerable=True)


def test_the_readme_gives_the_measured_numbers() -> None:
    text = (HANDBOOK / "README.md").read_text(encoding="utf-8")
    table = {
        cells[0]: cells[1:]
        for line in text.splitlines()
        if line.startswith("|") and len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 3
    }
    expected = {
        "recall@5, mean": [f"{share([recall_at_5(a) for a in answers(v, answerable=True)]):.2f}" for v in ASK],
        "reciprocal rank, mean": [
            f"{share([reciprocal_rank(a) for a in answers(v, answerable=True)]):.2f}" for v in ASK
        ],
        "refused although answerable, of 146": [str(refused(v, answerable=True)) for v in ASK],
        "refused as it must be, of 39": [str(refused(v, answerable=False)) for v in ASK],
        "critical answers that cite a revision not in force, of 61": [
            str(critical_with_outdated_citation(v)) for v in ASK
        ],
    }
    assert {name: table[name] for name in expected} == expected
    assert f"{len({document for document, _ in CORPUS})} documents in {len(CORPUS)} revisions" in text
    assert f"{len(QUERIES)} questions" in text


@versions
def test_a_question_without_any_known_word_is_refused(version: str) -> None:
    query = {**QUERIES["q001"], "question": "Zyx?"}
    assert has_refused(ASK[version](query))


@versions
def test_a_question_without_words_is_refused(version: str) -> None:
    assert has_refused(ASK[version]({**QUERIES["q001"], "question": "???"}))


def test_a_table_row_becomes_a_sentence_that_names_its_columns() -> None:
    source = {
        "document": "D",
        "revision": "A",
        "text": "## T\n| Bolt | Torque |\n|---|---|\n| M8 | 22 |\nSecond. Third.",
    }
    (passage,) = SYSTEM.sections(source)
    assert passage.id == "D@A#1"
    assert list(SYSTEM.sentences(passage)) == ["Bolt: M8; Torque: 22.", "Second.", "Third."]


@pytest.mark.parametrize(
    ("status", "day", "expected"),
    [
        ("in_force", "2026-01-01", True),
        ("in_force", "2025-12-31", False),
        ("superseded", "2026-06-30", True),
        ("superseded", "2026-07-01", False),
        ("draft", "2026-03-01", False),
        ("withdrawn", "2026-03-01", False),
    ],
)
def test_dates_are_half_open_and_drafts_are_never_in_force(status: str, day: str, expected: bool) -> None:
    source = {"status": status, "valid_from": "2026-01-01", "valid_to": "2026-07-01"}
    assert SYSTEM.is_in_force(source, day) is expected


def test_the_command_writes_the_answers_beside_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = loaded()
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    for name in ("corpus.jsonl", "queries.jsonl"):
        (tmp_path / name).write_bytes((HANDBOOK / name).read_bytes())
    assert module.main(["v3"]) == 2
    assert module.main(["v1"]) == 0
    written = [json.loads(line) for line in (tmp_path / "answers-v1.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [without_times(answer) for answer in written] == [without_times(answer) for answer in RECORDED["v1"]]
