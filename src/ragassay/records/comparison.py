"""Two runs beside each other: what may be compared, and what changed."""

from typing import Literal

from msgspec import Struct

from ragassay.records.measurement import Interval


class Mismatch(Struct, frozen=True, kw_only=True):
    """A field of the two cards that differs. `refuses`: no difference is given for the `metrics` (all where empty)."""

    field: str
    baseline: str
    candidate: str
    refuses: bool
    message: str
    metrics: tuple[str, ...] = ()


class Difference(Struct, frozen=True, kw_only=True):
    """One metric on one slice (None: all queries), on the queries that both runs measured.

    `difference` is candidate less baseline. `p` is two-sided; `adjusted` is Holm's over the gating metrics where this
    one gates, else Benjamini and Hochberg's. `unpaired` counts the queries left out, by reason.
    """

    metric: str
    slice: str | None
    baseline: float | None
    candidate: float | None
    difference: float | None
    interval: Interval | None
    test: Literal["mcnemar", "sign_flip", "none"]
    p: float | None
    adjusted: float | None
    gates: bool
    n: int
    wins: int
    ties: int
    losses: int
    unpaired: dict[str, int] = {}


class Change(Struct, frozen=True, kw_only=True):
    """A query that one metric calls better or worse than before."""

    query: str
    metric: str
    baseline: float
    candidate: float


class Comparison(Struct, frozen=True, kw_only=True):
    """`override` is the reason for comparing in spite of what refuses. `regressed` is worst first.

    `causes` maps cause before → cause after → queries; `none` stands for a query that did not fail.
    """

    baseline: str
    candidate: str
    mismatches: tuple[Mismatch, ...]
    override: str | None
    differences: tuple[Difference, ...]
    regressed: tuple[Change, ...]
    improved: tuple[Change, ...]
    causes: dict[str, dict[str, int]] = {}
