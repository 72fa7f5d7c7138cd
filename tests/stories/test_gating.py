"""Somebody asks whether a version may be released, and gets a verdict, its reasons, and an exit code."""

import json
import shutil
from xml.etree import ElementTree

import polars as pl
import pytest

POLICY = """
name = "desk"
coverage = 0.9
[[gates]]
metric = "recall@10"
at_least = {least}
[[gates]]
metric = "withheld_rate"
at_most = 0.5
"""


@pytest.fixture
def policy(files):
    def written(least, extra="critical = false\n"):
        (files / "policy.toml").write_text(extra + POLICY.format(least=least), encoding="utf-8")
        return "policy.toml"

    return written


def measured(ragassay, *options):
    return ragassay("eval", "queries.jsonl", "answers.jsonl", "--corpus", "corpus.jsonl", "--out", "run", *options)


def test_the_last_line_is_the_exit_code(ragassay, policy):
    for least, code in ((0.1, 0), (1.0, 1)):
        told = measured(ragassay, "--policy", policy(least))
        assert told.code == code
        assert told.out.splitlines()[-1] == f"exit code {code}"


def test_a_run_is_gated_again_later_and_everything_is_kept_beside_it(ragassay, files, policy):
    measured(ragassay)
    told = ragassay("gate", "run", "--policy", policy(1.0))
    assert told.code == 1
    assert "recall@10" in told.out
    assert told.out.splitlines()[-1] == "exit code 1"
    assert json.loads((files / "run" / "verdict.json").read_text())["outcome"] == "breached"
    assert ElementTree.parse(files / "run" / "verdict.xml").getroot().get("failures") == "1"
    assert "Breached" in (files / "run" / "verdict.md").read_text(encoding="utf-8")


def test_json_is_one_document_and_says_the_same(ragassay, policy):
    told = measured(ragassay, "--policy", policy(1.0), "--json")
    assert (told.code, told.json["verdict"]["outcome"]) == (1, "breached")
    again = ragassay("gate", "run", "--policy", policy(1.0), "--json")
    assert (again.code, again.json["gates"]) == (1, told.json["verdict"]["gates"])


def test_what_nobody_measured_is_undecided_and_no_success(ragassay, policy):
    told = measured(ragassay, "--policy", policy(0.1, 'critical = false\nrequire = ["faithfulness"]\n'))
    assert told.code == 3
    assert told.out.splitlines()[-1] == "exit code 3"
    assert "faithfulness" in told.out


def test_a_critical_query_without_a_judge_is_undecided(ragassay, policy):
    told = measured(ragassay, "--policy", policy(0.1, ""))
    assert told.code == 3
    assert "critical" in told.out


def test_a_faulty_policy_is_refused_before_anything_is_measured(ragassay, files, policy):
    told = measured(ragassay, "--policy", policy(80))
    assert told.code == 2
    assert "for 80 % write 0.8" in told.err
    assert not (files / "run").exists()


def test_a_missing_policy_run_or_baseline_is_a_fault_and_no_pass(ragassay, policy):
    measured(ragassay)
    assert ragassay("gate", "run", "--policy", "nowhere.toml").code == 2
    assert ragassay("gate", "nowhere", "--policy", policy(0.1)).code == 2
    assert ragassay("gate", "run", "--policy", policy(0.1), "--baseline", "nowhere").code == 2
    assert measured(ragassay, "--baseline", "run").code == 2


def test_a_damaged_run_is_a_fault_and_no_pass(ragassay, files, policy):
    measured(ragassay)
    (files / "run" / "fractions.parquet").write_bytes(b"PAR1")
    assert ragassay("gate", "run", "--policy", policy(0.1)).code == 2


def test_the_example_is_better_on_the_mean_and_breached_by_critical_queries(ragassay, desk):
    told = ragassay("demo", "--gate")
    assert told.code == 1
    assert told.out.splitlines()[-1] == "exit code 1"
    said = " ".join(told.out.split())
    assert "critical_pass_rate: 48 of 61 critical queries failed: revisions_in_force 44" in said
    assert "● passed recall@5" in said
    kept = json.loads((desk / "ragassay-runs/handbook-v2/verdict.json").read_text(encoding="utf-8"))
    assert kept["gates"][0]["outcome"] == "breached"
    relative = next(each for each in kept["gates"] if each["gate"].get("no_worse_by"))
    assert (relative["outcome"], relative["n"]) == ("passed", 146)
    assert relative["value"] > 0.1


def test_a_version_is_compared_with_its_baseline_or_the_reason_is_given(ragassay, files, policy):
    measured(ragassay)
    margin = '[[gates]]\nmetric = "recall@10"\nno_worse_by = 0.5\n'
    (files / "margin.toml").write_text(f'name = "m"\ncritical = false\n{margin}', encoding="utf-8")
    alone = ragassay("gate", "run", "--policy", "margin.toml", "--json")
    assert (alone.code, alone.json["gates"][0]["reason"]) == (3, "no_baseline")
    same = ragassay("gate", "run", "--policy", "margin.toml", "--baseline", "run", "--json")
    assert same.json["gates"][0]["value"] == 0.0
    assert same.json["baseline"] == same.json["run"]
    rows = (files / "queries.jsonl").read_text(encoding="utf-8").replace("the cup", "the other cup")
    (files / "queries.jsonl").write_text(rows, encoding="utf-8")
    ragassay("eval", "queries.jsonl", "answers.jsonl", "--corpus", "corpus.jsonl", "--out", "other")
    other = ragassay("gate", "other", "--policy", "margin.toml", "--baseline", "run", "--json")
    assert (other.code, other.json["gates"][0]["reason"]) == (3, "not_comparable")
    forced = ("gate", "other", "--policy", "margin.toml", "--baseline", "run", "--override", "a typo was mended")
    assert any("a typo was mended" in flag for flag in ragassay(*forced, "--json").json["flags"])


def test_a_baseline_of_another_version_is_a_fault_and_no_pass(ragassay, files, policy):
    measured(ragassay)
    table = pl.read_parquet(files / "run" / "fractions.parquet")
    old = table.with_columns(pl.col("metric").str.replace(":v1", ":v0"))
    shutil.copytree(files / "run", files / "old")
    old.write_parquet(files / "old" / "fractions.parquet")
    assert ragassay("gate", "run", "--policy", policy(0.1), "--baseline", "old").code == 2
    assert ragassay("gate", "old", "--policy", policy(0.1)).code == 3
