"""A run in a notebook: a table when shown, its estimates by name, its queries as a frame."""

import polars as pl
from markupsafe import Markup

from ragassay.metrics.dictionary import find
from ragassay.records import Estimate, Run
from ragassay.reports.blocks import shown_cutoffs
from ragassay.reports.document import unversioned
from ragassay.reports.figures import cutoff, definition, figure, interval
from ragassay.reports.headline import headline
from ragassay.text.normalise import visible

_CELL = Markup("<td>{}</td>")
_COLUMNS = ("metric", "value", "interval", "n")


class RunView:
    """What `evaluate` returns to a notebook: `run["recall@10"].value`, `.interval`, `.n`."""

    def __init__(self, run: Run, fractions: pl.DataFrame) -> None:
        """`fractions` has one row per metric and query, as the runner counts them."""
        self.run = run
        self._fractions = fractions

    def __getitem__(self, identity: str) -> Estimate:
        """The estimate of a metric, under its own name or an alias. Raises KeyError naming the nearest metric."""
        try:
            name = find(identity).id
        except ValueError as unknown:
            raise KeyError(str(unknown)) from None
        if name not in self.run.summary.metrics:
            raise KeyError(f"{name} was not measured in this run; measured: {', '.join(self.run.summary.metrics)}")
        return self.run.summary.metrics[name]

    def queries(self) -> pl.DataFrame:
        """One row per query and metric: numerator, denominator and value, or the reason for having none."""
        names = pl.col("metric").map_elements(unversioned, return_dtype=pl.String)
        return self._fractions.with_columns(names, (pl.col("numerator") / pl.col("denominator")).alias("value"))

    def __repr__(self) -> str:
        rows = [_COLUMNS, *self._rows()]
        widths = [max(len(row[place]) for row in rows) for place in range(len(_COLUMNS))]
        lines = [
            "  ".join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells))
            for cells in (list(zip(row, widths, strict=True)) for row in rows)
        ]
        return "\n".join([self._headline(), *(line.rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        head = Markup("").join(Markup("<th>{}</th>").format(name) for name in _COLUMNS)
        body = Markup("").join(
            Markup("<tr>{}</tr>").format(Markup("").join(_CELL.format(cell) for cell in row)) for row in self._rows()
        )
        page = Markup("<div><p>{}</p><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>")
        return str(page.format(self._headline(), head, body))

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
