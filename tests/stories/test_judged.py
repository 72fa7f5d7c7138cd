"""The embedded judge on a small set: verdicts, their evidence, and what they say of themselves."""

import pytest
from desk import ANSWERS, QUERIES, write_lines

from ragassay.records import ExitCode


@pytest.fixture
def judged(ragassay, files):
    references = {"q1": "M12 bolts are tightened to 80 N·m.", "q2": "Болты M12 затягивают моментом 80 Н·м."}
    texts = {
        "TI-204#1": "Tighten M12 bolts to 80 N·m. Болты M12 затягивают моментом 80 Н·м.",
        "TI-100#1": "The canteen opens at noon.",
    }
    write_lines(files / "queries.jsonl", [{**query, "reference": references.get(query["id"])} for query in QUERIES])
    answers = [
        {**answer, "retrieved": [{**each, "text": texts[each["passage"]]} for each in answer["retrieved"]]}
        for answer in ANSWERS
    ]
    write_lines(files / "answers.jsonl", answers)
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--judge", "embedded", "--out", "run", "--json")
    assert told.code is ExitCode.PASSED
    return told


def test_a_true_claim_is_supported_and_a_changed_number_is_not(judged):
    measured = {query["query"]: query["metrics"] for query in judged.json["queries"]}
    assert measured["q1"]["grounded_claim_rate"]["numerator"] == 1
    assert measured["q2"]["grounded_claim_rate"]["numerator"] == 0
    assert measured["q3"]["grounded_claim_rate"]["undefined"] == "no_claims"


def test_the_report_names_its_judge_as_one_that_screens(judged, ragassay):
    assert judged.json["card"]["judge"]["screens"] is True
    told = ragassay("explain", "run", "q2")
    assert "70" in told.out
    assert "»" in told.out


def test_judging_twice_gives_the_same_bytes(judged, ragassay, files):
    ragassay("eval", "queries.jsonl", "answers.jsonl", "--judge", "embedded", "--out", "again")
    for path in sorted((files / "run").rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (files / "again" / path.relative_to(files / "run")).read_bytes(), path.name
