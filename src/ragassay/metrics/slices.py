"""Slices: one mean hides a broken part, so every number is also counted on the parts."""

from collections.abc import Collection

import numpy as np
import polars as pl

from ragassay.metrics.ranking import Bools

AXES = ("language", "task", "severity", "difficulty")


def is_asked(label: str, by: Collection[str]) -> bool:
    """Whether `language=ru` is among what people name: slices, or axes such as `language`."""
    return label in by or label.partition("=")[0] in by


def slices(queries: pl.DataFrame) -> dict[str, Bools]:
    """Label → member queries (n,), for every axis and value that occurs: `critical=yes`, `language=ru`, `slice=table`.

    The critical and the refusal slice come first and are there even when empty.
    """
    found: dict[str, Bools] = {
        "critical=yes": queries["critical"].to_numpy(),
        "answerable=no": (~queries["answerable"]).fill_null(False).to_numpy(),
        "answerable=yes": queries["answerable"].fill_null(False).to_numpy(),
    }
    for axis in AXES:
        for value in sorted(queries[axis].drop_nulls().unique().to_list()):
            found[f"{axis}={value}"] = (queries[axis] == value).fill_null(False).to_numpy()
    for value in sorted(queries["slices"].explode(empty_as_null=True).drop_nulls().unique().to_list()):
        found[f"slice={value}"] = queries["slices"].list.contains(value).fill_null(False).to_numpy()
    return {label: np.asarray(members, dtype=np.bool_) for label, members in found.items()}
