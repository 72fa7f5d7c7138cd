"""`ragassay runs` and `ragassay show`: what the store holds."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.formats.runs import RUN, read_run
from ragassay.records import ExitCode, Fault, FaultyInput
from ragassay.reports.document import render_json
from ragassay.reports.runs import render_runs, runs_json
from ragassay.reports.terminal import render_terminal
from ragassay.store import Store

Json = Annotated[bool, Parameter(negative=())]


def runs(*, store: Place = STORE, json: Json = False) -> ExitCode:
    """List the runs of a store, newest first.

    Parameters
    ----------
    store
        A file, or `postgresql://…`.
    json
        Print one JSON document instead of the table.
    """
    with Store.open(store) as opened:
        entries = opened.runs()
    if json:
        write_json(runs_json(entries))
    else:
        render_runs(entries, console())
    return ExitCode.PASSED


def show(run: str, *, store: Place = STORE, json: Json = False) -> ExitCode:
    """Print the report of a run again.

    Parameters
    ----------
    run
        Its folder, its name, its id, or the beginning of its id.
    store
        The store that knows it.
    json
        Print one JSON document instead of the report.
    """
    stored = read_run(folder_of(run, store))
    if json:
        write_json(render_json(stored.run, stored.fractions))
    else:
        render_terminal(stored.run, console())
    return ExitCode.PASSED


def folder_of(run: str, store: str) -> Path:
    """The folder of a run that is named by folder, name or id. Raises `FaultyInput` where there is none."""
    if (Path(run) / RUN).is_file():
        return Path(run)
    with Store.open(store) as opened:
        entry = opened.run(run)
    if entry.folder is None:
        raise FaultyInput([_unfinished(entry.name, entry.done)])
    return Path(entry.folder)


def _unfinished(name: str, done: int) -> Fault:
    return Fault(
        code="run_unfinished",
        message="this run is not finished, so that there is nothing to show",
        value=f"{name}: {done} queries done",
        remedy="give its `ragassay run` command again: it goes on where it stopped",
    )
