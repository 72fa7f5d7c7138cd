"""Before the next comparison: is the dataset fit, how many queries does it take, how much is noise."""

import json
from pathlib import Path

import pytest
from desk import write_lines

from ragassay.records import ExitCode

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "handbook"
QUERIES = [
    {"id": "a", "question": "What is the torque?", "relevant": [{"document": "d1"}], "slices": ["table"]},
    {"id": "b", "question": "What is the torque", "relevant": [{"document": "d2"}]},
    {"id": "c", "question": "Каков момент затяжки?", "critical": True},
    {"id": "d", "question": "Who won?", "answerable": False},
]


@pytest.fixture
def versions(ragassay):
    for version in ("v1", "v2"):
        ragassay("eval", EXAMPLE, EXAMPLE / f"answers-{version}.jsonl", "--out", version, "--json")
    return ragassay


@pytest.fixture
def twice(ragassay, desk):
    """The same system asked twice; the second time it lost the first result of every third answer."""
    lines = (EXAMPLE / "answers-v2.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    shaken = [
        row if number % 3 or not row["retrieved"] else row | {"retrieved": row["retrieved"][1:]}
        for number, row in enumerate(rows)
    ]
    for name, answers in (("first", rows), ("second", shaken)):
        write_lines(desk / f"{name}.jsonl", answers)
        ragassay("eval", EXAMPLE, f"{name}.jsonl", "--out", name, "--json")
    return ragassay


def is_narrow(text):
    return max(map(len, text.splitlines())) <= 80


def test_what_a_difference_needs(versions):
    told = versions("dataset", "plan", "v1", "v2", "--by", "language", "--json")
    assert told.code is ExitCode.PASSED
    needs = {(each["metric"], each["slice"]): each for each in told.json["needs"]}
    hits = needs["hit_rate@10", None]
    assert (hits["method"], hits["n"], hits["needed"]) == ("mcnemar", 146, 321)
    assert hits["detectable"] > 0.05
    assert needs["hit_rate@10", "language=ru"]["n"] < 146
    assert needs["total_latency(p=95)", None]["reason"]
    assert told.json["critical"]["shows"] > 0.95
    assert (
        versions("dataset", "plan", "v1", "v2", "--difference", "0.1", "--metric", "hit_rate@10", "--json").json[
            "needs"
        ][0]["needed"]
        < 146
    )


def test_the_plan_is_readable_at_80_columns_and_says_what_it_assumes(versions):
    told = versions("dataset", "plan", "v1", "v2")
    assert is_narrow(told.out)
    for words in ("What a difference needs", "same queries", "Not planned", "Critical queries"):
        assert words in told.out
    alone = versions("dataset", "plan", "v2", "--by", "critical")
    assert is_narrow(alone.out)
    assert "this assumes" in alone.out
    assert "critical=yes" in alone.out


def test_nothing_impossible_is_planned(versions):
    told = versions("dataset", "plan", "v2", "--difference", "0", "--power", "1", "--metric", "recal@10", "--json")
    assert told.code is ExitCode.FAULTY_INPUT
    assert [each["field"] for each in told.json["errors"]] == ["--difference", "--power", "--metric"]
    told = versions("dataset", "plan", "v2", "--by", "colour", "--json")
    assert told.code is ExitCode.FAULTY_INPUT
    assert "language" in told.json["errors"][0]["expected"]


def test_a_dataset_that_would_mislead(ragassay, desk):
    write_lines(desk / "queries.jsonl", QUERIES)
    told = ragassay("dataset", "lint", "queries.jsonl", "--json")
    assert told.code is ExitCode.BREACHED
    assert [each["code"] for each in told.json["spoiling"]] == ["duplicate_questions", "conflicting_gold"]
    assert (told.json["queries"], told.json["unlabelled"]) == (4, 1)
    assert told.json["slices"]["slice=table"] == 1
    told = ragassay("dataset", "lint", "queries.jsonl")
    assert is_narrow(told.out)
    assert "a|b" in told.out
    clean = ragassay("dataset", "lint", EXAMPLE)
    assert clean.code is ExitCode.PASSED
    assert "Nothing stands in the way" in clean.out


def test_a_dataset_is_locked_and_what_changes_is_said(ragassay, desk):
    (desk / "set").mkdir()
    write_lines(desk / "set" / "queries.jsonl", QUERIES[2:])
    assert ragassay("dataset", "lint", "set").code is ExitCode.PASSED
    told = ragassay("dataset", "lock", "set", "--json")
    assert told.code is ExitCode.PASSED
    assert Path(told.json["lock"]).is_file()
    assert ragassay("dataset", "lint", "set").code is ExitCode.PASSED
    write_lines(desk / "set" / "queries.jsonl", QUERIES[3:])
    told = ragassay("dataset", "lint", "set", "--json")
    assert told.code is ExitCode.BREACHED
    assert [each["code"] for each in told.json["spoiling"]] == ["lock_mismatch"]
    assert ragassay("dataset", "lock", "set/queries.jsonl").code is ExitCode.FAULTY_INPUT


def test_what_repeating_changes(twice):
    told = twice("stability", "first", "second", "--threshold", "0.8", "--json")
    assert told.code is ExitCode.PASSED
    hits = next(each for each in told.json["metrics"] if each["metric"] == "hit_rate@1")
    every, once = (hits[name][-1]["value"] for name in ("every", "once"))
    assert every < hits["mean"]["value"] < once
    assert hits["flips"]["value"] == pytest.approx(once - every)
    assert {each["metric"] for each in told.json["unsteady"]} >= {"hit_rate@1", "recall@1"}
    shown = twice("stability", "first", "second", "--metric", "hit_rate@1", "recall@10")
    assert is_narrow(shown.out)
    for words in ("How far they agree", "Queries that vary", "1 of 2", "The judge", "--threshold"):
        assert words in shown.out


def test_what_is_no_repetition_is_refused(versions):
    told = versions("stability", "v1", "v2", "--json")
    assert told.code is ExitCode.UNDECIDED
    assert "system" in [each["field"] for each in told.json["mismatches"]]
    assert told.json["metrics"] == []
    for runs in (["v1"], ["v1", "v1"], ["v1", "./v1"]):
        assert versions("stability", *runs).code is ExitCode.FAULTY_INPUT
