"""The parts of a report before anybody decides how they look: sections of paragraphs, tables and charts.

Texts are raw: they may hold anything that a data file holds. Who renders them escapes them.
"""

from typing import Literal, NamedTuple

Tone = Literal["plain", "strong", "muted", "good", "bad"]
Face = Literal["text", "code"]
Side = Literal["worse", "alike", "better", "unknown"]


class Span(NamedTuple):
    """A piece of text. `face` code marks an identifier; `tone` only repeats what the words say."""

    text: str
    tone: Tone = "plain"
    face: Face = "text"


def code(text: str, tone: Tone = "plain") -> Span:
    return Span(text, tone, "code")


class Paragraph(NamedTuple):
    """`indent` columns from the left where that can be shown."""

    spans: tuple[Span, ...]
    indent: int = 0


class Column(NamedTuple):
    name: str
    align: Literal["left", "right"] = "left"


class Table(NamedTuple):
    """`rows` hold one span per column."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Span, ...], ...]


class Bars(NamedTuple):
    """Counts by label, in order."""

    title: str
    bars: tuple[tuple[str, int], ...]


class ForestRow(NamedTuple):
    """One slice: its numbers as written, and where they stand. `side` is the side of the whole on which the interval
    lies."""

    label: str
    value: float | None
    interval: tuple[float | None, float | None] | None
    side: Side
    cells: tuple[str, ...]


class Forest(NamedTuple):
    """A metric by slice. `columns` name the cells of each row; `note` says what was left out."""

    title: str
    whole: float
    columns: tuple[Column, ...]
    rows: tuple[ForestRow, ...]
    note: str


class Stage(NamedTuple):
    """The seconds of one stage, ascending, and the marks to draw: label and seconds."""

    name: str
    seconds: tuple[float, ...]
    marks: tuple[tuple[str, float], ...]


class Distribution(NamedTuple):
    title: str
    stages: tuple[Stage, ...]


Part = Paragraph | Table | Bars | Forest | Distribution


class Section(NamedTuple):
    title: str
    parts: tuple[Part, ...]


class Outline(NamedTuple):
    """A whole report: what was measured, the headline, the sections."""

    title: str
    subtitle: str
    headline: tuple[Paragraph, ...]
    sections: tuple[Section, ...]


SIDES: dict[Side, str] = {"worse": "▼", "alike": "●", "better": "▲", "unknown": "○"}
"""Shapes, so that the side of an interval can be read without colour."""

SIDE_TONES: dict[Side, Tone] = {"worse": "bad", "alike": "plain", "better": "good", "unknown": "muted"}


def said(text: str, tone: Tone = "plain") -> Paragraph:
    return Paragraph((Span(text, tone),))


def forest_table(forest: Forest) -> Table:
    """A forest where nothing can be drawn."""
    rows = tuple(
        (
            Span(SIDES[row.side], SIDE_TONES[row.side]),
            code(row.label),
            *(Span(cell, "muted" if row.value is None else "plain") for cell in row.cells),
        )
        for row in forest.rows
    )
    return Table(forest.title, (Column(""), Column("slice"), *forest.columns), rows)
