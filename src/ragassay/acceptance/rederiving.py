"""Everything that a run says, counted again from its stored matrices and compared with what is stored."""

import math
from collections.abc import Iterator, Mapping
from typing import cast

import msgspec
import numpy as np
import polars as pl

from ragassay.causes import failures
from ragassay.dataset import run_id
from ragassay.matrices import Matrices
from ragassay.metrics.aggregation import Measured, Sampling
from ragassay.metrics.dictionary import find
from ragassay.metrics.evidence import gather
from ragassay.metrics.findings import findings
from ragassay.metrics.summary import summarise
from ragassay.metrics.table import SCHEMA, fractions_table
from ragassay.records import Estimate, Run

FRACTIONS = "fractions.parquet"
CLOSE = 1e-9
"""Two machines may add the same floats in another order."""


def departures(run: Run, matrices: Matrices, fractions: pl.DataFrame) -> list[str]:
    """What is stored and does not follow from the matrices, as JSON pointers into `run.json` or names of files.

    Raises ValueError where a metric is not known here in the version that the run names.
    """
    card = run.card
    evidence = gather(matrices, card.ties)
    chosen = [find(identity) for identity in card.metrics]
    measured = [Measured(choice, choice.metric.measure(evidence, choice)) for choice in chosen]
    again = summarise(measured, matrices.queries, Sampling(card.seed, card.resamples, card.level))
    found = msgspec.structs.replace(findings(evidence), failed=failures(evidence, max(card.k)))
    return [
        *([] if run_id(card) == run.id else ["run.json#/id"]),
        *([] if _is_same_table(fractions, fractions_table(measured, matrices.queries["query"])) else [FRACTIONS]),
        *_differing("run.json#/summary/metrics", run.summary.metrics, again.metrics),
        *_slices(run.summary.slices, again.slices),
        *_differing("run.json#/findings", msgspec.structs.asdict(run.findings), msgspec.structs.asdict(found)),
    ]


def _slices(stored: Mapping[str, Mapping[str, Estimate]], again: Mapping[str, Mapping[str, Estimate]]) -> Iterator[str]:
    for label in sorted(stored.keys() | again.keys()):
        place = f"run.json#/summary/slices/{label}"
        yield from _differing(place, stored.get(label, {}), again.get(label, {}))


def _differing(place: str, stored: Mapping[str, object], again: Mapping[str, object]) -> Iterator[str]:
    for name in sorted(stored.keys() | again.keys()):
        if name not in stored or name not in again or not _is_close(_decoded(stored[name]), _decoded(again[name])):
            yield f"{place}/{name}"


def _decoded(value: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(value))


def _is_close(one: object, other: object) -> bool:
    """Whether two decoded JSON values are the same, numbers up to how floats add."""
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = cast("dict[str, object]", one), cast("dict[str, object]", other)
        return left.keys() == right.keys() and all(_is_close(left[key], right[key]) for key in left)
    if isinstance(one, list) and isinstance(other, list):
        former, latter = cast("list[object]", one), cast("list[object]", other)
        return len(former) == len(latter) and all(map(_is_close, former, latter))
    if isinstance(one, float | int) and isinstance(other, float | int) and type(one) is not bool:
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    return one == other


def _is_same_table(stored: pl.DataFrame, again: pl.DataFrame) -> bool:
    """Whether both say the same of every metric and query; what the stored one says beyond that is not compared."""
    if not SCHEMA.keys() <= set(stored.columns) or len(stored) != len(again):
        return False
    order = ["metric", "query"]
    one, other = (table.select(*SCHEMA).sort(order) for table in (stored, again))
    words = ["metric", "query", "undefined", "errored"]
    if not one.select(words).equals(other.select(words)):
        return False
    for name in ("numerator", "denominator"):
        left, right = one[name], other[name]
        if not (left.is_null() == right.is_null()).all():
            return False
        if not np.allclose(left.drop_nulls().to_numpy(), right.drop_nulls().to_numpy(), rtol=CLOSE, atol=CLOSE):
            return False
    return True
