"""What a judge alone says of a metric beside what people say, query by query: from this its error is estimated."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from ragassay.metrics.definition import Fractions, Metric
from ragassay.metrics.ranking import Bools, Floats

SCHEMA: dict[str, pl.DataType] = {
    "judge_numerator": pl.Float64(),
    "judge_denominator": pl.Float64(),
    "by_people": pl.Boolean(),
}
RATE = (0.0, 1.0)
JUDGED = frozenset(("claims", "support", "entailment", "citations"))


class Sides(NamedTuple):
    """Everything (n,). `judged`: the judge has a value, which code alone would not have; only there the two numbers are
    read. `by_people`: the metric's value rests on no judge, because people labelled all of the query that it needs.
    """

    numerator: Floats
    denominator: Floats
    judged: Bools
    by_people: Bools


def is_correctable(metric: Metric) -> bool:
    """Whether labels can correct a metric: a mean or a rate in [0, 1] that rests on what a judge says."""
    return metric.aggregation in ("macro", "micro") and metric.bounds == RATE and bool(JUDGED & set(metric.matrices))


def sides(judge: Fractions, people: Fractions, nobody: Fractions) -> Sides:
    """The metric measured with the judge alone, with people alone, and with nobody, where code alone decides."""
    open_ = ~nobody.defined
    return Sides(judge.numerator, judge.denominator, judge.defined & open_, people.defined & open_)


def with_sides(table: pl.DataFrame, found: Mapping[str, Sides], queries: pl.Series) -> pl.DataFrame:
    """The table of fractions with three more columns; `found` is by identity, in the order of the queries."""
    rows = [
        pl.DataFrame(
            {"query": queries, "top": each.numerator, "bottom": each.denominator, "judged": each.judged}
        ).select(
            pl.lit(metric).alias("metric"),
            "query",
            pl.when("judged").then("top").alias("judge_numerator"),
            pl.when("judged").then("bottom").alias("judge_denominator"),
            pl.Series("by_people", each.by_people),
        )
        for metric, each in found.items()
    ]
    empty = pl.DataFrame(schema={"metric": pl.String(), "query": pl.String(), **SCHEMA})
    return table.join(pl.concat([empty, *rows]), on=["metric", "query"], how="left", maintain_order="left")


def sides_from_table(table: pl.DataFrame, queries: tuple[str, ...]) -> dict[str, Sides]:
    """Identity without version → its sides in the order of `queries`. Empty for a run without labels or judge.

    A metric with a number that can be no fraction in [0, 1] is left out: nothing can be corrected by it.
    """
    if not SCHEMA.keys() <= set(table.columns):
        return {}
    order = pl.DataFrame({"query": queries}, schema={"query": pl.String()})
    known = table.filter(pl.col("by_people").is_not_null())
    found: dict[str, Sides] = {}
    for part in known.partition_by("metric", maintain_order=True):
        whole = order.join(part.unique("query", keep="none"), on="query", how="left", maintain_order="left")
        judged = whole["judge_denominator"].is_not_null().to_numpy()
        top, bottom = (whole[name].fill_null(0.0).to_numpy() for name in ("judge_numerator", "judge_denominator"))
        fits = np.isfinite(top) & np.isfinite(bottom) & (bottom > 0) & (top >= 0) & (top <= bottom)
        if fits[judged].all():
            by_people = whole["by_people"].fill_null(value=False).to_numpy()
            found[part["metric"][0].rpartition(":v")[0]] = Sides(top, bottom, judged, by_people)
    return found
