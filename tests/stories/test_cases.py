"""A failure becomes a case, is asked again, and is retired for a reason."""

import json

import pytest
from desk import ANSWERS, CORPUS, QUERIES, write_lines

from ragassay.records import ExitCode


@pytest.fixture
def dataset(desk):
    folder = desk / "set"
    folder.mkdir()
    write_lines(folder / "queries.jsonl", QUERIES)
    write_lines(folder / "corpus.jsonl", CORPUS)
    write_lines(desk / "answers.jsonl", ANSWERS)
    return folder


@pytest.fixture
def failing(ragassay, dataset):
    """A run, and a query that failed in it."""
    told = ragassay("eval", dataset, "answers.jsonl", "--out", "run", "--json")
    return next(each["query"] for each in told.json["queries"] if each["cause"] is not None)


def test_a_failure_is_kept_and_asked_as_a_slice_of_its_own(ragassay, dataset, failing):
    told = ragassay("cases", "add", "run", failing, "--dataset", dataset, "--kind", "incident", "--note", "из жалобы")
    assert told.code is ExitCode.PASSED
    kept = json.loads((dataset / "cases.jsonl").read_text(encoding="utf-8"))
    assert (kept["kind"], kept["note"], kept["query"]["id"]) == ("incident", "из жалобы", failing)
    assert kept["id"] == f"{failing}@{kept['run']}"
    again = ragassay("eval", dataset, "answers.jsonl", "--out", "again", "--json")
    assert "slice=incident" in again.json["slices"]
    assert failing in told.out


def test_a_retired_case_is_listed_and_no_longer_asked(ragassay, dataset, failing):
    added = ragassay("cases", "add", "run", failing, "--dataset", dataset, "--kind", "regression", "--json")
    case = added.json["cases"][0]["id"]
    assert ragassay("cases", "retire", case, "--dataset", dataset, "--reason", " ").code is ExitCode.FAULTY_INPUT
    told = ragassay("cases", "retire", case, "--dataset", dataset, "--reason", "the product is gone", "--json")
    assert told.json["cases"][0]["retired"]["reason"] == "the product is gone"
    assert "the product is gone" in ragassay("cases", "list", dataset).out.replace("\n", " ")
    again = ragassay("eval", dataset, "answers.jsonl", "--out", "again", "--json")
    assert "slice=regression" not in again.json["slices"]


def test_a_person_may_name_another_cause(ragassay, dataset, failing):
    told = ragassay(
        *("cases", "add", "run", failing, "--dataset", dataset, "--kind", "incident"),
        *("--cause", "hallucinated", "--json"),
    )
    assert told.json["cases"][0]["cause"]["name"] == "hallucinated"
    assert told.json["cases"][0]["cause"]["stage"] == "generator"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"query": "q99"}, "unknown_query"),
        ({"cause": "halucinated"}, "unknown_cause"),
        ({"dataset": "nowhere"}, "no_dataset"),
        ({"run": "nowhere"}, "unknown_run"),
    ],
)
def test_what_cannot_be_kept_is_said(ragassay, dataset, failing, change, code):
    typed = {"run": "run", "query": failing, "dataset": dataset, "cause": "hallucinated"} | change
    told = ragassay(
        *("cases", "add", typed["run"], typed["query"], "--dataset", typed["dataset"]),
        *("--kind", "incident", "--cause", typed["cause"], "--json"),
    )
    assert told.code is ExitCode.FAULTY_INPUT
    assert [error["code"] for error in told.json["errors"]] == [code]
    assert not (dataset / "cases.jsonl").exists()


def test_a_query_that_did_not_fail_needs_a_cause_from_a_person(ragassay, dataset, failing):
    document = ragassay("show", "run", "--json").json
    fine = next(each["query"] for each in document["queries"] if each["cause"] is None)
    told = ragassay("cases", "add", "run", fine, "--dataset", dataset, "--kind", "incident", "--json")
    assert [error["code"] for error in told.json["errors"]] == ["not_failed"]
