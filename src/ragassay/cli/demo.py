"""`ragassay demo`: the bundled example, end to end."""

import asyncio
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ragassay.cli.gating import Terms, decided, leave
from ragassay.cli.output import console
from ragassay.cli.recording import record
from ragassay.formats.inputs import load
from ragassay.formats.policy import load_policy
from ragassay.judges.naming import bench_named
from ragassay.records import ExitCode, Fault, FaultyInput
from ragassay.reports.terminal import render_beside, render_terminal
from ragassay.reports.verdict import render_verdict
from ragassay.runner import Settings
from ragassay.runner import evaluate as measure

PLACES = (
    Path(__file__).parent.parent / "examples" / "handbook",
    Path(__file__).parents[3] / "examples" / "handbook",
)
"""Where the example lies in an installed package and in a checkout."""


def demo(
    *, judge: str = "none", gate: Annotated[bool, Parameter(negative=())] = False, out: Path = Path("ragassay-runs")
) -> ExitCode:
    """Measure the bundled example: an engineering handbook and two versions of a small search system.

    Parameters
    ----------
    judge
        Who judges claims: `none`, `embedded`, `llm:MODEL@URL`, or a TOML file that describes an endpoint.
    gate
        Decide whether version 2 may follow version 1 under the policy of the example.
    out
        The folder for the two runs.
    """
    example, bench = _example(), bench_named(judge)
    observed = [load(example, example / f"answers-{version}.jsonl") for version in ("v1", "v2")]
    first, second = (asyncio.run(measure(each, Settings(), bench)) for each in observed)
    verdict = decided(Terms(load_policy(example / "policy.toml"), first), second) if gate else None
    folders = [record(first, out / "handbook-v1"), record(second, out / "handbook-v2", verdict)]
    if verdict is None:
        render_terminal(second.run, console())
    render_beside({"version 1": first.run, "version 2": second.run}, console())
    if verdict is not None:
        render_verdict(verdict, console())
    for folder in folders:
        console().print(str(folder / "report.html"), markup=False, soft_wrap=True)
    return leave(verdict, folders[-1], as_json=False)


def _example() -> Path:
    for place in PLACES:
        if place.is_dir():
            return place
    missing = "the bundled example is not in this installation"
    raise FaultyInput([Fault(code="no_example", message=missing, remedy="install ragassay again")])
