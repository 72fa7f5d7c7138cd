"""Two runs beside each other, as people read it: what stands in the way, what changed, who lost."""

from collections.abc import Sequence

import msgspec
from rich.console import Console

from ragassay.records import Change, Comparison, Difference, Mismatch
from ragassay.reports.figures import UNDEFINED, definition, figure, interval, plural, words
from ragassay.reports.outline import Column, Part, Section, Span, Table, code, said
from ragassay.reports.terminal import print_section

SHOWN = 12
"""Rows of a table on a terminal; the JSON document has all."""
LEVEL = 0.05
NUMBERS = (
    Column("baseline", "right"),
    Column("now", "right"),
    Column("difference", "right"),
    Column("p", "right"),
    Column("w/t/l", "right"),
)


def render_comparison(comparison: Comparison, console: Console) -> None:
    """Print what refuses or flags the comparison, the differences that chance does not explain, and who lost."""
    for section in sections(comparison):
        print_section(section, console)


def comparison_json(comparison: Comparison) -> bytes:
    """One strict JSON document with every difference."""
    return msgspec.json.encode(comparison, order="sorted")


def sections(comparison: Comparison) -> list[Section]:
    overall = [each for each in comparison.differences if each.slice is None]
    slices = [each for each in comparison.differences if each.slice is not None]
    return [
        Section("Comparable?", tuple(_mismatches(comparison))),
        Section("What changed", (*_changed("over all queries", overall), *_changed("on slices", slices))),
        Section("Queries", (*_queries("worse", comparison.regressed), *_queries("better", comparison.improved))),
        *_causes(comparison),
    ]


def mismatch_table(mismatches: Sequence[Mismatch]) -> Table:
    """What differs between cards, and whether it refuses a comparison."""
    rows = tuple(
        (
            code(each.field),
            Span("refuses" if each.refuses else "flagged", "bad" if each.refuses else "plain"),
            Span(each.message),
        )
        for each in mismatches
    )
    return Table("", (Column("field"), Column(""), Column("why")), rows)


def _mismatches(comparison: Comparison) -> list[Part]:
    if not comparison.mismatches:
        return [said("The cards of both runs agree in everything that matters.", "good")]
    parts: list[Part] = [mismatch_table(comparison.mismatches)]
    if comparison.override is not None:
        parts.append(said(f"Compared all the same, because: {comparison.override}", "bad"))
    return parts


def _changed(where: str, differences: Sequence[Difference]) -> list[Part]:
    """The differences that stay once all were looked at, the surest first."""
    sure = [each for each in differences if each.adjusted is not None and each.adjusted <= LEVEL and each.difference]
    rest = f"{plural(len(differences) - len(sure), 'difference', 'differences')} {where} may be chance"
    if not sure:
        return [said(f"Nothing {where} that chance does not explain; {rest}.", "muted")]
    ordered = sorted(sure, key=lambda each: (not each.gates, each.adjusted or 0.0, each.metric, each.slice or ""))
    has_slices = any(each.slice for each in sure)
    columns = (Column("metric"), *((Column("slice"),) if has_slices else ()), *NUMBERS)
    rows = tuple(_row(each, has_slices=has_slices) for each in ordered[:SHOWN])
    more = f"; {len(sure) - SHOWN} more in the JSON" if len(sure) > SHOWN else ""
    return [Table(f"Changed {where}", columns, rows), said(f"{rest}{more}.", "muted")]


def _row(each: Difference, *, has_slices: bool) -> tuple[Span, ...]:
    metric = definition(each.metric)
    is_better = each.wins > each.losses
    ends = interval(metric, each.interval)
    difference = f"{_signed(metric_value=figure(metric, each.difference), value=each.difference)} {ends}".strip()
    return (
        code(each.metric, "strong" if each.gates else "plain"),
        *((Span(each.slice or ""),) if has_slices else ()),
        Span(figure(metric, each.baseline)),
        Span(figure(metric, each.candidate)),
        Span(difference, "good" if is_better else "bad"),
        Span(UNDEFINED if each.adjusted is None else f"{each.adjusted:.2g}"),
        Span(f"{each.wins}/{each.ties}/{each.losses}"),
    )


def _signed(metric_value: str, value: float | None) -> str:
    return f"+{metric_value}" if value is not None and value > 0 else metric_value


def _queries(way: str, changes: Sequence[Change]) -> list[Part]:
    if not changes:
        return [said(f"No query became {way}.", "muted")]
    rows = tuple(
        (
            code(each.query),
            code(each.metric),
            Span(figure(definition(each.metric), each.baseline)),
            Span(figure(definition(each.metric), each.candidate)),
        )
        for each in changes[:SHOWN]
    )
    columns = (Column("query"), Column("moved most on"), Column("baseline", "right"), Column("now", "right"))
    return [Table(f"Became {way}, the most first", columns, rows)]


def _causes(comparison: Comparison) -> list[Section]:
    """What became of each cause: the cells that are not empty, those that stayed as they were last."""
    cells = [(old, new, n) for old, row in comparison.causes.items() for new, n in row.items()]
    moved = sorted((cell for cell in cells if cell[0] != cell[1]), key=lambda cell: (-cell[2], cell[0], cell[1]))
    if not moved:
        return []
    rows = tuple((Span(words(old)), Span(words(new)), Span(f"{n:,}")) for old, new, n in moved[:SHOWN])
    columns = (Column("before"), Column("after"), Column("queries", "right"))
    return [Section("Why answers failed, before and after", (Table("", columns, rows),))]
