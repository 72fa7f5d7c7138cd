"""The table of the README says what the demo measures."""

import re
from pathlib import Path

import pytest

from ragassay.formats.inputs import load
from ragassay.runner import Settings, measure

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def runs():
    example = ROOT / "examples" / "handbook"
    return [measure(load(example, example / f"answers-{name}.jsonl"), Settings()).run for name in ("v1", "v2")]


def test_the_figures_are_the_measured_ones(runs):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = {name: (first, second) for name, first, second in ROW.findall(text)}
    for name in ("recall@10", "mrr", "correct_abstention"):
        assert table[name] == tuple(f"{run.summary.metrics[name].value * 100:.1f} %" for run in runs)
    superseded = tuple(str(run.findings.citation_faults["superseded"]) for run in runs)
    assert table["citations of superseded revisions"] == superseded
    failed = tuple(
        f"{sum(each.passed is False for each in run.findings.critical)} of {len(run.findings.critical)}" for run in runs
    )
    assert table["critical queries that failed"] == failed
    assert f"{runs[0].summary.metrics['stale@1'].n} questions" in text
