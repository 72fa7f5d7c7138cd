"""How a number is written: percent, seconds, counts. What is undefined is a dash, never a zero."""

from collections.abc import Mapping, Sequence

from ragassay.metrics.definition import Metric
from ragassay.metrics.dictionary import find
from ragassay.records import Estimate, Interval

UNDEFINED = "—"
ROUNDING = 1e-9
EXCERPT = 150
"""Characters of a longer text that are shown."""

LARGE = 100
"""From here on, fewer decimals."""


def definition(identity: str) -> Metric | None:
    """The definition behind an identity, None where this dictionary does not know it (a run of another version)."""
    try:
        return find(identity).metric
    except ValueError:
        return None


def cutoff(identity: str) -> int | None:
    """The rank k at which an identity is read, None where it has none."""
    try:
        return find(identity).k
    except ValueError:
        return None


def figure(metric: Metric | None, value: float | None) -> str:
    """A value in the unit of its metric."""
    if value is None:
        return UNDEFINED
    if metric is None or metric.aggregation == "count":
        return amount(value)
    if metric.bounds == (0.0, 1.0):
        return percent(value)
    return seconds(value) if metric.unit == "second" else amount(value)


def percent(share: float) -> str:
    """One decimal; 100.0% and 0.0% are said only of exactly all and exactly nothing."""
    text = f"{share * 100:.1f}%"
    if text == "100.0%" and share < 1:
        return ">99.9%"
    return "<0.1%" if text == "0.0%" and share > 0 else text


def seconds(duration: float) -> str:
    if duration < 1:
        return f"{duration * 1000:.3g} ms"
    return f"{duration:.2f} s" if duration < LARGE else f"{duration:,.0f} s"


def amount(number: float) -> str:
    """A count in full, anything else with about three digits that count. Sums of floats that miss a whole number by a
    rounding error are that number."""
    if abs(number - round(number)) < ROUNDING:
        return f"{round(number):,}"
    if abs(number) >= LARGE:
        return f"{number:,.1f}"
    return f"{number:.2f}" if abs(number) >= 1 else f"{number:.3g}"


def interval(metric: Metric | None, ends: Interval | None) -> str:
    """Both ends with the unit once; an end that n is too small to bound makes it one-sided."""
    if ends is None:
        return UNDEFINED
    low, high = ends
    if low is None and high is None:
        return "n too small"
    if low is None:
        return f"≤ {figure(metric, high)}"
    if high is None:
        return f"≥ {figure(metric, low)}"
    first, last = figure(metric, low), figure(metric, high)
    for unit in ("%", " ms", " s"):
        if first.endswith(unit) and last.endswith(unit):
            first = first.removesuffix(unit)
            break
    return f"{first}\u2013{last}"


def ratio(estimate: Estimate) -> str:
    """The sums that the value divides. A percentile divides nothing, and without a value the sums are those of a
    biased part."""
    if estimate.aggregation == "percentile" or estimate.value is None:
        return ""
    return f"{amount(estimate.numerator)} / {amount(estimate.denominator)}"


def counted(reasons: Mapping[str, int]) -> str:
    """`must refuse 20, unlabelled 5`, the commonest first."""
    ordered = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{words(reason)} {count:,}" for reason, count in ordered)


def words(name: str) -> str:
    """A code name as words."""
    return name.replace("_", " ")


def plural(count: int, singular: str, many: str) -> str:
    return f"{count:,} {singular if count == 1 else many}"


def excerpt(text: str) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: 4 * EXCERPT].split())
    return line if len(line) <= EXCERPT else f"{line[: EXCERPT - 1]}…"


def histogram(values: Sequence[float], bins: int) -> list[int]:
    """How many values fall into each of equally wide bins from 0 to the largest value."""
    top = max(values, default=0.0)
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, int(value / top * bins)) if top > 0 else 0] += 1
    return counts
