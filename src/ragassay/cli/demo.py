"""`ragassay demo`: the bundled example, end to end."""

from pathlib import Path

from ragassay.cli.output import console
from ragassay.cli.recording import record
from ragassay.formats.inputs import load
from ragassay.judges.naming import bench_named
from ragassay.records import ExitCode, Fault, FaultyInput
from ragassay.reports.terminal import render_beside, render_terminal
from ragassay.runner import Settings
from ragassay.runner import evaluate as measure

PLACES = (
    Path(__file__).parent.parent / "examples" / "handbook",
    Path(__file__).parents[3] / "examples" / "handbook",
)
"""Where the example lies in an installed package and in a checkout."""


def demo(*, judge: str = "none", out: Path = Path("ragassay-runs")) -> ExitCode:
    """Measure the bundled example: an engineering handbook and two versions of a small search system.

    Parameters
    ----------
    judge
        Who judges claims: `none`, `embedded`, or `llm:MODEL@URL`.
    out
        The folder for the two runs.
    """
    example, bench = _example(), bench_named(judge)
    first, second = (
        measure(load(example, example / f"answers-{version}.jsonl"), Settings(), bench) for version in ("v1", "v2")
    )
    folders = [record(evaluation, out / f"handbook-{v}") for evaluation, v in ((first, "v1"), (second, "v2"))]
    render_terminal(second.run, console())
    render_beside({"version 1": first.run, "version 2": second.run}, console())
    for folder in folders:
        console().print(str(folder / "report.html"), markup=False, soft_wrap=True)
    return ExitCode.PASSED


def _example() -> Path:
    for place in PLACES:
        if place.is_dir():
            return place
    missing = "the bundled example is not in this installation"
    raise FaultyInput([Fault(code="no_example", message=missing, remedy="install ragassay again")])
