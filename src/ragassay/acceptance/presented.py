"""What the controls look at, and how a check is made of it."""

import polars as pl
from msgspec import Struct

from ragassay.matrices import Matrices
from ragassay.metrics.dictionary import find
from ragassay.records import Answer, GateResult, Policy, Query, Run
from ragassay.records.acceptance import Approval, Check, Shown
from ragassay.records.verdict import Verdict

COVERAGE = 0.95
"""The share that must have been judged where no policy says another."""
NAMED = 5
"""How many ids or names a sentence holds; the linked file has all."""


class Presented(Struct, frozen=True, kw_only=True):
    """A run as it is stored, and what else was handed in with it.

    `verdict` is that of `policy` on the run, compared with `baseline` where one is given; all three may be missing.
    `disputes` holds the query of everything that people should still decide. `approval` is what a person signed.
    """

    run: Run
    matrices: Matrices
    fractions: pl.DataFrame
    queries: tuple[Query, ...]
    answers: tuple[Answer, ...]
    disputes: tuple[str, ...] = ()
    policy: Policy | None = None
    verdict: Verdict | None = None
    baseline: Run | None = None
    approval: Approval | None = None

    @property
    def floor(self) -> float:
        return COVERAGE if self.policy is None else self.policy.coverage

    def noticed(self, *codes: str) -> dict[str, int]:
        """How often each of these notices was given, the ones that were not given left out."""
        return {each.code: each.count for each in self.run.notices if each.code in codes}


def check(
    name: str, states: str, outcome: Shown, found: str, needed: str | None = None, links: tuple[str, ...] = ()
) -> Check:
    """A check; one that is met needs nothing more."""
    return Check(
        name=name,
        states=states,
        outcome=outcome,
        found=found,
        needed=None if outcome == "met" else needed,
        links=links,
    )


def together(outcomes: list[Shown]) -> Shown:
    """One contrary outcome decides; without one, everything must be met, and there must be something."""
    if "not_met" in outcomes:
        return "not_met"
    return "met" if outcomes and set(outcomes) == {"met"} else "not_shown"


def estimate_link(metric: str) -> str:
    """Where `run.json` holds the estimate of a metric."""
    return f"run.json#/summary/metrics/{metric.replace('~', '~0').replace('/', '~1')}"


def gates_of(presented: Presented, metric: str) -> list[tuple[int, GateResult]]:
    """The gates that set a limit to a metric over all queries, with their places in the verdict."""
    gates = () if presented.verdict is None else presented.verdict.gates
    return [
        (place, result)
        for place, result in enumerate(gates)
        if result.gate.slice is None and result.gate.threshold is not None and _identity(result.gate.metric) == metric
    ]


def _identity(metric: str) -> str | None:
    try:
        return find(metric).id
    except ValueError:
        return None


def some(names: list[str]) -> str:
    """The first names, and how many more there are."""
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest:,} more" if rest > 0 else "")


def plural(count: int, singular: str, many: str) -> str:
    return f"{count:,} {singular if count == 1 else many}"
