"""The runs of a store, for people and for programs."""

from collections.abc import Sequence

import msgspec
from rich.console import Console

from ragassay.records import SystemCard
from ragassay.reports.outline import Column, Section, Span, Table, said
from ragassay.reports.terminal import print_section
from ragassay.store import RunEntry

COLUMNS = (
    Column("run"),
    Column("state"),
    Column("begun"),
    Column("system"),
    Column("dataset"),
    Column("done", "right"),
    Column("failed", "right"),
)


def render_runs(entries: Sequence[RunEntry], console: Console) -> None:
    """Print one line for each run, in the order given."""
    rows = tuple(_row(entry) for entry in entries)
    part = Table("", COLUMNS, rows) if rows else said("no runs yet", "muted")
    print_section(Section("Runs", (part,)), console)


def runs_json(entries: Sequence[RunEntry]) -> bytes:
    """One strict JSON document: every run with its card."""
    return msgspec.json.encode({"runs": entries})


def _row(entry: RunEntry) -> tuple[Span, ...]:
    begun = entry.created.strftime("%Y-%m-%d %H:%M")
    texts = (entry.name, entry.state, begun, _system(entry.system), entry.dataset, str(entry.done), str(entry.failed))
    return tuple(Span(text) for text in texts)


def _system(card: SystemCard) -> str:
    return card.name if card.version is None else f"{card.name} {card.version}"
