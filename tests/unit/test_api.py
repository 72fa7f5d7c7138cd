"""Compare, decide and assert in Python: the same numbers as on the command line."""

import json

import pytest
from desk import ANSWERS, CORPUS, QUERIES, write_lines

import ragassay as ra
from ragassay.cli.main import run as typed

POLICY = """
name = "desk"
critical = false
[[gates]]
metric = "recall@10"
at_least = {least}
[[gates]]
metric = "recall@10"
no_worse_by = 0.9
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    worse = [row if row["query"] != "q1" else row | {"retrieved": [], "citations": []} for row in ANSWERS]
    for name, rows in (("queries", QUERIES), ("answers", ANSWERS), ("worse", worse), ("corpus", CORPUS)):
        write_lines(tmp_path / f"{name}.jsonl", rows)
    return tmp_path


@pytest.fixture
def policy(files):
    def written(least):
        (files / "policy.toml").write_text(POLICY.format(least=least), encoding="utf-8")
        return files / "policy.toml"

    return written


def measured(answers="answers.jsonl"):
    return ra.evaluate("queries.jsonl", answers, corpus="corpus.jsonl")


def test_a_change_is_what_the_command_line_says(files, capfdbinary):
    change = ra.compare(measured(), measured("worse.jsonl"))
    for name, answers in (("one", "answers.jsonl"), ("two", "worse.jsonl")):
        typed(["eval", "queries.jsonl", answers, "--corpus", "corpus.jsonl", "--out", name])
    capfdbinary.readouterr()
    typed(["compare", "one", "two", "--json"])
    said = json.loads(capfdbinary.readouterr().out)
    assert len(change.comparison.differences) == len(said["differences"])
    assert [each.difference for each in change.comparison.differences] == [
        each["difference"] for each in said["differences"]
    ]
    again = ra.compare("one", files / "two").comparison
    assert again == change.comparison


def test_a_baseline_is_a_run_in_python_too(files, capfdbinary):
    typed(["eval", "queries.jsonl", "answers.jsonl", "--corpus", "corpus.jsonl", "--out", "one"])
    typed(["baseline", "set", "release", "one"])
    assert ra.compare("release", "release@1").comparison.mismatches == ()
    with pytest.raises(ra.FaultyInput, match="not a run folder"):
        ra.compare("nowhere", "one")


def test_by_keeps_slices_and_changes_no_number(files):
    whole = ra.compare(measured(), measured("worse.jsonl")).comparison
    kept = ra.compare(measured(), measured("worse.jsonl"), by=["language", "critical=yes"]).comparison
    labels = {each.slice for each in kept.differences}
    assert labels == {None, "language=ru", "language=en", "critical=yes"}
    assert all(each in whole.differences for each in kept.differences)
    assert {each.slice for each in ra.compare(measured(), measured(), by=[]).comparison.differences} == {None}
    with pytest.raises(ra.FaultyInput, match=r"no such slice.*langage.*language=en"):
        ra.compare(measured(), measured(), by=["langage"])


def test_a_verdict_passes_or_names_everything(policy):
    before, after = measured(), measured("worse.jsonl")
    ra.assert_passes(ra.decide(policy(0.5), ra.compare(before, before)))
    verdict = ra.decide(policy(0.9), ra.compare(before, after))
    assert verdict.outcome == "breached"
    with pytest.raises(AssertionError) as failed:
        ra.assert_passes(verdict)
    assert not isinstance(failed.value, ra.Undecided)
    message = str(failed.value)
    for words in (
        "recall@10: breached: 0.0%, interval 0.0–65.8%, n = 2",
        "needs: at least 90.0%",
        "look at: q1",
        "desk 1",
    ):
        assert words in message


def test_undecided_is_no_pass_and_says_why(policy):
    verdict = ra.decide(policy(0.5), measured())
    assert verdict.outcome == "undecided"
    with pytest.raises(ra.Undecided, match=r"against the baseline: undecided \(no baseline\).*\n.*none was given"):
        ra.assert_passes(verdict)


def test_by_takes_nothing_from_a_verdict(policy):
    change = ra.compare(measured(), measured("worse.jsonl"))
    fewer = ra.compare(measured(), measured("worse.jsonl"), by=[])
    assert ra.decide(policy(0.5), fewer).verdict == ra.decide(policy(0.5), change).verdict


def test_an_override_reaches_the_verdict(files, policy):
    before = measured()
    write_lines(files / "queries.jsonl", [QUERIES[0] | {"question": "Which torque?"}, *QUERIES[1:]])
    after = measured()
    refused = ra.decide(policy(0.5), ra.compare(before, after))
    assert (refused.outcome, refused.gates[-1].reason) == ("undecided", "not_comparable")
    with pytest.raises(ra.Undecided, match="baseline set"):
        ra.assert_passes(refused)
    forced = ra.decide(policy(0.5), ra.compare(before, after, override="a typo was mended"))
    assert any("a typo was mended" in flag for flag in forced.verdict.flags)


def test_what_people_say_outranks_the_code(files):
    write_lines(files / "labels.jsonl", [{"kind": "refusal", "query": "q1", "label": "refused"}])
    assert measured()["false_refusal_rate"].value == 0.0
    said = ra.evaluate("queries.jsonl", "answers.jsonl", corpus="corpus.jsonl", labels="labels.jsonl")
    assert said["false_refusal_rate"].value == 0.5
