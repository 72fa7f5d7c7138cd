"""What Python returns to a notebook: a run, a change, a verdict. Each shows itself, and gives its numbers by name."""

from collections.abc import Sequence
from io import StringIO

import polars as pl
from markupsafe import Markup
from rich.console import Console

from ragassay.decision import Measured
from ragassay.metrics.dictionary import find
from ragassay.records import Comparison, Errored, Estimate, GateResult, Measurement, Run, Undefined
from ragassay.records.measurement import Measured as Value
from ragassay.records.verdict import Verdict
from ragassay.reports.blocks import shown_cutoffs
from ragassay.reports.comparison import sections
from ragassay.reports.document import unversioned
from ragassay.reports.figures import cutoff, definition, figure, interval
from ragassay.reports.gates import sentence, verdict_section
from ragassay.reports.headline import headline
from ragassay.reports.outline import Column, Paragraph, Part, Section, Span, Table
from ragassay.reports.terminal import print_section
from ragassay.text.normalise import visible

_CELL = Markup("<td>{}</td>")
_COLUMNS = ("metric", "value", "interval", "n")
_WIDTH = 120


class RunView:
    """What `evaluate` returns: `run["recall@10"].value`, `.interval`, `.n`."""

    def __init__(self, measured: Measured) -> None:
        self.measured = measured
        self.run = measured.run
        self._by_query: dict[str, dict[str, Measurement]] = {}

    def __getitem__(self, identity: str) -> Estimate:
        """The estimate of a metric, under its own name or an alias. Raises KeyError naming the nearest metric."""
        return self.run.summary.metrics[self._name(identity)]

    def queries(self) -> pl.DataFrame:
        """One row per query and metric: numerator, denominator and value, or the reason for having none."""
        names = pl.col("metric").map_elements(unversioned, return_dtype=pl.String)
        fractions = self.measured.fractions
        return fractions.with_columns(names, (pl.col("numerator") / pl.col("denominator")).alias("value"))

    def query(self, query: str, identity: str) -> Measurement:
        """One metric of one query: measured, undefined or errored. Raises KeyError where either is not in the run."""
        name = self._name(identity)
        if name not in self._by_query:
            rows = self.measured.fractions.filter(pl.col("metric").str.replace(r":v[0-9]+$", "") == name)
            self._by_query[name] = {row["query"]: _measurement(row) for row in rows.iter_rows(named=True)}
        return self._by_query[name][query]

    def _name(self, identity: str) -> str:
        try:
            name = find(identity).id
        except ValueError as unknown:
            raise KeyError(str(unknown)) from None
        if name not in self.run.summary.metrics:
            raise KeyError(f"{name} was not measured in this run; measured: {', '.join(self.run.summary.metrics)}")
        return name

    def __repr__(self) -> str:
        rows = [_COLUMNS, *self._rows()]
        widths = [max(len(row[place]) for row in rows) for place in range(len(_COLUMNS))]
        lines = [
            "  ".join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells))
            for cells in (list(zip(row, widths, strict=True)) for row in rows)
        ]
        return "\n".join([self._headline(), *(line.rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        columns = tuple(Column(name) for name in _COLUMNS)
        table = Table("", columns, tuple(tuple(Span(cell) for cell in row) for row in self._rows()))
        return _html([Paragraph((Span(self._headline()),)), table])

    def _headline(self) -> str:
        return visible(" ".join(span.text for paragraph in headline(self.run) for span in paragraph.spans))

    def _rows(self) -> list[tuple[str, ...]]:
        shown = shown_cutoffs(self.run.card.k)
        rows: list[tuple[str, ...]] = []
        for name, estimate in self.run.summary.metrics.items():
            if cutoff(name) in (None, *shown):
                metric = definition(name)
                numbers = figure(metric, estimate.value), interval(metric, estimate.interval), f"{estimate.n:,}"
                rows.append((visible(name), *numbers))
        return rows


class ChangeView:
    """What `compare` returns: `.comparison` holds every difference, and the two runs are `.before` and `.after`."""

    def __init__(self, comparison: Comparison, before: Measured, after: Measured) -> None:
        self.comparison = comparison
        self.before, self.after = before, after

    def __repr__(self) -> str:
        return _text(sections(self.comparison))

    def _repr_html_(self) -> str:
        return _html([part for section in sections(self.comparison) for part in section.parts])


class VerdictView:
    """What `decide` returns: `.outcome` is `passed`, `breached` or `undecided`; `.gates` say why."""

    def __init__(self, verdict: Verdict, run: Run) -> None:
        self.verdict, self.run = verdict, run
        self.outcome = verdict.outcome
        self.gates: tuple[GateResult, ...] = verdict.gates

    def __repr__(self) -> str:
        section = verdict_section(self.verdict)
        return _text([section._replace(parts=(sentence(self.verdict), *section.parts))])

    def _repr_html_(self) -> str:
        return _html([sentence(self.verdict), *verdict_section(self.verdict).parts])


def _measurement(row: dict[str, object]) -> Measurement:
    if isinstance(row["errored"], str):
        return Errored(row["errored"])
    numerator, denominator = row["numerator"], row["denominator"]
    if isinstance(numerator, float) and isinstance(denominator, float):
        return Value(numerator, denominator)
    return Undefined(str(row["undefined"]))


def _text(shown: Sequence[Section]) -> str:
    console = Console(file=StringIO(), width=_WIDTH, highlight=False, emoji=False, color_system=None)
    with console.capture() as captured:
        for section in shown:
            print_section(section, console)
    return captured.get().strip("\n")


def _html(parts: Sequence[Part]) -> str:
    """Paragraphs and tables; every text is escaped, and nothing in it can be markup."""
    return str(Markup("<div>{}</div>").format(Markup("").join(_part(part) for part in parts)))


def _part(part: Part) -> Markup:
    if isinstance(part, Paragraph):
        return Markup("<p>{}</p>").format(visible(" ".join(span.text for span in part.spans)))
    if not isinstance(part, Table):
        raise TypeError(f"a notebook shows paragraphs and tables, no {type(part).__name__}")
    title = Markup("<p>{}</p>").format(visible(part.title)) if part.title else Markup("")
    head = Markup("").join(Markup("<th>{}</th>").format(visible(column.name)) for column in part.columns)
    rows = (Markup("").join(_CELL.format(visible(span.text)) for span in row) for row in part.rows)
    body = Markup("").join(Markup("<tr>{}</tr>").format(row) for row in rows)
    return title + Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(head, body)
