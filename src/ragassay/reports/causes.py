"""Why answers failed: by cause, with the part of the system to mend, worst queries first."""

from collections.abc import Iterable, Sequence
from typing import get_args

from ragassay.causes import KINDS
from ragassay.records import Cause, Failed, Group, Run
from ragassay.reports.figures import excerpt, plural, words
from ragassay.reports.outline import Column, Paragraph, Part, Section, Span, Table, code, said

NOTHING_FAILED = "Nothing failed as far as can be told."
FIRST, FIRST_OF_FULL = 6, 200
"""How many ids stand beside a count in a short report and in a full one; JSON has them all."""

GROUPS = get_args(Group)
ORDER = tuple(KINDS)


def by_cause(failed: Iterable[Failed]) -> dict[str, list[str]]:
    """Primary cause → queries, in the order of the decision list; the queries keep theirs."""
    found: dict[str, list[str]] = {}
    for each in failed:
        found.setdefault(each.cause.name, []).append(each.query)
    return {name: found[name] for name in sorted(found, key=_place)}


def _place(name: str) -> int:
    """Causes of another version come last."""
    return ORDER.index(name) if name in KINDS else len(ORDER)


def meaning(name: str) -> str:
    """What a cause means; its name, where this version does not know it."""
    return KINDS[name].meaning if name in KINDS else words(name)


def causes_section(run: Run, *, is_full: bool) -> Section:
    """A table for each group of causes; a full report lists the failed queries too."""
    failed = run.findings.failed
    if not failed:
        return Section("Why answers failed", (said(NOTHING_FAILED),))
    asked = sum(run.findings.origins.values())
    lead = f"{plural(len(failed), 'query', 'queries')} of {asked:,}, each under its earliest cause."
    tables = [table for group in GROUPS if (table := _group(group, failed, is_full=is_full))]
    listed = (_listed(failed[:FIRST_OF_FULL]),) if is_full else ()
    return Section("Why answers failed", (said(lead), *tables, *listed))


def _group(group: str, failed: Sequence[Failed], *, is_full: bool) -> Table | None:
    """The causes of a group. Queries for which it was the primary cause are named, the others where there are none."""
    primary, beside = by_cause(failed), _beside(failed)
    causes = (cause for each in failed for cause in (each.cause, *each.others))
    stages = {cause.name: cause.stage for cause in causes if cause.group == group}
    if not stages:
        return None
    rows = tuple(
        (
            Span(f"{len(primary.get(name, ())):,}", "strong"),
            Span(f"{len(beside.get(name, ())):,}", "muted"),
            Span(words(name)),
            Span(stages[name]),
            code(_first(primary.get(name) or beside[name], FIRST_OF_FULL if is_full else FIRST)),
            *((Span(meaning(name), "muted"),) if is_full else ()),
        )
        for name in sorted(stages, key=_place)
    )
    columns = (
        Column("queries", "right"),
        Column("also", "right"),
        Column("cause"),
        Column("mend"),
        Column("worst first"),
        *((Column("meaning"),) if is_full else ()),
    )
    own = sum(each.cause.group == group for each in failed)
    return Table(f"{group.capitalize()}: {own:,}", columns, rows)


def _beside(failed: Sequence[Failed]) -> dict[str, list[str]]:
    """Cause → queries that failed for it too, but for an earlier one first."""
    found: dict[str, list[str]] = {}
    for each in failed:
        for cause in each.others:
            found.setdefault(cause.name, []).append(each.query)
    return found


def _first(ids: Sequence[str], number: int) -> str:
    rest = len(ids) - number
    return ", ".join(ids[:number]) + (f" +{rest:,}" if rest > 0 else "")


def _listed(failed: Sequence[Failed]) -> Table:
    rows = tuple(
        (
            code(each.query),
            Span(words(each.cause.name)),
            Span(excerpt(each.cause.detail or "")),
            Span(", ".join(words(other.name) for other in each.others), "muted"),
        )
        for each in failed
    )
    columns = (Column("query"), Column("cause"), Column("which"), Column("also"))
    return Table(f"The first {plural(len(rows), 'failed query', 'failed queries')}, worst first", columns, rows)


def cause_lines(failed: Failed) -> tuple[Part, ...]:
    """Every cause of one query in words, the primary one first."""
    return tuple(_line(cause, is_primary=cause is failed.cause) for cause in (failed.cause, *failed.others))


def _line(cause: Cause, *, is_primary: bool) -> Paragraph:
    detail = f" \u2013 {excerpt(cause.detail)}" if cause.detail else ""
    return Paragraph(
        (
            Span("" if is_primary else "also ", "muted"),
            Span(words(cause.name), "bad" if is_primary else "plain"),
            Span(f": {meaning(cause.name)}{detail}"),
            Span(f" \u00b7 mend: {cause.stage}", "strong" if is_primary else "muted"),
        )
    )
