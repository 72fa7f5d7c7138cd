"""Which run a person means."""

from collections.abc import Sequence

from ragassay.records import Fault, FaultyInput
from ragassay.store.entries import RunEntry

_LISTED = 5


def chosen(which: str, entries: Sequence[RunEntry], store: str) -> RunEntry:
    """The run of this id; else of this name; else the only one whose id starts so. Raises `FaultyInput`."""
    by_id = [entry for entry in entries if entry.id == which]
    by_name = [entry for entry in entries if entry.name == which]
    by_start = [entry for entry in entries if which and entry.id.startswith(which)]
    found = by_id or by_name or by_start
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{entry.id} ({entry.name})" for entry in (found or entries)[:_LISTED])
    raise FaultyInput(
        [
            Fault(
                code="ambiguous_run" if found else "unknown_run",
                message=f"{len(found)} runs answer to this" if found else f"no such run in {store}",
                value=which,
                expected=f"one of {listed}" if listed else "a run; the store holds none",
                remedy="name the run by its id" if found else "`ragassay runs` lists them",
            )
        ]
    )
