"""Charts as inline SVG. Colours come from the page's style sheet, and no meaning rests on colour alone."""

from collections.abc import Iterable

from markupsafe import Markup

from ragassay.reports.figures import histogram, percent, plural, seconds
from ragassay.reports.outline import Bars, Distribution, Forest, ForestRow, Side, Stage
from ragassay.text.normalise import visible

WIDTH = 760
ROW = 24
LEFT, RIGHT = 220, 560
BINS = 48
TICKS = 4
"""Parts of the axis of a histogram."""

LONGEST = 30
"""Characters of a label that fit; the whole label stays in its tooltip."""


def bars_chart(part: Bars) -> Markup:
    """Horizontal bars with their counts."""
    top = max((count for _, count in part.bars), default=0) or 1
    rows: list[Markup] = []
    for index, (label, count) in enumerate(part.bars):
        y = index * ROW + 4
        length = (WIDTH - 260) * count / top
        face = "bar missed" if label == "not found" else "bar"
        rows.append(
            _label(label, 100, y + 13, "end")
            + _shape('<rect class="{}" x="112" y="{}" width="{}" height="16" rx="2"/>', face, y, _n(length))
            + _text(f"{count:,}", 120 + length, y + 13, "start", "value")
        )
    said = "; ".join(f"{label}: {count}" for label, count in part.bars)
    return _svg(rows, len(part.bars) * ROW + 8, f"{part.title}. {said}")


def forest_chart(part: Forest) -> Markup:
    """A dot and an interval for each slice; the dashed line is the value over all queries."""
    top = max([1.0, part.whole, *(row.value for row in part.rows if row.value is not None)])
    bottom = len(part.rows) * ROW + 24
    ticks = [_tick(share, top, bottom) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    x = _x(part.whole, top)
    whole = _shape('<line class="whole" x1="{0}" x2="{0}" y1="20" y2="{1}"/>', _n(x), bottom)
    rows = [_forest_row(row, 24 + index * ROW, top) for index, row in enumerate(part.rows)]
    said = "; ".join(f"{row.label} {row.cells[0]} ({row.side})" for row in part.rows)
    return _svg([*ticks, whole, *rows], bottom + 8, f"{part.title}. {said}")


def _x(value: float, top: float) -> float:
    return LEFT + (RIGHT - LEFT) * min(max(value / top, 0.0), 1.0)


def _tick(share: float, top: float, bottom: float) -> Markup:
    x = _n(_x(share * top, top))
    line = _shape('<line class="grid" x1="{0}" x2="{0}" y1="20" y2="{1}"/>', x, bottom)
    return line + _text(percent(share * top).replace(".0", ""), float(x), 12, "middle", "tick")


def _forest_row(row: ForestRow, y: float, top: float) -> Markup:
    middle = y + ROW / 2
    drawn = _label(row.label, LEFT - 16, middle + 4, "end")
    if row.value is not None:
        low, high = row.interval or (row.value, row.value)
        ends = _x(0.0 if low is None else low, top), _x(top if high is None else high, top)
        template = '<line class="range {0}" x1="{1}" x2="{2}" y1="{3}" y2="{3}"/>'
        drawn += _shape(template, row.side, _n(ends[0]), _n(ends[1]), _n(middle))
        drawn += _mark(row.side, _x(row.value, top), middle)
    drawn += _text(row.cells[0], 624, middle + 4, "end", "value")
    return drawn + _text(f"n {row.cells[-1]}", 690, middle + 4, "end", "tick")


def _mark(side: Side, x: float, y: float) -> Markup:
    """▼ worse, ▲ better, ● around the whole, ○ without an interval."""
    if side in ("worse", "better"):
        tip = 6 if side == "worse" else -6
        points = f"{_n(x - 6)},{_n(y - tip * 0.8)} {_n(x + 6)},{_n(y - tip * 0.8)} {_n(x)},{_n(y + tip)}"
        return _shape('<polygon class="mark {}" points="{}"/>', side, points)
    return _shape('<circle class="mark {}" cx="{}" cy="{}" r="4.5"/>', side, _n(x), _n(y))


def distribution_chart(part: Distribution) -> Markup:
    """A histogram of each stage on its own axis from 0, with its percentiles as lines."""
    height = 112
    rows = [_stage(stage, index * height) for index, stage in enumerate(part.stages)]
    said = "; ".join(_said(stage) for stage in part.stages)
    return _svg(rows, len(part.stages) * height, f"{part.title}. {said}")


def _said(stage: Stage) -> str:
    marks = ", ".join(f"{name} {seconds(value)}" for name, value in stage.marks)
    return f"{stage.name}, {plural(len(stage.seconds), 'answer', 'answers')}: {marks}"


def _stage(stage: Stage, y: float) -> Markup:
    left, right, base = 112.0, WIDTH - 20.0, y + 90
    top, counts = stage.seconds[-1] or 1.0, histogram(stage.seconds, BINS)
    step, peak = (right - left) / BINS, max(counts) or 1
    columns = [
        _shape(
            '<rect class="bar" x="{}" y="{}" width="{}" height="{}"/>',
            *(_n(left + place * step), _n(base - 50 * count / peak), _n(step - 1), _n(50 * count / peak)),
        )
        for place, count in enumerate(counts)
        if count
    ]
    axis = _shape('<line class="axis" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>', _n(left), _n(right), _n(base))
    ticks = [
        _text(
            seconds(top * part / TICKS) if part else "0",
            left + (right - left) * part / TICKS,
            base + 14,
            anchor,
            "tick",
        )
        for part, anchor in enumerate(("start", *["middle"] * (TICKS - 1), "end"))
    ]
    marks = [_percentile(mark, left + (right - left) * mark[1] / top, y, rank) for rank, mark in enumerate(stage.marks)]
    name = _label(stage.name, 100, base - 20, "end") + _text(f"n {len(stage.seconds):,}", 100, base - 4, "end", "tick")
    return Markup("").join([name, *columns, axis, *ticks, *marks])


def _percentile(mark: tuple[str, float], x: float, y: float, rank: int) -> Markup:
    """Labels of neighbouring percentiles stand on different lines, left of theirs near the right edge."""
    height = y + 10 + rank * 14
    line = _shape('<line class="whole" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>', _n(x), _n(height - 6), _n(y + 90))
    offset, anchor = (-5, "end") if x > WIDTH - 120 else (5, "start")
    return line + _text(f"{mark[0]} {seconds(mark[1])}", x + offset, height + 3, anchor, "value")


def _svg(shapes: Iterable[Markup], height: float, description: str) -> Markup:
    head = Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">').format(
        WIDTH, _n(height), visible(description)
    )
    return head + Markup("").join(shapes) + Markup("</svg>")


def _shape(template: str, *values: object) -> Markup:
    """An element from a template of this module; the values are escaped."""
    return Markup(template).format(*values)  # noqa: S704 - templates are literals above, data only fills them


def _text(text: str, x: float, y: float, anchor: str, face: str) -> Markup:
    template = '<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>'
    return _shape(template, face, _n(x), _n(y), anchor, visible(text))


def _label(text: str, x: float, y: float, anchor: str) -> Markup:
    shown = visible(text)
    short = shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
    return _shape(
        '<text class="label" x="{}" y="{}" text-anchor="{}"><title>{}</title>{}</text>',
        *(_n(x), _n(y), anchor, shown, short),
    )


def _n(number: float) -> str:
    """A coordinate; one decimal is finer than a pixel."""
    return f"{number:.1f}".removesuffix(".0")
