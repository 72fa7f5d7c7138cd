"""What was decided, by which numbers, and why."""

from typing import Literal

from msgspec import Struct

from ragassay.records.measurement import Corrected, Interval
from ragassay.records.policy import Gate

Outcome = Literal["passed", "breached", "undecided", "not_evaluated"]


class GateResult(Struct, frozen=True, kw_only=True):
    """One gate. `value` is the plain estimate, or the difference for a gate against the baseline.

    `worst` and `best` are the same with answers that failed at their worst, and what could not be judged at its worst
    and at its best. `reason` is a word such as `no_rows`, `all_errors`, `all_undefined`, `low_coverage`,
    `not_comparable`, `not_shown`; `message` says the rest, with enough digits to see the difference.
    `corrected` is what labels make of the queries that a judge decided; where it is given, it decided the gate.
    `target_reached` None: no target was set, or nothing is known. `queries` are those to look at first.
    """

    gate: Gate
    outcome: Outcome
    value: float | None = None
    worst: float | None = None
    best: float | None = None
    interval: Interval | None = None
    n: int = 0
    coverage: float | None = None
    corrected: Corrected | None = None
    target_reached: bool | None = None
    reason: str | None = None
    message: str
    marks: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()


class Verdict(Struct, frozen=True, kw_only=True):
    """`outcome` is breached where any gate is, else undecided where any is or where nothing was gated, else passed.

    The policy is named with its hash, run and baseline by their ids, which are hashes, so that a verdict cannot be
    shown for anything else. `flags` warn about the policy itself.
    """

    policy: str
    policy_hash: str
    run: str
    baseline: str | None
    outcome: Literal["passed", "breached", "undecided"]
    gates: tuple[GateResult, ...]
    flags: tuple[str, ...] = ()
