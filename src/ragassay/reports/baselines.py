"""Named baselines, for people and for programs."""

from collections.abc import Sequence

import msgspec
from rich.console import Console

from ragassay.formats.baselines import Baseline
from ragassay.reports.figures import excerpt
from ragassay.reports.outline import Column, Section, Span, Table, code, said
from ragassay.reports.terminal import print_section

COLUMNS = (Column("baseline"), Column("run"), Column("dataset"), Column("pinned"), Column("why"))


def render_baselines(pins: Sequence[Baseline], console: Console) -> None:
    """Print one line for each version, those that a later one replaced in grey."""
    last = {pin.name: pin.version for pin in pins}
    rows = tuple(_row(pin, is_last=pin.version == last[pin.name]) for pin in pins)
    part = Table("", COLUMNS, rows) if rows else said("no baselines yet", "muted")
    print_section(Section("Baselines", (part,)), console)


def baselines_json(pins: Sequence[Baseline]) -> bytes:
    """One strict JSON document: every version with what it pins."""
    return msgspec.json.encode({"baselines": pins})


def _row(pin: Baseline, *, is_last: bool) -> tuple[Span, ...]:
    tone = "plain" if is_last else "muted"
    dataset = f"{pin.dataset} {pin.dataset_version}"
    texts = (pin.run, dataset, f"{pin.pinned:%Y-%m-%d}", excerpt(pin.reason))
    return code(pin.title, tone), *(Span(text, tone) for text in texts)
