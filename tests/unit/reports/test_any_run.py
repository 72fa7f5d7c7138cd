"""Whatever was measured, every report can be written and says no more than the run holds."""

import io
import json
import re
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from rich.console import Console
from worlds import worlds

from ragassay.formats.bundle import Bundle
from ragassay.records import Query
from ragassay.reports.document import render_json
from ragassay.reports.explain import explanation, render_explanation
from ragassay.reports.html import render_html
from ragassay.reports.markdown import render_markdown
from ragassay.reports.notebook import RunView
from ragassay.reports.terminal import render_beside, render_terminal
from ragassay.runner import Settings, measure


def written(measured):
    """Every report of a run; what a terminal shows comes first."""
    page = io.StringIO()
    console = Console(file=page, width=80, no_color=True)
    run, observed = measured.run, measured.observed
    render_terminal(run, console)
    render_beside({"one": run, "two": run}, console)
    for query in observed.queries:
        known = explanation(
            query.id, measured.matrices, measured.fractions, observed.queries, observed.answers, run.findings
        )
        render_explanation(known, console)
    view = RunView(SimpleNamespace(run=run, fractions=measured.fractions, matrices=measured.matrices))
    return page.getvalue(), render_markdown(run), render_html(run), repr(view), view._repr_html_()


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(worlds())
def test_every_report_can_be_written(world):
    measured = measure(world, Settings(resamples=5))
    reports = written(measured)
    assert not [report for report in reports if re.search(r"\b(nan|None|True|False)\b", report)]
    assert max(len(line) for line in reports[0].splitlines()) <= 80
    document = json.loads(render_json(measured.run, measured.fractions))
    assert [each["query"] for each in document["queries"]] == sorted(query.id for query in world.queries)


@pytest.mark.parametrize("metrics", [("recall@5",), ("total_latency(p=95)",), ("mrr", "cost"), ()])
def test_a_selection_of_metrics_is_reported_alone(metrics):
    world = Bundle(queries=(Query(id="q1", question="?"),))
    measured = measure(world, Settings(metrics=metrics, resamples=5))
    written(measured)
    assert set(json.loads(render_json(measured.run, measured.fractions))["metrics"]) == set(metrics)


def test_a_run_of_nothing_is_reported():
    measured = measure(Bundle(), Settings(resamples=5))
    assert "No query is marked critical." in written(measured)[0]
    assert json.loads(render_json(measured.run, measured.fractions))["queries"] == []
