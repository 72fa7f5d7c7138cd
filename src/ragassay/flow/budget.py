"""What a run may take of calls, tokens and money: reserved before every try, settled after it."""

import asyncio
from typing import NamedTuple

from ragassay.flow.limits import Ceiling, Spend, Spent
from ragassay.records import Fault, FaultyInput

_PARTS = 1_000_000_000
"""Money is counted in whole billionths: sums of floats would make a limit depend on the order of the calls."""
_BEYOND_SENSE = 1e12


class RunStopped(Exception):
    """The run cannot go on. What was saved stays; the same run may be continued later."""


class CredentialsRefused(RunStopped):
    """The server does not accept who asks, so that no call to it can succeed."""


class BudgetSpent(RunStopped):
    """The next try does not fit under the ceiling.

    `limit` is `calls`, `tokens` or `cost`; `ceiling`, `spent` and what the next try `needed` are in its unit.
    """

    def __init__(self, limit: str, ceiling: float, spent: float, needed: float) -> None:
        super().__init__(f"the budget is spent: {limit} {spent:g} of {ceiling:g}, and the next try needs {needed:g}")
        self.limit = limit
        self.ceiling = ceiling
        self.spent = spent
        self.needed = needed


class Reservation(NamedTuple):
    """What is set aside for one try; `cost` in billionths."""

    calls: int
    tokens: int
    cost: int


class Budget:
    """One purse for all the flows of a run.

    Nothing exceeds the ceiling as long as nothing costs more than was expected of it: a try begins only where what is
    spent, what is set aside for tries in flight, and its own expectation fit together.
    """

    def __init__(self, ceiling: Ceiling | None = None) -> None:
        """Raises `FaultyInput` for every limit that is no number of 0 or more."""
        ceiling = ceiling or Ceiling()
        named = zip(Reservation._fields, (ceiling.calls, ceiling.tokens, ceiling.cost), strict=True)
        if faults := [_no_limit(name, most) for name, most in named if most is not None and _known(most) is None]:
            raise FaultyInput(faults)
        cost = None if ceiling.cost is None else _parts(ceiling.cost)
        self._ceiling = (ceiling.calls, ceiling.tokens, cost)
        self._spent = Reservation(0, 0, 0)
        self._reserved = Reservation(0, 0, 0)
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def spent(self) -> Spent:
        calls, tokens, cost = self._spent
        return Spent(calls, tokens, cost / _PARTS)

    async def reserve(self, expected: Spend) -> Reservation:
        """Set aside what a try is expected to take.

        Where it does not fit, tries in flight are awaited: they may take less than was set aside for them. Raises
        `BudgetSpent` when it does not fit and nothing is in flight, so that stopping loses nothing that was paid for;
        `FaultyInput` where a ceiling stands on what is not known in advance.
        """
        wanted = self._wanted(expected)
        while (short := self._short(wanted)) is not None:
            if not self._reserved.calls:
                raise self._refusal(short, wanted)
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
        self._reserved = _sum(self._reserved, wanted)
        return wanted

    def settle(self, reserved: Reservation, real: Spend) -> None:
        """Replace what was set aside by what was taken; what is unknown counts as expected."""
        self._reserved = _sum(self._reserved, reserved, sign=-1)
        tokens = reserved.tokens if (found := _known(real.tokens)) is None else int(found)
        cost = reserved.cost if (found := _known(real.cost)) is None else _parts(found)
        self._spent = _sum(self._spent, Reservation(reserved.calls, tokens, cost))
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)

    def _wanted(self, expected: Spend) -> Reservation:
        known = (1, _known(expected.tokens), _known(expected.cost))
        faults = [
            _unbounded(name)
            for name, most, needed in zip(Reservation._fields, self._ceiling, known, strict=True)
            if most is not None and needed is None
        ]
        if faults:
            raise FaultyInput(faults)
        return Reservation(1, int(known[1] or 0), _parts(known[2] or 0.0))

    def _short(self, wanted: Reservation) -> int | None:
        """The limit that does not hold with `wanted`, by its place."""
        taken = _sum(_sum(self._spent, self._reserved), wanted)
        return next((at for at, most in enumerate(self._ceiling) if most is not None and taken[at] > most), None)

    def _refusal(self, short: int, wanted: Reservation) -> BudgetSpent:
        parts = _PARTS if short == 2 else 1
        most = self._ceiling[short] or 0
        name = Reservation._fields[short]
        return BudgetSpent(name, most / parts, self._spent[short] / parts, wanted[short] / parts)


def _sum(left: Reservation, right: Reservation, sign: int = 1) -> Reservation:
    return Reservation(left[0] + sign * right[0], left[1] + sign * right[1], left[2] + sign * right[2])


def _parts(cost: float) -> int:
    return round(cost * _PARTS)


def _known(value: float | None) -> float | None:
    """What a server says that it used is not to be trusted: below 0 or beyond all sense, it is unknown."""
    return value if value is not None and 0 <= value <= _BEYOND_SENSE else None


def _no_limit(name: str, value: float) -> Fault:
    return Fault(
        code="faulty_ceiling",
        message="this is no limit",
        field=name,
        value=str(value),
        expected="0 or more",
        remedy="change it, or leave it out",
    )


def _unbounded(name: str) -> Fault:
    return Fault(
        code="unbounded_spend",
        message="what a call takes is not known in advance, so that this limit cannot hold",
        field=name,
        expected="the most that one call may take",
        remedy="state it, and for a limit on money the price too, in a TOML of system or judge; or leave the limit out",
    )
