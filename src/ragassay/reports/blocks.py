"""Measured blocks: every number with its interval, its fraction, its n, and why queries have no value."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase

from ragassay.metrics.definition import Metric
from ragassay.metrics.dictionary import family_of
from ragassay.records import Estimate, Run
from ragassay.reports.figures import counted, cutoff, definition, figure, interval, ratio, words
from ragassay.reports.outline import Column, Paragraph, Part, Span, Table, code, said

OTHER = "other"
HEADLINES = (
    "recall",
    "grounded_claim_rate",
    "citation_precision",
    "correct_abstention",
    "false_refusal_rate",
    "critical_pass_rate",
)
LOWER = "↓"

Absences = tuple[tuple[tuple[str, int], ...], int, tuple[tuple[str, int], ...]]


def shown_cutoffs(ks: Sequence[int]) -> tuple[int, ...]:
    """The cut-offs of a short report: the middle one and the largest."""
    ordered = sorted(set(ks))
    return tuple(sorted({ordered[len(ordered) // 2], ordered[-1]})) if ordered else ()


def members(run: Run, family: str, ks: Sequence[int] | None) -> dict[str, Estimate]:
    """The estimates of a family that any query has a value for, at the given cut-offs; None is all of them."""
    chosen = {name: each for name, each in run.summary.metrics.items() if each.n and _family(name) == family}
    return {name: each for name, each in chosen.items() if ks is None or cutoff(name) in (None, *ks)}


def _family(identity: str) -> str:
    metric = definition(identity)
    return OTHER if metric is None else family_of(metric)


def measured(estimates: Mapping[str, Estimate], level: float) -> tuple[Part, ...]:
    """A table of estimates, and below it why queries have no value."""
    notes: dict[Absences, str] = {}
    rows: list[tuple[Span, ...]] = []
    for name, estimate in estimates.items():
        rows.extend(_rows(name, estimate, _footnote(estimate, notes)))
    columns = (
        Column("metric"),
        Column("value", "right"),
        Column(f"{level * 100:g}% CI", "right"),
        Column("fraction", "right"),
        Column("n", "right"),
        Column("absent", "right"),
    )
    return (Table("", columns, tuple(rows)), *_legend(estimates, notes))


def _rows(name: str, estimate: Estimate, footnote: Span) -> list[tuple[Span, ...]]:
    metric, empty = definition(name), Span("")
    value = Span(figure(metric, estimate.value), "muted" if estimate.value is None else "strong")
    row = (
        code(f"{name} {LOWER}" if metric is not None and metric.direction == "lower" else name),
        value,
        Span(interval(metric, estimate.interval)),
        Span(ratio(estimate)),
        Span(f"{estimate.n:,}"),
        footnote,
    )
    others = [
        (Span(f"└ {other}", "muted"), Span(figure(metric, number), "muted"), empty, empty, empty, empty)
        for other, number in estimate.beside.items()
    ]
    return [row, *others]


def _footnote(estimate: Estimate, notes: dict[Absences, str]) -> Span:
    """How many queries have no value, with the letter of the note that says why."""
    count = sum(estimate.undefined.values()) + estimate.errored + sum(estimate.excluded.values())
    if not count:
        return Span("0", "muted")
    key = (tuple(estimate.undefined.items()), estimate.errored, tuple(estimate.excluded.items()))
    return Span(f"{count:,} {notes.setdefault(key, _letter(len(notes)))}")


def _letter(index: int) -> str:
    """a, b, …, z, then a2, b2, …"""
    round_, place = divmod(index, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(round_ + 1) if round_ else "")


def _legend(estimates: Mapping[str, Estimate], notes: Mapping[Absences, str]) -> list[Paragraph]:
    lines = [Paragraph((Span(f"{letter}  ", "strong"), Span(_reasons(key), "muted"))) for key, letter in notes.items()]
    lower = [name for name in estimates if (metric := definition(name)) is not None and metric.direction == "lower"]
    return [*lines, said(f"{LOWER}  lower is better", "muted")] if lower else lines


def _reasons(absences: Absences) -> str:
    undefined, errored, excluded = absences
    parts = [f"undefined: {counted(dict(undefined))}" if undefined else "", f"errored: {errored:,}" if errored else ""]
    return " · ".join(part for part in (*parts, f"excluded: {counted(dict(excluded))}" if excluded else "") if part)


def not_shown(run: Run, ks: Sequence[int] | None) -> Table | None:
    """What no query has a value for, by reason, at the given cut-offs; None is all of them."""
    by_reason: dict[str, list[str]] = {}
    for name, why in run.not_shown.items():
        estimate = run.summary.metrics.get(name)
        if estimate is None:
            by_reason.setdefault(words(why), []).append(name)
        elif not estimate.n and (ks is None or cutoff(name) in (None, *ks)):
            by_reason.setdefault(absence(estimate), []).append(name)
    rows = tuple((code(", ".join(names)), Span(reason)) for reason, names in by_reason.items())
    return Table("", (Column("not shown"), Column("because")), rows) if rows else None


def absence(estimate: Estimate) -> str:
    """Why an estimate has no value, with counts."""
    key = (tuple(estimate.undefined.items()), estimate.errored, tuple(estimate.excluded.items()))
    return _reasons(key).removeprefix("undefined: ") or "no queries"


def headlines(run: Run) -> dict[str, Metric]:
    """The measured metrics by which slices are compared, at the largest cut-off."""
    top = shown_cutoffs(run.card.k)[-1:]
    found: dict[str, Metric] = {}
    for name, estimate in run.summary.metrics.items():
        metric = definition(name)
        if metric is None or metric.name not in HEADLINES or estimate.value is None:
            continue
        if cutoff(name) in (None, *top):
            found[name] = metric
    return found
