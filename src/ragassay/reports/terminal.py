"""A report on a terminal, readable at 80 columns and without colour."""

from collections.abc import Mapping

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table as Grid
from rich.text import Text

from ragassay.records import Run
from ragassay.records.verdict import Verdict
from ragassay.reports.beside import beside
from ragassay.reports.contents import outline
from ragassay.reports.figures import histogram, plural, seconds
from ragassay.reports.outline import (
    Bars,
    Distribution,
    Forest,
    Outline,
    Paragraph,
    Part,
    Section,
    Span,
    Stage,
    Table,
    forest_table,
)
from ragassay.text.normalise import visible

STYLES = {"plain": "", "strong": "bold", "muted": "dim", "good": "green", "bad": "bold red"}
BAR = 40
BLOCKS = " ▁▂▃▄▅▆▇█"
BINS = 32


def render_terminal(run: Run, console: Console, verdict: Verdict | None = None) -> None:
    """Print the short report of a run."""
    print_outline(outline(run, is_full=False, verdict=verdict), console)


def render_beside(runs: Mapping[str, Run], console: Console) -> None:
    """Print the headline metrics of several runs, a column for each; the keys name them."""
    print_section(beside(runs), console)


def print_outline(report: Outline, console: Console) -> None:
    title = Text.assemble((visible(report.title), "bold"), "  ", (visible(report.subtitle), "dim"))
    console.print(title)
    console.print()
    for paragraph in report.headline:
        console.print(_paragraph(paragraph))
    for section in report.sections:
        print_section(section, console)


def print_section(section: Section, console: Console) -> None:
    console.print()
    console.print(Rule(Text(visible(section.title), style="bold"), align="left", style="dim"))
    for index, part in enumerate(section.parts):
        if index and not (isinstance(part, Paragraph) and isinstance(section.parts[index - 1], Paragraph)):
            console.print()
        _print_part(part, console)


def _print_part(part: Part, console: Console) -> None:
    match part:
        case Paragraph():
            text = _paragraph(part)
            console.print(Padding(text, (0, 0, 0, part.indent)) if part.indent else text)
        case Table():
            _print_table(part, console)
        case Bars():
            _print_bars(part, console)
        case Forest():
            _print_table(forest_table(part), console)
            if part.note:
                console.print(Text(visible(part.note), style="dim"))
        case Distribution():
            _print_distribution(part, console)


def text_of(span: Span) -> Text:
    """Data as plain text in its style: no markup is read, and control characters are made visible."""
    style = STYLES[span.tone]
    return Text(visible(span.text), style=style if style or span.face == "text" else "cyan")


def _paragraph(paragraph: Paragraph) -> Text:
    return Text.assemble(*(text_of(span) for span in paragraph.spans))


def _title(title: str, console: Console) -> None:
    if title:
        console.print(Text(visible(title), style="bold"))


def _print_table(table: Table, console: Console) -> None:
    _title(table.title, console)
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    for column in table.columns:
        grid.add_column(Text(visible(column.name)), justify=column.align, overflow="fold")
    for row in table.rows:
        grid.add_row(*(text_of(span) for span in row))
    console.print(grid)


def _print_bars(part: Bars, console: Console) -> None:
    _title(part.title, console)
    top = max((count for _, count in part.bars), default=0)
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right")
    grid.add_column(justify="right")
    grid.add_column()
    for label, count in part.bars:
        length = max(1, round(count / top * BAR)) if count else 0
        grid.add_row(Text(visible(label)), Text(f"{count:,}", "bold"), Text("█" * length, "cyan"))
    console.print(grid)


def _print_distribution(part: Distribution, console: Console) -> None:
    _title(part.title, console)
    grid = Grid.grid(padding=(0, 2, 0, 0))
    for stage in part.stages:
        grid.add_row(
            Text(visible(stage.name)), Text(sparkline(stage), "cyan"), Text(f"0\u2013{seconds(stage.seconds[-1])}")
        )
    console.print(grid)
    counts = [f"{visible(stage.name)} {plural(len(stage.seconds), 'answer', 'answers')}" for stage in part.stages]
    console.print(Text(", ".join(counts), style="dim"))


def sparkline(stage: Stage) -> str:
    """How often each latency occurs, as blocks; a bin that holds anything is never empty."""
    counts = histogram(stage.seconds, BINS)
    top = max(counts)
    return "".join(BLOCKS[0 if not count else max(1, round(count / top * (len(BLOCKS) - 1)))] for count in counts)
