"""A policy: which numbers a run must reach, where, and how sure one must be. People choose it before the run."""

from typing import Literal

from msgspec import Struct

Basis = Literal["estimate", "bound"]


class Gate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One question to a run, in the unit of the metric.

    `at_least` or `at_most` is the gate that catches a regression, `target` what production needs; where only `target`
    is set, the gate is the same. Instead of both, `no_worse_by` is a margin against the baseline. `slice`
    (`language=ru`) restricts the queries, `stage` names the stage of the policy's roadmap. A gate that sets nothing
    asks only whether the metric was measured.
    """

    metric: str
    at_least: float | None = None
    at_most: float | None = None
    target: float | None = None
    no_worse_by: float | None = None
    on: Basis = "estimate"
    slice: str | None = None
    stage: str | None = None

    @property
    def threshold(self) -> float | None:
        """What must be reached for the gate to pass; None for one against the baseline."""
        return next((limit for limit in (self.at_least, self.at_most, self.target) if limit is not None), None)


class Policy(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`coverage` is the least share of measurable queries that must have been measured. `critical`: any critical query
    that fails blocks. `require` names metrics whose absence leaves the verdict undecided. `stages` are in order: a
    later one is not evaluated until the earlier one passed. `preset` says where thresholds come from that nobody set.
    """

    name: str
    version: str = "1"
    preset: str | None = None
    coverage: float = 0.95
    level: float = 0.95
    critical: bool = True
    gates: tuple[Gate, ...] = ()
    require: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
