"""The plugin in sessions of its own, as people run it."""

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from desk import ANSWERS, CORPUS, QUERIES, write_lines

import ragassay.api  # noqa: F401 (a session inside this one forgets what it imported, and numpy loads once only)

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "ci.md"
MARK = 'pytestmark = pytest.mark.ragassay("queries.jsonl", "answers.jsonl", corpus="corpus.jsonl")\n'


@pytest.fixture
def desk(pytester, monkeypatch):
    for name, rows in (("queries", QUERIES), ("answers", ANSWERS), ("corpus", CORPUS)):
        write_lines(pytester.path / f"{name}.jsonl", rows)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return pytester


@pytest.fixture
def session(desk):
    """Runs a test file with the plugin; gives the outcomes and, by test, what JUnit says and its properties."""

    def ran(code, *options):
        desk.makepyfile(f"import pytest\nimport ragassay as ra\n{code}")
        arguments = ("-p", "ragassay.pytest_plugin", "--strict-markers", "--junitxml", "junit.xml", *options)
        result = desk.runpytest_inprocess(*arguments)
        cases = ElementTree.parse(desk.path / "junit.xml").getroot().iter("testcase")
        return result, {case.get("name"): case for case in cases}

    return ran


def kinds(case):
    return [child.tag for child in case if child.tag not in ("properties", "system-out")]


def properties(case):
    return {each.get("name"): each.get("value") for each in case.iter("property")}


def test_each_query_is_a_test_passed_failed_or_skipped_with_the_reason(session):
    result, cases = session(f"{MARK}\ndef test_rank(ragassay_query):\n    assert ragassay_query['mrr'] == 1.0\n")
    result.assert_outcomes(passed=1, failed=1, skipped=1)
    assert kinds(cases["test_rank[q1]"]) == []
    assert kinds(cases["test_rank[q2]"]) == ["failure"]
    assert cases["test_rank[q3]"].find("skipped").get("message") == "mrr is undefined for q3: must_refuse"
    assert properties(cases["test_rank[q2]"]) | {"run": "…"} == {"run": "…", "query": "q2", "mrr": "0.0"}


def test_one_evaluation_serves_the_session(session):
    counting = (
        "import ragassay.api\ncalls = []\nreal = ragassay.api.evaluate\n"
        "def counted(*a, **k):\n    calls.append(a)\n    return real(*a, **k)\nragassay.api.evaluate = counted\n"
        "def test_query(ragassay_query, ragassay_run):\n    assert ragassay_query.id and ragassay_run['recall@10'].n\n"
        "def test_once():\n    ragassay.api.evaluate = real\n    assert len(calls) == 1\n"
    )
    result, _ = session(MARK + counting)
    result.assert_outcomes(passed=4)


VERDICT = "def test_release(ragassay_run):\n    ra.assert_passes(ra.decide('policy.toml', ragassay_run))\n"


@pytest.mark.parametrize(
    ("gate", "outcome", "said"),
    [
        ("at_least = 0.1", "passed", None),
        ("at_least = 0.9", "failure", "needs: at least 90.0%"),
        ("no_worse_by = 0.1", "error", "no baseline"),
    ],
)
def test_breached_is_a_failure_and_undecided_an_error(session, desk, gate, outcome, said):
    policy = f'name = "p"\ncritical = false\n[[gates]]\nmetric = "recall@10"\n{gate}\n'
    (desk.path / "policy.toml").write_text(policy, encoding="utf-8")
    result, cases = session(MARK + VERDICT)
    case = cases["test_release"]
    result.assert_outcomes(**{{"passed": "passed", "failure": "failed", "error": "errors"}[outcome]: 1})
    assert kinds(case) == ([] if outcome == "passed" else [outcome])
    assert result.ret == (0 if outcome == "passed" else 1)
    assert said is None or said in "".join(case.itertext())


def test_what_could_not_be_measured_at_all_is_an_error_and_no_skip(session, desk):
    policy = 'name = "p"\ncritical = false\n[[gates]]\nmetric = "faithfulness"\nat_least = 0.1\n'
    (desk.path / "policy.toml").write_text(policy, encoding="utf-8")
    session(MARK + VERDICT)[0].assert_outcomes(errors=1)


def test_an_expected_undecided_and_other_failures_are_left_alone(session):
    code = (
        "@pytest.mark.xfail(raises=ra.Undecided, strict=True)\ndef test_known():\n    raise ra.Undecided('x')\n"
        "def test_other():\n    assert not ra.Undecided('x')\n"
    )
    session(code)[0].assert_outcomes(xfailed=1, failed=1)


def test_ids_are_safe_and_every_query_keeps_its_own(session, desk):
    odd = ["a::b[c] d/e", "\x1b[31mred", "[31mred", "длинный вопрос", "x" * 300, "..", "::"]
    queries = [{"id": name, "question": name, "answerable": True, "relevant": [{"document": "D"}]} for name in odd]
    write_lines(desk.path / "queries.jsonl", queries)
    found = [{"passage": "D#1", "document": "D"}]
    write_lines(desk.path / "answers.jsonl", [{"query": name, "answer": "yes", "retrieved": found} for name in odd])
    seen = "seen = []\ndef test_id(ragassay_query):\n    seen.append(ragassay_query.id)\n"
    check = f"def test_all():\n    assert sorted(seen) == sorted({json.dumps(odd)})\n"
    result, cases = session(f"{MARK}{seen}{check}", "-v")
    result.assert_outcomes(passed=len(odd) + 1)
    names = [name.removeprefix("test_id") for name in cases if name != "test_all"]
    assert len(set(names)) == len(odd)
    assert all(re.fullmatch(r"\[[\w.@\\-]{1,600}\]", name) for name in names), names
    assert "\x1b" not in result.stdout.str()


def test_a_faulty_dataset_names_its_faults_once_and_without_a_trace(session, desk):
    (desk.path / "queries.jsonl").write_text('{"id": "q1", "answerable": "perhaps"}\n', encoding="utf-8")
    result, _ = session(f"{MARK}def test_q(ragassay_query):\n    pass\n")
    result.assert_outcomes(errors=1)
    assert "queries.jsonl:1" in result.stdout.str()
    assert "cases.py" not in result.stdout.str()


def test_faulty_answers_are_errors_of_the_tests_that_need_them(session, desk):
    (desk.path / "answers.jsonl").write_text("{", encoding="utf-8")
    result, _ = session(f"{MARK}def test_q(ragassay_query):\n    pass\ndef test_r(ragassay_run):\n    pass\n")
    result.assert_outcomes(errors=4)
    assert "answers.jsonl" in result.stdout.str()


@pytest.mark.parametrize("fixture", ["ragassay_query", "ragassay_run"])
@pytest.mark.parametrize("mark", ["", "pytestmark = pytest.mark.ragassay\n"])
def test_a_missing_marker_or_dataset_is_said(session, fixture, mark):
    result, _ = session(f"{mark}def test_q({fixture}):\n    pass\n")
    result.assert_outcomes(errors=1)
    assert "pytest.mark.ragassay" in result.stdout.str()


def test_it_imports_nothing_that_an_unused_plugin_does_not_need():
    heavy = ("numpy", "polars", "scipy", "rich", "msgspec", "ragassay.records")
    code = f"import sys, pytest, ragassay.pytest_plugin; print(sorted(set(sys.modules) & set({heavy})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_example_of_the_page_runs(desk):
    name, code = re.search(r"`(test_\w+\.py)`:\n\n```python\n(.*?)^```", PAGE.read_text("utf-8"), re.S | re.M).groups()
    (desk.path / name).write_text(code, encoding="utf-8")
    result = desk.runpytest_inprocess("-p", "ragassay.pytest_plugin", "--strict-markers")
    result.assert_outcomes(passed=1, failed=2, skipped=1)
    assert "breached" in result.stdout.str()
