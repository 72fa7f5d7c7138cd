"""The per-query fractions of a run as one table: what every aggregate is rebuilt from."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from ragassay.metrics.aggregation import Measured
from ragassay.metrics.definition import Fractions
from ragassay.metrics.dictionary import find

SCHEMA: dict[str, pl.DataType] = {
    "metric": pl.String(),
    "query": pl.String(),
    "numerator": pl.Float64(),
    "denominator": pl.Float64(),
    "undefined": pl.String(),
    "errored": pl.String(),
}


def fractions_table(measured: Sequence[Measured], queries: pl.Series) -> pl.DataFrame:
    """One row per metric and query. Without a value, both numbers are null and one of the two reasons is given."""
    parts = [_part(each, queries) for each in measured]
    return pl.concat(parts) if parts else pl.DataFrame(schema=SCHEMA)


def _part(measured: Measured, queries: pl.Series) -> pl.DataFrame:
    fractions = measured.fractions
    reasons = pl.Series([None, *fractions.absences], dtype=pl.String).gather(fractions.state)
    is_error = reasons.str.starts_with("error:").fill_null(False)
    defined = pl.Series(fractions.defined)
    frame = pl.DataFrame({"query": queries, "n": fractions.numerator, "d": fractions.denominator, "reason": reasons})
    return frame.select(
        pl.lit(str(measured.choice)).alias("metric"),
        "query",
        pl.when(defined).then("n").alias("numerator"),
        pl.when(defined).then("d").alias("denominator"),
        pl.when(~is_error).then("reason").alias("undefined"),
        pl.when(is_error).then(pl.col("reason").str.strip_prefix("error:")).alias("errored"),
    ).cast(SCHEMA)  # type: ignore[arg-type]


def measured_from_table(table: pl.DataFrame) -> list[Measured]:
    """The inverse of `fractions_table`, metrics and queries in the order of the table."""
    return [_from_part(part) for part in table.partition_by("metric", maintain_order=True)]


def _from_part(part: pl.DataFrame) -> Measured:
    reason = part.select(pl.coalesce("undefined", "error:" + pl.col("errored")).alias("reason"))["reason"]
    absences = tuple(reason.drop_nulls().unique(maintain_order=True).to_list())
    code = {name: index for index, name in enumerate(absences, start=1)}
    state = np.array([0 if name is None else code[name] for name in reason], dtype=np.uint8)
    numerator, denominator = (part[name].fill_null(0.0).to_numpy() for name in ("numerator", "denominator"))
    return Measured(find(part["metric"][0]), Fractions(numerator, denominator, state, absences))
