"""`ragassay compare`: two runs on the same queries, or why they cannot be compared."""

from typing import Annotated

from cyclopts import Parameter

from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.cli.runs import folder_of
from ragassay.decision import compared
from ragassay.formats.runs import read_run
from ragassay.records import ExitCode
from ragassay.reports.comparison import comparison_json, render_comparison


def compare_runs(
    baseline: str,
    run: str,
    *,
    override: str | None = None,
    store: Place = STORE,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> ExitCode:
    """Compare a run with a baseline, query by query, on every metric and slice.

    Parameters
    ----------
    baseline
        The run before: a baseline, its folder, its name, its id, or the beginning of its id.
    run
        The run after.
    override
        Why the two are compared although something differs that refuses it. The comparison says so.
    store
        The store that knows both runs.
    json
        Print one JSON document instead of the tables.
    """
    before, after = (read_run(folder_of(each, store)) for each in (baseline, run))
    comparison = compared(before, after, override)
    if json:
        write_json(comparison_json(comparison))
    else:
        render_comparison(comparison, console())
    is_refused = override is None and any(each.refuses and not each.metrics for each in comparison.mismatches)
    return ExitCode.UNDECIDED if is_refused else ExitCode.PASSED
