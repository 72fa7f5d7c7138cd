"""How many queries a difference needs, for people and for programs."""

from collections.abc import Iterable, Iterator

import msgspec
from rich.console import Console

from ragassay.records.planning import AtBest, Need, Plan, Wanted
from ragassay.reports.comparison import mismatch_table
from ragassay.reports.figures import UNDEFINED, amount, definition, figure, percent, plural
from ragassay.reports.outline import Column, Part, Section, Span, Table, code, said
from ragassay.reports.terminal import print_section

COLUMNS = (
    Column("spread", "right"),
    Column("queries", "right"),
    Column("needed", "right"),
    Column("these show", "right"),
)
_PAIRED = (
    "Both runs answered the same queries: the spread is that of their differences, query by query. A share that differs"
    " is that of the queries on which exactly one of the two succeeds; any other spread is a standard deviation."
)
_ALONE = (
    "One run shows no pairs: this assumes a second version whose failures have nothing to do with those of the first."
    " Versions of one system mostly fail together and then need fewer queries; give two runs to see how many."
)


def render_plan(plan: Plan, console: Console) -> None:
    """Print what every metric needs, what was not planned and why, and what the critical queries can show."""
    for section in sections(plan):
        print_section(section, console)


def plan_json(plan: Plan) -> bytes:
    """One strict JSON document with every metric and slice."""
    return msgspec.json.encode(plan, order="sorted")


def sections(plan: Plan) -> list[Section]:
    comparable = [Section("Comparable?", (mismatch_table(plan.mismatches),))] if plan.mismatches else []
    return [
        *comparable,
        Section("What a difference needs", tuple(_needs(plan))),
        Section("Critical queries", (said(_critical(plan.critical, 1 - plan.wanted.alpha)),)),
    ]


def _needs(plan: Plan) -> Iterator[Part]:
    planned = [each for each in plan.needs if each.needed is not None]
    others = [each for each in plan.needs if each.needed is None]
    yield said(_asked(plan.wanted))
    yield said(_PAIRED if len(plan.runs) > 1 else _ALONE, "muted")
    if planned:
        columns = (Column("metric"), *_slice_column(plan), *COLUMNS)
        yield Table("", columns, tuple(_row(each, plan) for each in planned))
        yield said("Queries are those with a value of the metric; where others lack one, ask more.", "muted")
    if others:
        wheres = [each.metric if each.slice is None else f"{each.metric} on {each.slice}" for each in others]
        yield reasons_table("Not planned", zip(wheres, (each.reason or "" for each in others), strict=True))


def reasons_table(title: str, absent: Iterable[tuple[str, str]]) -> Table:
    """What has no number, as pairs of a metric and a reason: one row for each reason."""
    found: dict[str, list[str]] = {}
    for metric, reason in absent:
        found.setdefault(reason, []).append(metric)
    rows = tuple((Span(reason), code(", ".join(metrics))) for reason, metrics in found.items())
    return Table(title, (Column("why"), Column("metrics")), rows)


def _asked(wanted: Wanted) -> str:
    return (
        f"Queries needed to show a difference of {amount(wanted.difference)} with a chance of {percent(wanted.power)},"
        f" by a two-sided test at {percent(wanted.alpha)}; and the smallest difference that these queries show."
    )


def _row(each: Need, plan: Plan) -> tuple[Span, ...]:
    spread = f"{percent(each.discordance)} differ" if each.discordance is not None else amount(each.deviation or 0.0)
    is_enough = each.needed is not None and each.needed <= each.n
    return (
        code(each.metric),
        *_slice(each, plan),
        Span(spread),
        Span(f"{each.n:,}"),
        Span(f"{_at_least(each, plan.wanted.difference)}{each.needed:,}", "good" if is_enough else "bad"),
        Span(_detectable(each)),
    )


def _at_least(each: Need, difference: float) -> str:
    """Where fewer queries differ than a difference takes, more will: then its number is a floor."""
    return "≥ " if each.discordance is not None and each.discordance < difference else ""


def _detectable(each: Need) -> str:
    if each.detectable is None:
        return UNDEFINED
    return f"{_at_least(each, each.detectable)}{figure(definition(each.metric), each.detectable)}"


def _slice_column(plan: Plan) -> tuple[Column, ...]:
    return (Column("slice"),) if any(each.slice for each in plan.needs) else ()


def _slice(each: Need, plan: Plan) -> tuple[Span, ...]:
    return (Span(each.slice or "all"),) if _slice_column(plan) else ()


def _critical(at_best: AtBest, level: float) -> str:
    wanted = ", ".join(f"{percent(float(rate))} takes {n}" for rate, n in at_best.needed.items())
    if at_best.shows is None:
        return f"None is marked critical. To show a pass rate at {percent(level)} when all pass: {wanted}."
    return (
        f"{plural(at_best.n, 'critical query', 'critical queries')}: if every one passes, that shows a pass rate of at"
        f" least {percent(at_best.shows)} at {percent(level)}, and not more. {wanted}."
    )
