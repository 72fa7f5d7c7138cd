"""The summary of a run: estimates over all queries and over every slice."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from ragassay.metrics.aggregation import Measured, Sampling, estimates
from ragassay.metrics.slices import slices
from ragassay.records import Summary


def summarise(measured: Sequence[Measured], queries: pl.DataFrame, sampling: Sampling) -> Summary:
    """Estimates over all queries and over every slice."""
    excluded = queries["excluded"].to_list()
    everyone = np.ones(len(queries), dtype=np.bool_)
    parts = slices(queries)
    return Summary(
        metrics=estimates(measured, everyone, excluded, sampling),
        slices={label: estimates(measured, members, excluded, sampling) for label, members in parts.items()},
    )
