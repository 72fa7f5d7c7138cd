"""Runs brought to the queries that all of them hold."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragassay.metrics.aggregation import Measured
from ragassay.metrics.definition import Fractions
from ragassay.metrics.ranking import Bools
from ragassay.metrics.slices import slices
from ragassay.metrics.table import measured_from_table
from ragassay.records import Fault, Mismatch, Run


class Side(NamedTuple):
    """One of several runs: its card, its fractions as stored, its matrix `queries`."""

    run: Run
    fractions: pl.DataFrame
    queries: pl.DataFrame


def refused(mismatches: Sequence[Mismatch]) -> frozenset[str]:
    """The metrics that may not be compared; `*` stands for all."""
    refusing = [each for each in mismatches if each.refuses]
    return frozenset(name for each in refusing for name in each.metrics or ("*",))


def shared(sides: Sequence[Side]) -> tuple[pl.Series, dict[str | None, Bools]]:
    """The queries that every run holds and none excludes, by id, with the members of every slice of the last run."""
    *others, rows = (side.queries.filter(pl.col("excluded").is_null()) for side in sides)
    for kept in others:
        rows = rows.join(kept.select("query"), on="query", how="semi")
    rows = rows.sort("query")
    everyone = np.ones(len(rows), dtype=np.bool_)
    return rows["query"], {None: everyone, **slices(rows)}


def aligned(side: Side, queries: pl.Series) -> dict[str, Measured]:
    """Each metric's fractions on the given queries, in their order."""
    measured = measured_from_table(side.fractions)
    held = side.fractions.filter(pl.col("metric") == side.fractions["metric"][0])["query"] if measured else queries
    order = pl.DataFrame({"query": queries}).join(
        pl.DataFrame({"query": held}).with_row_index("row"), on="query", how="left", maintain_order="left"
    )["row"]
    rows = order.to_numpy().astype(np.int64)
    return {each.choice.id: Measured(each.choice, _taken(each.fractions, rows)) for each in measured}


def unknown_metrics(metrics: Collection[str], names: Collection[str]) -> Iterator[Fault]:
    """A fault for each metric that is asked for and not among those measured."""
    for name in metrics:
        if name not in names:
            yield Fault(
                code="not_measured",
                message="the run did not measure this metric",
                field="--metric",
                value=name,
                expected=", ".join(names),
            )


def _taken(fractions: Fractions, rows: NDArray[np.int64]) -> Fractions:
    return Fractions(fractions.numerator[rows], fractions.denominator[rows], fractions.state[rows], fractions.absences)
