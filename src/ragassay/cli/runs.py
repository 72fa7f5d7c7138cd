"""`ragassay runs` and `ragassay show`: what the store holds."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from msgspec.structs import replace

from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.formats.baselines import PLACE, named_folder
from ragassay.formats.runs import read_run
from ragassay.records import ExitCode, Fault, FaultyInput
from ragassay.reports.document import render_json
from ragassay.reports.runs import render_runs, runs_json
from ragassay.reports.terminal import render_terminal
from ragassay.store import RunEntry, Store

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
    entries: list[RunEntry] = []
    if _is_there(store):
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
        A baseline, its folder, its name, its id, or the beginning of its id.
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
    """The folder of a run that is named by its folder, as a baseline, or by its name or id in the store.

    Raises `FaultyInput` where there is none, where several are meant, or where a baseline was changed.
    """
    folder = named_folder(run)
    if folder is not None:
        return folder
    if not _is_there(store):
        raise FaultyInput([_no_store(run, store)])
    with Store.open(store) as opened:
        try:
            entry = opened.run(run)
        except FaultyInput as faulty:
            raise FaultyInput(_nowhere(fault) for fault in faulty.faults) from None
    if entry.folder is None:
        raise FaultyInput([_unfinished(entry.name, entry.done)])
    return Path(entry.folder)


def own_folder_of(run: str, store: str) -> Path:
    """`folder_of` a run beside which something may be written. Raises `FaultyInput` for a pinned baseline too."""
    folder = folder_of(run, store)
    if folder.absolute().parent == PLACE.absolute():
        raise FaultyInput([_pinned(run)])
    return folder


def _pinned(run: str) -> Fault:
    return Fault(
        code="baseline_pinned",
        message="a pinned baseline is never written to, and what is decided about a run is kept beside it",
        value=run,
        remedy="name the run from which it was pinned",
    )


def _is_there(store: str) -> bool:
    """Whether there is a store to read: reading creates none."""
    return "://" in store or Path(store).exists()


def _no_store(run: str, store: str) -> Fault:
    return Fault(
        code="unknown_run",
        message="this is no folder of a run and no baseline, and there is no store that could know it",
        value=run,
        expected=f"a store at {store}",
        remedy="--store names another store; `ragassay baseline list` lists what was pinned",
    )


def _nowhere(fault: Fault) -> Fault:
    """What the store does not know is no folder and no baseline either."""
    if fault.code != "unknown_run":
        return fault
    remedy = "`ragassay runs` lists those of the store, `ragassay baseline list` those that were pinned"
    return replace(fault, message=f"{fault.message}, and no folder or baseline", remedy=remedy)


def _unfinished(name: str, done: int) -> Fault:
    return Fault(
        code="run_unfinished",
        message="this run is not finished, so that there is nothing to show",
        value=f"{name}: {done} queries done",
        remedy="give its `ragassay run` command again: it goes on where it stopped",
    )
