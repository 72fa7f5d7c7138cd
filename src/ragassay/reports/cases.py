"""Kept failures, for people and for programs."""

from collections.abc import Sequence

import msgspec
from rich.console import Console

from ragassay.records import PinnedCase
from ragassay.reports.figures import excerpt, words
from ragassay.reports.outline import Column, Section, Span, Table, Tone, code, said
from ragassay.reports.terminal import print_section

COLUMNS = (Column("case"), Column("kind"), Column("kept"), Column("cause"), Column("why"))


def render_cases(cases: Sequence[PinnedCase], console: Console) -> None:
    """Print one line for each case, in the order in which they were kept."""
    part = Table("", COLUMNS, tuple(_row(case) for case in cases)) if cases else said("no cases yet", "muted")
    print_section(Section("Cases", (part,)), console)


def cases_json(cases: Sequence[PinnedCase]) -> bytes:
    """One strict JSON document: every case with its evidence."""
    return msgspec.json.encode({"cases": cases})


def _row(case: PinnedCase) -> tuple[Span, ...]:
    tone: Tone = "plain" if case.retired is None else "muted"
    why = case.note or case.cause.detail or ""
    if case.retired is not None:
        why = f"retired {case.retired.date}: {case.retired.reason}"
    texts = (case.kind, case.date.isoformat(), words(case.cause.name), excerpt(why))
    return code(case.id, tone), *(Span(text, tone) for text in texts)
