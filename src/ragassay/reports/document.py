"""A run as one strict JSON document, the same bytes for the same run."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec
import polars as pl

from ragassay.records import Cause, Estimate, Run
from ragassay.records.verdict import Verdict

_ENCODER = msgspec.json.Encoder(order="sorted")


def render_json(run: Run, fractions: pl.DataFrame, verdict: Verdict | None = None) -> bytes:
    """The whole run: aggregates, slices, every query, warnings.

    `fractions` has the columns metric (with its version), query, numerator, denominator, undefined, errored. Keys are
    sorted; NaN and infinity cannot occur, what has no value is null and says why.
    """
    document: dict[str, Any] = {
        "run": run.id,
        "card": run.card,
        "metrics": _estimates(run.summary.metrics),
        "slices": {label: _estimates(estimates) for label, estimates in run.summary.slices.items()},
        "findings": run.findings,
        "warnings": run.notices,
        "not_shown": run.not_shown,
        "verdict": verdict,
    }
    built = msgspec.to_builtins(document, str_keys=True)
    built["queries"] = list(_queries(fractions, {each.query: each.cause for each in run.findings.failed}))
    return _ENCODER.encode(built)


def _estimates(estimates: Mapping[str, Estimate]) -> dict[str, dict[str, Any]]:
    """Every field but the name, which is the key."""
    fields = [field for field in Estimate.__struct_fields__ if field != "metric"]
    return {name: {field: getattr(each, field) for field in fields} for name, each in estimates.items()}


def _queries(fractions: pl.DataFrame, causes: Mapping[str, Cause]) -> Iterator[msgspec.Raw]:
    """Queries in order of their ids, each with its measurements and why it failed, where it did.

    Each is encoded at once: as objects, twenty thousand queries take gigabytes.
    """
    columns = ("query", "metric", "numerator", "denominator", "undefined", "errored")
    rows = fractions.select(columns).sort("query", maintain_order=True).iter_rows()
    for query, found in groupby(rows, key=itemgetter(0)):
        metrics = {unversioned(metric): _measurement(*measured) for _, metric, *measured in found}
        yield msgspec.Raw(_ENCODER.encode({"query": query, "metrics": metrics, "cause": causes.get(query)}))


def _measurement(
    numerator: float | None, denominator: float | None, undefined: str | None, errored: str | None
) -> dict[str, Any]:
    if numerator is not None:
        return {"numerator": numerator, "denominator": denominator}
    return {"errored": errored} if errored is not None else {"undefined": undefined}


def unversioned(identity: str) -> str:
    """`recall@10:v1` → `recall@10`, the name under which a summary holds it."""
    name, separator, version = identity.rpartition(":v")
    return name if separator and version.isdecimal() else identity
