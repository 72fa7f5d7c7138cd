"""`ragassay compare`: two runs on the same queries, or why they cannot be compared."""

from typing import Annotated

from cyclopts import Parameter
from msgspec.structs import replace

from ragassay.causes import transitions
from ragassay.cli.gating import set_beside
from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.cli.runs import folder_of
from ragassay.formats.runs import StoredRun, read_run
from ragassay.metrics.aggregation import Sampling
from ragassay.records import Comparison, ExitCode
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
        The run before: its folder, its name, its id, or the beginning of its id.
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


def compared(before: StoredRun, after: StoredRun, override: str | None) -> Comparison:
    """The comparison, with what became of every cause of failure."""
    card = after.run.card
    sampling = Sampling(card.seed, card.resamples, card.level)
    found = set_beside(before, after, sampling, override=override)
    kept = set(before.matrices.queries["query"]) & set(after.matrices.queries["query"])
    causes = transitions(before.run.findings.failed, after.run.findings.failed, sorted(kept))
    return replace(found, causes=causes)
