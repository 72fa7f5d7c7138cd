"""A run goes to its folder, with the reports rendered from the same values."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ragassay.formats.runs import StoredRun, write_run
from ragassay.records.verdict import Verdict
from ragassay.reports.document import render_json
from ragassay.reports.html import render_html
from ragassay.reports.markdown import render_markdown
from ragassay.runner import Evaluation

RUNS = Path("ragassay-runs")
REPORT = "report.json"
STORE = str(RUNS / "store.db")
Place = Annotated[str, Parameter(env_var="RAGASSAY_STORE")]
"""Where a store is: a file, or `postgresql://…`."""


def record(evaluation: Evaluation, out: Path | None, verdict: Verdict | None = None) -> Path:
    """Write the run to `out`, or to a folder of its own named by its id; returns the folder."""
    run = evaluation.run
    folder = out or RUNS / run.id
    stored = StoredRun(
        run=run,
        matrices=evaluation.matrices,
        fractions=evaluation.fractions,
        queries=evaluation.observed.queries,
        answers=evaluation.observed.answers,
    )
    reports = {
        REPORT: render_json(run, evaluation.fractions, verdict),
        "report.md": render_markdown(run, verdict).encode(),
        "report.html": render_html(run, verdict).encode(),
    }
    write_run(folder, stored, reports)
    return folder
