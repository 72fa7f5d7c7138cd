"""A contract tried on a run that was recorded without it: what it would have stopped, and what that would have done."""

from typing import Literal

from msgspec import Struct

from ragassay.records.answer import ScoreKind
from ragassay.records.contract import Stage
from ragassay.records.run import Notice

Effect = Literal["rightly", "wrongly", "unchanged", "undetermined"]
"""What a stop would do to one query. `rightly`: it prevents a bad answer. `wrongly`: it withholds a correct one.
`unchanged`: the system gave no answer by itself. `undetermined`: nobody knows whether the answer is correct."""


class Part(Struct, frozen=True, kw_only=True):
    """`count` of `n` queries with the Wilson interval of the share; without queries there is neither."""

    count: int
    n: int
    share: float | None
    interval: tuple[float, float] | None


class RemovedPassages(Struct, frozen=True, kw_only=True):
    """Passages that a contract takes out for one reason, and in how many queries; one passage counts in each query."""

    reason: str
    passages: int
    queries: int


class StageTrial(Struct, frozen=True, kw_only=True):
    """What one stage would have stopped; `stage` None: all stages together.

    `reached` counts the queries that came this far, `decided` those of them that had everything which the stage
    compares; `undecided` counts the rest by what is missing: they are stopped only where nothing was left. `effects`
    holds, per effect, how many of all tried queries of that effect were stopped here, so that the stages add up.
    `queries` names them, critical ones first, then by severity; `reasons` counts them by reason.
    """

    stage: Stage | None
    reached: int
    decided: int
    stopped: int
    effects: dict[Effect, Part]
    queries: dict[Effect, tuple[str, ...]]
    reasons: dict[str, int]
    undecided: dict[str, int]


class Point(Struct, frozen=True, kw_only=True):
    """One threshold: how many queries it stops, bad answers prevented of all bad, false refusals of all good."""

    threshold: float
    stopped: int
    prevented: Part
    refused: Part


class Choice(Struct, frozen=True, kw_only=True):
    """The threshold that prevents most bad answers while false refusals are estimated at `limit` or less.

    `reason` None recommends it, else it says why not; `threshold` None: there was none to choose. `is_held_out`: it was
    chosen on `chosen_on` queries, and `prevented` and `refused` are those of the others; else both are of the same
    queries and look better than they are.
    """

    limit: float
    threshold: float | None
    reason: str | None
    is_held_out: bool
    chosen_on: int
    reported_on: int
    prevented: Part | None
    refused: Part | None


class Curve(Struct, frozen=True, kw_only=True):
    """A number swept from lax to strict over its observed values, alone: what the other thresholds stop is not in it.

    `n` queries reach it; `without` of them have no value and are stopped by every threshold, because nothing was found.
    `name` is `score`, `context_sufficiency` or `context_relevancy`; only a score has a `kind`.
    """

    name: str
    kind: ScoreKind | None
    at_most: bool
    n: int
    without: int
    points: tuple[Point, ...]
    choice: Choice


class Trial(Struct, frozen=True, kw_only=True):
    """A contract on the recorded retrievals of a run.

    `tried` counts queries, `effects` how many of them a stop would affect in which way. `untried` names the others by
    reason. `grades` says where the numbers of the context come from: `recorded`, the name of a judge, or None.
    """

    run: str
    contract: str
    version: str
    hash: str
    grades: str | None
    tried: int
    effects: dict[Effect, int]
    untried: dict[str, tuple[str, ...]]
    stages: tuple[StageTrial, ...]
    together: StageTrial
    removed: tuple[RemovedPassages, ...]
    curves: tuple[Curve, ...]
    not_swept: dict[str, str]
    notices: tuple[Notice, ...]
