"""`ragassay store`: copies of what runs have stored, and whether it is sound."""

from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import App, Parameter

from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.records import ExitCode
from ragassay.reports.figures import plural
from ragassay.store import Contents, Store
from ragassay.text.normalise import visible

Json = Annotated[bool, Parameter(negative=())]
app = App(name="store", help="Copies of what runs have stored, and whether it is sound.")


@app.command
def backup(file: Path, *, store: Place = STORE, json: Json = False) -> ExitCode:
    """Write a verified copy of the store into one file, while runs go on. The copy is a store itself.

    Parameters
    ----------
    file
        The file to write; it must not be there yet.
    store
        A file, or postgresql://user@host/database.
    json
        Print one JSON document instead of the text.
    """
    with Store.open(store) as opened:
        return _said(opened.backup(file), f"written to {file}", as_json=json)


@app.command
def restore(file: Path, *, store: Place = STORE, json: Json = False) -> ExitCode:
    """Take a copy into a store that is empty, whole and verified.

    Parameters
    ----------
    file
        A copy that `backup` has written, from whatever kind of store.
    store
        A file, or postgresql://user@host/database.
    json
        Print one JSON document instead of the text.
    """
    with Store.open(store) as opened:
        return _said(opened.restore(file), f"restored into {opened.name}", as_json=json)


@app.command
def check(*, store: Place = STORE, json: Json = False) -> ExitCode:
    """Read everything that is stored and compare it with its hashes.

    Parameters
    ----------
    store
        A file, or postgresql://user@host/database.
    json
        Print one JSON document instead of the text.
    """
    with Store.open(store) as opened:
        return _said(opened.check(), f"sound in {opened.name}", as_json=json)


def _said(contents: Contents, what: str, *, as_json: bool) -> ExitCode:
    if as_json:
        write_json(msgspec.json.encode(contents))
    else:
        counts = f"{plural(contents.facts, 'fact', 'facts')}, {plural(contents.runs, 'run', 'runs')}"
        console().print(visible(f"{counts}: {what}"), markup=False, soft_wrap=True)
    return ExitCode.PASSED
