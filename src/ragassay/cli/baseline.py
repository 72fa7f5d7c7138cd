"""`ragassay baseline`: runs with a name, to which later runs are compared."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from cyclopts import App, Parameter

from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.cli.runs import folder_of
from ragassay.formats.baselines import Baseline, pin_run, read_baselines
from ragassay.formats.runs import read_run
from ragassay.records import ExitCode
from ragassay.reports.baselines import baselines_json, render_baselines

Json = Annotated[bool, Parameter(negative=())]
app = App(name="baseline", help="Pin a run under a name, to which later runs are compared.")


@app.command(name="set")
def pin(name: str, run: str, *, reason: str | None = None, store: Place = STORE, json: Json = False) -> ExitCode:
    """Copy a run to `ragassay-baselines/` and pin it as the next version of a name. Earlier versions stay.

    Parameters
    ----------
    name
        What it is called from now on, wherever a run is named: `release`; this version always: `release@1`.
    run
        The run: its folder, its name, its id, the beginning of its id, or a baseline.
    reason
        Why. Needed where the name is set already.
    store
        The store that knows the run.
    json
        Print one JSON document instead of the table.
    """
    stored = read_run(folder_of(run, store))
    return _shown([pin_run(name, stored, reason, datetime.now(tz=UTC).replace(microsecond=0))], json=json)


@app.command(name="list")
def show(*, json: Json = False) -> ExitCode:
    """List every version of every baseline: run, dataset, when and why.

    Parameters
    ----------
    json
        Print one JSON document instead of the table.
    """
    return _shown(read_baselines(), json=json)


def _shown(pins: Sequence[Baseline], *, json: bool) -> ExitCode:
    if json:
        write_json(baselines_json(pins))
    else:
        render_baselines(pins, console())
    return ExitCode.PASSED
