"""How far repetitions of one run agree, for people and for programs."""

from collections.abc import Iterator, Sequence

import msgspec
from rich.console import Console

from ragassay.records.stability import Repeated, SelfAgreement, Share, Stability, Unsteady
from ragassay.reports.comparison import mismatch_table
from ragassay.reports.figures import UNDEFINED, definition, figure, interval, percent, plural, words
from ragassay.reports.outline import Column, Part, Section, Span, Table, code, said
from ragassay.reports.planning import reasons_table
from ragassay.reports.terminal import print_section

SHOWN = 12
"""Rows of queries on a terminal; the JSON document has all."""


def render_stability(stability: Stability, console: Console) -> None:
    """Print how often each metric says the same, which queries vary most, and how far the judge repeats itself."""
    for section in sections(stability):
        print_section(section, console)


def stability_json(stability: Stability) -> bytes:
    """One strict JSON document with every metric and every query that varies."""
    return msgspec.json.encode(stability, order="sorted")


def sections(stability: Stability) -> list[Section]:
    found: list[Section] = []
    if stability.mismatches:
        found.append(Section("Repetitions of one run?", (mismatch_table(stability.mismatches),)))
    if not any(each.refuses for each in stability.mismatches):
        found.append(Section("How far they agree", tuple(_metrics(stability))))
        found.append(Section("Queries that vary", tuple(_queries(stability.unsteady))))
        found.append(Section("The judge", (said(_judge(stability)),)))
    return found


def _metrics(stability: Stability) -> Iterator[Part]:
    shown = [each for each in stability.metrics if each.mean.n or each.deviation is not None]
    times = len(stability.runs)
    if shown:
        columns = (
            Column("metric"),
            Column("mean", "right"),
            Column("interval", "right"),
            Column("passes"),
            Column(f"{times} of {times}", "right"),
            Column("once", "right"),
            Column("flips", "right"),
            Column("sd", "right"),
        )
        yield Table("", columns, tuple(_row(each) for each in shown))
        yield said(
            f"{times} of {times}: queries that pass every time; once: in at least one repetition; flips: in some and"
            " not in others; sd: between repetitions of one query. Intervals hold the noise of repeating.",
            "muted",
        )
    if any(each.rule is None for each in shown):
        yield said("Where nothing is said to pass, --threshold says what does.", "muted")
    if others := [each for each in stability.metrics if each not in shown]:
        reasons = ((each.metric, ", ".join(map(words, each.without)) or "no query") for each in others)
        yield reasons_table("No value", reasons)


def _row(each: Repeated) -> tuple[Span, ...]:
    metric = definition(each.metric)
    return (
        code(each.metric),
        Span(figure(metric, each.mean.value)),
        Span(interval(metric, each.mean.interval)),
        Span(each.rule or UNDEFINED),
        Span(_share(each.every[-1] if each.every else None)),
        Span(_share(each.once[-1] if each.once else None)),
        Span(_share(each.flips if each.rule else None)),
        Span(figure(metric, each.deviation)),
    )


def _share(share: Share | None) -> str:
    return UNDEFINED if share is None or share.value is None else percent(share.value)


def _queries(unsteady: Sequence[Unsteady]) -> Iterator[Part]:
    if not unsteady:
        yield said("Every query has the same value in every repetition.", "good")
        return
    ordered = sorted(unsteady, key=_evenness)
    columns = (Column("query"), Column("metric"), Column("passed", "right"), Column("values", "right"))
    yield Table("", columns, tuple(_unsteady_row(each) for each in ordered[:SHOWN]))
    if len(ordered) > SHOWN:
        yield said(f"{len(ordered) - SHOWN:,} more in the JSON.", "muted")


def _evenness(each: Unsteady) -> float:
    """Those that pass in half of the repetitions first, those that never flip last."""
    return 1.0 if each.passed is None else abs(each.passed / each.outcomes - 0.5)


def _unsteady_row(each: Unsteady) -> tuple[Span, ...]:
    metric = definition(each.metric)
    passed = UNDEFINED if each.passed is None else f"{each.passed} of {each.outcomes}"
    ends = None if each.low is None or each.high is None else (each.low, each.high)
    return code(each.query), code(each.metric), Span(passed), Span(interval(metric, ends))


def _judge(stability: Stability) -> str:
    queries = plural(stability.same_answers, "query", "queries")
    same = f"{queries} had the same answer on the same passages more than once"
    found = stability.judge
    if found is None:
        return f"{same}; none was judged more than once, so that nothing tells how far the judge repeats itself."
    return f"{same}. {_agreed(found)}"


def _agreed(found: SelfAgreement) -> str:
    share = UNDEFINED if found.agreement.value is None else percent(found.agreement.value)
    alpha = "" if found.alpha is None else f"; Krippendorff's alpha {found.alpha:.2f}"
    judged = plural(found.judgements, "judgement", "judgements")
    return f"Of {judged} that were given again, {share} were the same every time ({_ends(found.agreement)}){alpha}."


def _ends(share: Share) -> str:
    low, high = share.interval or (None, None)
    return "n too small" if low is None or high is None else f"{percent(low)}–{percent(high)}"
