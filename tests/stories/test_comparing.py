"""Two versions of the bundled example beside each other, from the command line."""

from pathlib import Path

import pytest

from ragassay.records import ExitCode

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "handbook"


@pytest.fixture
def versions(ragassay):
    for version in ("v1", "v2"):
        ragassay("eval", EXAMPLE, EXAMPLE / f"answers-{version}.jsonl", "--out", version, "--json")
    return ragassay


def test_what_changed_and_who_lost(versions):
    told = versions("compare", "v1", "v2", "--json")
    assert told.code is ExitCode.PASSED
    assert told.json["mismatches"] == []
    overall = {each["metric"]: each for each in told.json["differences"] if each["slice"] is None}
    assert overall["recall@10"]["difference"] > 0
    assert overall["correct_abstention"]["losses"] == 20
    assert overall["correct_abstention"]["test"] == "mcnemar"
    assert told.json["causes"]["none"]["citation_superseded"] > 0
    assert told.json["regressed"]


def test_it_is_readable_at_80_columns(versions):
    told = versions("compare", "v1", "v2")
    assert max(map(len, told.out.splitlines())) <= 80
    for words in ("Comparable?", "What changed", "correct_abstention", "Became worse", "before and after"):
        assert words in told.out


def test_other_labels_refuse_by_name(versions, desk):
    lines = (EXAMPLE / "queries.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (desk / "queries.jsonl").write_text("".join(lines[:-5]), encoding="utf-8")
    versions("eval", "queries.jsonl", EXAMPLE / "answers-v2.jsonl", "--out", "fewer", "--json")
    told = versions("compare", "v1", "fewer")
    assert told.code is ExitCode.UNDECIDED
    assert "dataset_hash" in told.out
    assert "pin a new baseline" in " ".join(told.out.split())
    told = versions("compare", "v1", "fewer", "--override", "five queries were withdrawn", "--json")
    assert told.code is ExitCode.PASSED
    assert told.json["override"] == "five queries were withdrawn"
    assert told.json["differences"]


def test_a_run_that_is_not_there_is_said(versions):
    told = versions("compare", "v1", "nowhere", "--json")
    assert told.code is ExitCode.FAULTY_INPUT
    assert told.json["errors"][0]["value"] == "nowhere"
