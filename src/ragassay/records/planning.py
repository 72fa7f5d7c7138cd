"""How many queries a difference needs, from what one or two runs show."""

from typing import Literal

from msgspec import Struct

from ragassay.records.comparison import Mismatch


class Wanted(Struct, frozen=True, kw_only=True):
    """The smallest difference that matters, the chance with which a test should show it, and its error level."""

    difference: float
    power: float
    alpha: float


class Need(Struct, frozen=True, kw_only=True):
    """One metric on one slice (None: all queries).

    `n` counts the queries with a value. `discordance` is the share of queries on which exactly one of two systems
    succeeds, where a 0/1 metric is tested by McNemar's test; `deviation` that of the differences of single queries,
    otherwise. `needed` is how many queries with a value the wanted difference takes; `detectable` the smallest
    difference for which `n` are enough, None where no difference is. With method `none` nothing is planned, and
    `reason` says why.
    """

    metric: str
    slice: str | None
    method: Literal["mcnemar", "paired", "none"]
    n: int
    discordance: float | None = None
    deviation: float | None = None
    needed: int | None = None
    detectable: float | None = None
    reason: str | None = None


class AtBest(Struct, frozen=True, kw_only=True):
    """What `n` critical queries show if every one of them passes: a rate of at least `shows`, None without any.

    `needed` maps a rate to the critical queries that must all pass to show it.
    """

    n: int
    shows: float | None
    needed: dict[str, int]


class Plan(Struct, frozen=True, kw_only=True):
    """`runs` are one or two ids. With two, pairs are observed; with one, a second system is assumed whose failures have
    nothing to do with those of the first.
    """

    runs: tuple[str, ...]
    wanted: Wanted
    mismatches: tuple[Mismatch, ...]
    needs: tuple[Need, ...]
    critical: AtBest
