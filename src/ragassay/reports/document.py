"""A run as one strict JSON document, the same bytes for the same run."""

from collections.abc import Mapping
from typing import Any

import msgspec
import polars as pl

from ragassay.records import Estimate, Run


def render_json(run: Run, fractions: pl.DataFrame) -> bytes:
    """The whole run: aggregates, slices, every query, warnings.

    `fractions` has the columns metric (with its version), query, numerator, denominator, undefined, errored. Keys are
    sorted; NaN and infinity cannot occur, what has no value is null and says why.
    """
    document = {
        "run": run.id,
        "card": run.card,
        "metrics": _estimates(run.summary.metrics),
        "slices": {label: _estimates(estimates) for label, estimates in run.summary.slices.items()},
        "queries": _queries(fractions),
        "findings": run.findings,
        "warnings": run.notices,
        "not_shown": run.not_shown,
        "verdict": None,
    }
    return msgspec.json.encode(msgspec.to_builtins(document, str_keys=True), order="sorted")


def _estimates(estimates: Mapping[str, Estimate]) -> dict[str, dict[str, Any]]:
    """Every field but the name, which is the key."""
    fields = [field for field in Estimate.__struct_fields__ if field != "metric"]
    return {name: {field: getattr(each, field) for field in fields} for name, each in estimates.items()}


def _queries(fractions: pl.DataFrame) -> list[dict[str, Any]]:
    """Queries in order of their ids, each with its measurements."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    columns = ("metric", "query", "numerator", "denominator", "undefined", "errored")
    for metric, query, numerator, denominator, undefined, errored in fractions.select(columns).iter_rows():
        found.setdefault(query, {})[unversioned(metric)] = _measurement(numerator, denominator, undefined, errored)
    return [{"query": query, "metrics": found[query], "cause": None} for query in sorted(found)]


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
