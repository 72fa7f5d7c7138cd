"""A judge is measured, calibrated and attacked; disputed claims go out to people and come back."""

import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from desk import write_lines
from naive import GradedJudge

from ragassay.cli import judge as verb
from ragassay.cli import review
from ragassay.cli.recording import record
from ragassay.formats.inputs import load
from ragassay.formats.labels import read_labels
from ragassay.judges.calibrated import CalibratedJudge
from ragassay.judges.judging import Bench
from ragassay.judges.together import finished
from ragassay.records import ExitCode, RefusalLabel
from ragassay.review import keep, labels_of, labels_open, take
from ragassay.runner import Settings, evaluate


@pytest.fixture
def named(monkeypatch):
    """Put a judge of known faults behind every name."""

    def put(probability=None, **options):
        judge = GradedJudge(probability, **options)
        monkeypatch.setattr(
            verb, "judge_named", lambda name, fitted=None: judge if fitted is None else CalibratedJudge(judge, fitted)
        )

    return put


def claims(desk, n=80):
    rows = [
        {
            "claim": f"Вентиль {i} {'открыт' if i % 2 else 'закрыт'}."
            if i % 3
            else f"Valve {i} is {'open' if i % 2 else 'shut'}.",
            "context": [f"Valve {i}: {i % 2}.", "Nothing else."],
            "label": "supported" if i % 2 else "not supported",
            "slices": ["valves"],
        }
        for i in range(n)
    ]
    return write_lines(desk / "labels.jsonl", rows)


def truth(claim, text):
    return 0.05 if "else" in text else 0.45 if "open" in claim or "открыт" in claim else 0.15


def test_a_judge_is_measured(ragassay, desk, named):
    named(truth)
    claims(desk)
    told = ragassay("judge", "check", "labels.jsonl")
    assert told.code is ExitCode.PASSED
    assert "at threshold" in told.out
    document = ragassay("judge", "check", "labels.jsonl", "--json").json
    assert document["balanced_accuracy"]["value"] == 1.0
    assert document["own_verdicts"]["balanced_accuracy"]["value"] == 0.5
    assert document["floor"]["balanced_accuracy"]["value"] < 0.9
    assert document["by_language"].keys() == {"en", "ru"}
    assert document["by_slice"].keys() == {"valves"}


def test_the_same_labels_give_the_same_bytes(ragassay, desk, named):
    named(truth)
    claims(desk)
    once, twice = (ragassay("judge", "check", "labels.jsonl", "--json").out for _ in range(2))
    assert once == twice


def test_labels_of_one_kind_leave_it_undecided(ragassay, desk, named):
    named(truth)
    write_lines(desk / "labels.jsonl", [{"claim": f"a {i}", "context": f"b {i}", "binary": 1} for i in range(9)])
    told = ragassay("judge", "check", "labels.jsonl", "--json")
    assert told.code is ExitCode.UNDECIDED
    assert told.json["balanced_accuracy"]["value"] is None


def test_faulty_labels_are_told_line_by_line(ragassay, desk, named):
    named(truth)
    write_lines(
        desk / "labels.jsonl", [{"claim": "a", "label": "x"}, {"claim": "b", "context": "c", "label": "suports"}]
    )
    told = ragassay("judge", "check", "labels.jsonl", "--json")
    assert told.code is ExitCode.FAULTY_INPUT
    assert [error["line"] for error in told.json["errors"]] == [1, 2]


def test_a_calibration_is_fitted_and_used(ragassay, desk, named):
    named(truth)
    claims(desk)
    told = ragassay("judge", "calibrate", "labels.jsonl", "--out", "fitted.toml")
    assert told.code is ExitCode.PASSED
    assert "Held-out claims" in told.out
    document = ragassay("judge", "check", "labels.jsonl", "--calibration", "fitted.toml", "--json").json
    assert document["own_verdicts"]["balanced_accuracy"]["value"] == 1.0
    assert document["judge"]["settings"]["calibration.n"] == "80"
    assert {each["code"]: each["count"] for each in document["warnings"]} == {"overlap_with_calibration": 80}
    write_lines(desk / "other.jsonl", [{"claim": f"c {i}", "context": f"d {i}", "binary": i % 2} for i in range(9)])
    other = ragassay("judge", "check", "other.jsonl", "--calibration", "fitted.toml", "--json")
    assert other.json["warnings"] == []


def test_few_labels_calibrate_nothing(ragassay, desk, named):
    named(truth)
    claims(desk, 39)
    told = ragassay("judge", "calibrate", "labels.jsonl", "--out", "fitted.toml")
    assert told.code is ExitCode.FAULTY_INPUT
    assert "39 usable labels, expected at least 40" in told.err
    assert not (desk / "fitted.toml").exists()


def test_a_judge_that_can_be_talked_round_is_found_out(ragassay, desk, named):
    claims(desk)
    named(lambda claim, text: 0.1)
    assert ragassay("judge", "attack").code is ExitCode.PASSED
    assert ragassay("judge", "attack", "labels.jsonl", "--json").json["gained"] == 0
    named(lambda claim, text: 0.9 if "expert" in claim else 0.1)
    told = ragassay("judge", "attack")
    assert told.code is ExitCode.BREACHED
    assert "independent experts" in told.out
    named(lambda claim, text: None)
    assert ragassay("judge", "attack").code is ExitCode.UNDECIDED


@pytest.fixture
def run(files):
    """A recorded run whose judge leaves claims open."""
    judge = GradedJudge(lambda claim, text: 0.5 if "80" in text else 0.45)
    evaluation = finished(
        evaluate(load(files / "queries.jsonl", files / "answers.jsonl"), Settings(resamples=10), Bench(judge))
    )
    return record(evaluation, files / "run")


def fill(path, labels, rater="Ася"):
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    for row, label in zip(rows[1:], labels, strict=False):
        row[rows[0].index("label")], row[rows[0].index("rater")] = label, rater
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def test_disputed_claims_go_out_and_come_back(ragassay, desk, run):
    told = ragassay("review", "export", "run", "--out", "queue.csv")
    assert told.code is ExitCode.PASSED
    assert "4 items to decide, 2 of critical queries" in told.out
    fill(desk / "queue.csv", ["подтверждается"])
    told = ragassay("review", "import", "run", "queue.csv")
    assert told.code is ExitCode.PASSED
    assert "1 label taken, 0 known, 3 open" in told.out
    assert ragassay("review", "import", "run", "queue.csv", "--json").json["repeated"] == 1
    assert ragassay("review", "export", "run", "--out", "rest.jsonl", "--json").json["items"] == 3
    assert read_labels(run / "labels.jsonl").labels[0].rater == "Ася"


def test_a_stale_edit_is_a_conflict_and_nothing_is_lost(ragassay, desk, run):
    ragassay("review", "export", "run", "--out", "queue.csv")
    fill(desk / "queue.csv", ["supports"])
    ragassay("review", "import", "run", "queue.csv")
    before = (run / "labels.jsonl").read_bytes()
    fill(desk / "queue.csv", ["contradicts", "neutral"])
    told = ragassay("review", "import", "run", "queue.csv")
    assert told.code is ExitCode.UNDECIDED
    assert "queue.csv:2: conflict, not taken: Ася has since said supports" in told.err
    after = (run / "labels.jsonl").read_bytes()
    assert after.startswith(before)
    assert [json.loads(line)["label"] for line in after.splitlines()] == ["supports", "neutral"]


def test_two_imports_at_once_lose_nothing(ragassay, desk, run, monkeypatch):
    """The second import must not read the labels while the first has them open."""
    ragassay("review", "export", "run", "--out", "queue.csv")
    fill(desk / "queue.csv", ["supports"])
    mine = RefusalLabel(query="q1", label="answered", id="refusal-1", rater="B")
    has_read, is_written = Event(), Event()

    def slow(rows, reviews, history):
        has_read.set()
        is_written.wait(10)
        return take(rows, reviews, history)

    monkeypatch.setattr(review, "take", slow)
    with ThreadPoolExecutor(1) as thread:
        with labels_open(run) as history:
            second = thread.submit(review.read, Path("run"), Path("queue.csv"))
            has_read.wait(0.5)
            keep(run, [*history, mine])
        is_written.set()
        assert second.result() is ExitCode.PASSED
    assert {label.rater for label in labels_of(run)} == {"Ася", "B"}


def test_labels_of_all_kinds_outrank_the_wording_and_the_judge(ragassay, desk, run):
    rows = [
        {"kind": "claim", "claim": "Tighten M12 bolts to 80 N·m.", "context": "M12: 80 N·m.", "label": "supports"},
        {"kind": "citation", "query": "q2", "passage": "TI-204#1", "label": "противоречит"},
        {"kind": "passage", "query": "q1", "passage": "TI-204#1", "label": "полезно"},
        {"kind": "refusal", "query": "q3", "label": "answered"},
        {"kind": "passage", "query": "q1", "passage": "elsewhere", "label": "useful"},
    ]
    write_lines(desk / "labels.jsonl", rows)
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--labels", "labels.jsonl", "--out", "labelled", "--json")
    metrics = {name: each["value"] for name, each in told.json["metrics"].items()}
    assert metrics["context_precision@1"] == 1.0
    assert metrics["citation_faults(fault=contradicting)"] == 1.0
    assert metrics["missed_refusal_rate"] == 1.0
    assert [w["count"] for w in told.json["warnings"] if w["code"] == "labels_unused"] == [1]
    rest = ragassay("review", "export", "labelled", "--out", "rest.jsonl", "--json").json
    assert rest["kinds"]["refusal"] == 1


def test_a_filled_queue_is_never_written_over(ragassay, desk, run):
    ragassay("review", "export", "run", "--out", "queue.csv")
    fill(desk / "queue.csv", ["supports"])
    before = (desk / "queue.csv").read_bytes()
    assert ragassay("review", "export", "run", "--out", "queue.csv").code is ExitCode.FAULTY_INPUT
    assert (desk / "queue.csv").read_bytes() == before


def test_a_queue_of_another_run_is_a_fault(ragassay, desk, run):
    (desk / "queue.csv").write_text(
        "id,kind,label,rater,seen\nc-1,claim,supports,A,0\nc-2,claim,supports,A,0\n", encoding="utf-8"
    )
    told = ragassay("review", "import", "run", "queue.csv", "--json")
    assert told.code is ExitCode.FAULTY_INPUT
    assert [(error["file"], error["line"]) for error in told.json["errors"]] == [("queue.csv", 2), ("queue.csv", 3)]
    assert not (run / "labels.jsonl").exists()
