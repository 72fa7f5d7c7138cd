"""How far a server is trusted with calls and time, a run with money, and what one call takes of it."""

from math import isfinite
from typing import NamedTuple

from msgspec import Struct

from ragassay.records import Fault


class Limits(Struct, frozen=True, kw_only=True):
    """How one server is called.

    `concurrency` is the most calls in flight at once, `tries` the most requests for one call. `timeout` is in seconds
    for one try; `deadline` in seconds for one call from its first try on, with every further try and wait.
    """

    concurrency: int = 16
    tries: int = 4
    timeout: float = 60.0
    deadline: float = 180.0


class Ceiling(Struct, frozen=True, kw_only=True):
    """The most that a run may take. Every try is a call. `cost` is in the currency of the prices; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


class Spend(NamedTuple):
    """What one try takes, or is expected to take: tokens in and out together, and money. None is unknown."""

    tokens: int | None = None
    cost: float | None = None


class Spent(NamedTuple):
    """What a run has taken so far, as it counts against the ceiling: a spend that nobody knows counts as expected."""

    calls: int
    tokens: int
    cost: float


UNKNOWN = Spend()
NOTHING = Spend(0, 0.0)


def faults_of(limits: Limits) -> list[Fault]:
    """Everything that is wrong with the limits."""
    checks = (
        ("concurrency", limits.concurrency, limits.concurrency >= 1, "1 or more"),
        ("tries", limits.tries, limits.tries >= 1, "1 or more"),
        ("timeout", limits.timeout, limits.timeout > 0 and isfinite(limits.timeout), "seconds above 0"),
        ("deadline", limits.deadline, limits.timeout <= limits.deadline < float("inf"), "seconds, timeout or more"),
    )
    return [
        Fault(
            code="faulty_limits",
            message="a server cannot be called within these limits",
            field=field,
            value=str(value),
            expected=expected,
            remedy="change it, or leave it out",
        )
        for field, value, holds, expected in checks
        if not holds
    ]
