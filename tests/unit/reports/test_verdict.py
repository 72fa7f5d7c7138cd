"""A verdict on paper: what every reader sees, what machines read, and that nothing in it obeys the data."""

import io
import json
import re
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from ragassay.records import Gate, GateResult
from ragassay.records.verdict import Verdict
from ragassay.reports.document import render_json
from ragassay.reports.html import render_html
from ragassay.reports.junit import verdict_junit
from ragassay.reports.markdown import render_markdown
from ragassay.reports.verdict import LONGEST, render_verdict, verdict_json, verdict_markdown

HOSTILE = "``` </testcase> ]]> <script> @octocat #1 [x](https://evil.example) \x00\x1b[31m\ud800 | ``` \u202e"


def gate(outcome, reason=None, message="0.7966 < 0.80, n = 10", **more):
    return GateResult(
        gate=Gate(metric="recall@10", at_least=0.8), outcome=outcome, reason=reason, message=message, **more
    )


def verdict(*gates, outcome="breached", **more):
    return Verdict(policy="p 1", policy_hash="abc", run="r", baseline=None, outcome=outcome, gates=gates, **more)


ALL = verdict(
    gate("passed"),
    gate("breached", queries=("q1", "q2")),
    gate("undecided", "low_coverage", marks=("uncorrected_judge",)),
    gate("undecided", "all_undefined"),
    gate("not_evaluated", "earlier_stage"),
    flags=("the policy gates groundedness and not refusals",),
)


def printed(verdict, width=80):
    stream = io.StringIO()
    render_verdict(verdict, Console(file=stream, width=width, color_system=None))
    return stream.getvalue()


def test_junit_breached_fails_undecided_errs_undefined_is_skipped():
    suite = ElementTree.fromstring(verdict_junit(ALL))[0]
    kinds = [[child.tag for child in case] for case in suite]
    assert kinds == [[], ["failure"], ["error"], ["skipped"], ["skipped"]]
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5",
        "failures": "1",
        "errors": "1",
        "skipped": "2",
    }
    assert suite[1][0].get("message") == "0.7966 < 0.80, n = 10"
    assert "q1, q2" in suite[1][0].text
    assert suite[3][0].get("type") == "all_undefined"


def test_junit_holds_no_character_that_xml_cannot():
    document = verdict_junit(verdict(gate("breached", message=HOSTILE, queries=(HOSTILE,))))
    (case,) = ElementTree.fromstring(document)[0]
    assert "</testcase>" in case[0].get("message")
    assert not set(case[0].text) & {"\x00", "\x1b", "\ud800"}
    assert "\ufffd" in case[0].text


def test_a_comment_renders_as_text_whatever_the_data_say():
    said = verdict_markdown(verdict(gate("breached", message=HOSTILE, queries=(HOSTILE,)), flags=(HOSTILE,)))
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(said)
    assert "<script" not in html
    assert "<a " not in html
    assert "@octocat" not in re.sub(r"<code>.*?</code>", "", html)
    assert html.count("<td") == 4
    assert not set(said) & {"\x00", "\x1b", "\u202e"}


def test_a_comment_is_cut_to_what_a_forge_takes():
    long = verdict(*(gate("breached", message="x" * 500) for _ in range(400)))
    said = verdict_markdown(long)
    assert len(said) < LONGEST + 200
    assert "more lines are in verdict.json" in said


def test_json_is_strict_and_says_everything():
    document = json.loads(verdict_json(ALL), parse_constant=pytest.fail)
    assert document["outcome"] == "breached"
    assert [each["outcome"] for each in document["gates"]] == [each.outcome for each in ALL.gates]


def test_people_read_the_outcome_first_and_the_breach_with_its_number():
    said = printed(ALL)
    assert "Breached: 1 of 5 gates; recall@10: 0.7966 < 0.80, n = 10." in " ".join(said.split())
    assert said.index("breached") < said.index("passed")
    assert "no human label corrects" in said
    assert "groundedness and not refusals" in " ".join(said.split())
    assert max(len(line) for line in said.splitlines()) <= 80


def test_a_terminal_obeys_nothing_in_a_verdict():
    said = printed(verdict(gate("breached", message=HOSTILE.replace("\ud800", ""), queries=("\x1b[2J",))))
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_a_verdict_without_gates_says_so():
    assert "Undecided: nothing was gated." in printed(verdict(outcome="undecided"))


def test_the_reports_of_a_run_carry_the_same_verdict(run, fractions):
    assert json.loads(render_json(run, fractions, ALL))["verdict"]["outcome"] == "breached"
    assert json.loads(render_json(run, fractions))["verdict"] is None
    assert "Breached: 1 of 5 gates" in render_markdown(run, ALL)
    assert "Breached: 1 of 5 gates" in render_html(run, ALL)
    assert "Breached" not in render_html(run)
