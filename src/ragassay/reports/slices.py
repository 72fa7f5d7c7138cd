"""A metric by slice, the worst first."""

from collections.abc import Mapping

from ragassay.metrics.definition import Metric
from ragassay.records import Estimate, Run
from ragassay.reports.blocks import absence
from ragassay.reports.figures import figure, interval, plural, ratio
from ragassay.reports.outline import Column, Forest, ForestRow, Side

PINNED = ("critical=yes", "answerable=no")
"""Slices that every report shows, whatever their rank."""

SHORT = 6
"""How many of the worst slices a short report shows."""


def forest(run: Run, name: str, metric: Metric, *, is_full: bool) -> Forest:
    """The slices of one metric. Raises KeyError where the run has no such metric, ValueError where it has no value."""
    whole = run.summary.metrics[name]
    if whole.value is None:
        raise ValueError(f"{name} has no value to compare slices with")
    found = {label: estimates[name] for label, estimates in run.summary.slices.items() if name in estimates}
    valued = {label: each for label, each in found.items() if each.value is not None}
    ordered = sorted(valued, key=lambda label: _rank(valued[label], metric))
    is_flat = len(valued) > 1 and len({each.value for each in valued.values()}) == 1
    shown = ordered[: 0 if is_flat else None if is_full else SHORT]
    labels = [*shown, *(label for label in PINNED if label in found and label not in shown)]
    columns = (Column("value", "right"), Column(f"{run.card.level * 100:g}% CI", "right"))
    return Forest(
        title=f"{name} by slice, worst first; all queries {figure(metric, whole.value)}",
        whole=whole.value,
        columns=(*columns, Column("fraction", "right"), Column("n", "right")),
        rows=tuple(_row(label, found[label], metric, whole.value) for label in labels),
        note=_note(found, labels),
    )


def _rank(estimate: Estimate, metric: Metric) -> tuple[float, int]:
    """Worst first, the larger slice first among equals."""
    value = estimate.value or 0.0
    return (value if metric.direction == "higher" else -value), -estimate.n


def _row(label: str, estimate: Estimate, metric: Metric, whole: float) -> ForestRow:
    absent = absence(estimate) if estimate.value is None else ""
    return ForestRow(
        label=label,
        value=estimate.value,
        interval=estimate.interval,
        side=_side(estimate, metric, whole),
        cells=(
            figure(metric, estimate.value),
            absent or interval(metric, estimate.interval),
            "" if absent else ratio(estimate),
            f"{estimate.n:,}",
        ),
    )


def _side(estimate: Estimate, metric: Metric, whole: float) -> Side:
    if estimate.value is None or estimate.interval is None:
        return "unknown"
    low, high = estimate.interval
    is_above, is_below = low is not None and low > whole, high is not None and high < whole
    if not (is_above or is_below):
        return "alike"
    return "better" if is_above == (metric.direction == "higher") else "worse"


def _note(found: Mapping[str, Estimate], labels: list[str]) -> str:
    """Which slices are not among the rows, by count where they are no worse, by name where they have no value."""
    rest = {label: each for label, each in found.items() if label not in labels}
    empty = [label for label, each in rest.items() if each.value is None]
    count = len(rest) - len(empty)
    parts = [
        f"{plural(count, 'more slice is', 'more slices are')} not worse" if count else "",
        f"without a value: {', '.join(empty)}" if empty else "",
    ]
    return "; ".join(part for part in parts if part)
