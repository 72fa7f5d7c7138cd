"""A number and the two ways of not having one."""

from typing import Literal

from msgspec import Struct

Aggregation = Literal["macro", "micro", "count", "percentile"]
Interval = tuple[float | None, float | None]


class Measured(Struct, frozen=True, tag="measured"):
    """A fraction counted on one evidence matrix; `denominator` is above 0."""

    numerator: float
    denominator: float

    @property
    def value(self) -> float:
        return self.numerator / self.denominator


class Undefined(Struct, frozen=True, tag="undefined"):
    """There is nothing to measure, and this is why."""

    reason: str


class Errored(Struct, frozen=True, tag="errored"):
    """There was something to measure and it could not be obtained."""

    error: str


Measurement = Measured | Undefined | Errored


class Estimate(Struct, frozen=True, kw_only=True):
    """An aggregate with everything needed to believe or doubt it.

    `value` None means undefined for the whole set. `n` counts the queries with a defined value; `undefined` and
    `excluded` count the others by reason. `numerator` and `denominator` are the sums that `value` divides: over
    queries' values for macro, over queries' fractions for micro. `beside` holds the same measurement under its other
    aggregation, where the definition reports both. `method` names how the interval was made; an end of it is None
    where n is too small to bound it.
    """

    metric: str
    aggregation: Aggregation
    value: float | None
    interval: Interval | None
    method: str | None
    numerator: float
    denominator: float
    n: int
    undefined: dict[str, int]
    errored: int
    excluded: dict[str, int]
    beside: dict[str, float]

    @property
    def coverage(self) -> float | None:
        """The share of measurable queries that were measured; None where there was nothing to measure."""
        return self.n / (self.n + self.errored) if self.n + self.errored else None


class Corrected(Struct, frozen=True, kw_only=True):
    """What people would find on all queries, from a judge on all of them and people on a random part.

    `interval` has the level that was asked for, `variance` is that of `value`. `method` is `ppi++`, or `labels` where
    the judge adds nothing: then people alone are the estimate and `weight` is 0. `weight` is the λ of PPI++, 0 to 1;
    `correlation` is that of judge and people over the labelled queries, None where one of them never varies.
    `effective` is how many labels alone would give the same variance.
    """

    value: float
    interval: tuple[float, float]
    variance: float
    method: Literal["ppi++", "labels"]
    correlation: float | None
    weight: float
    effective: float
    labelled: int
    unlabelled: int
