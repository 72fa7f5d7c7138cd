import asyncio

import pytest
from virtual_time import now, run_virtually

from ragassay.flow import NOTHING, UNKNOWN, Budget, BudgetSpent, Ceiling, RunStopped, Spend
from ragassay.records import FaultyInput


def test_what_was_taken_replaces_what_was_set_aside():
    async def main():
        budget = Budget(Ceiling(tokens=100))
        reserved = await budget.reserve(Spend(80, 0.5))
        budget.settle(reserved, Spend(30, 0.1))
        return budget.spent

    assert run_virtually(main()) == (1, 30, 0.1)


@pytest.mark.parametrize("real", [UNKNOWN, Spend(-5, -0.1), Spend(10**15, float("nan")), Spend(10**15, float("inf"))])
def test_what_nobody_knows_counts_as_expected(real):
    async def main():
        budget = Budget()
        budget.settle(await budget.reserve(Spend(80, 0.5)), real)
        return budget.spent

    assert run_virtually(main()) == (1, 80, 0.5)


@pytest.mark.parametrize(
    ("ceiling", "limit", "spent", "needed"),
    [(Ceiling(calls=3), "calls", 3, 1), (Ceiling(tokens=35), "tokens", 30, 10), (Ceiling(cost=0.3), "cost", 0.3, 0.1)],
)
def test_a_try_that_does_not_fit_stops_the_run_and_says_why(ceiling, limit, spent, needed):
    async def main():
        budget = Budget(ceiling)
        for _ in range(3):
            budget.settle(await budget.reserve(Spend(10, 0.1)), UNKNOWN)
        await budget.reserve(Spend(10, 0.1))

    with pytest.raises(BudgetSpent) as stopped:
        run_virtually(main())
    assert isinstance(stopped.value, RunStopped)
    found = stopped.value
    assert (found.limit, found.spent, found.needed) == (limit, spent, needed)
    assert all(part in str(found) for part in (limit, f"{spent:g}", f"{needed:g}", f"{found.ceiling:g}"))


def test_a_ceiling_of_nothing_lets_nothing_through():
    async def main():
        await Budget(Ceiling(calls=0)).reserve(NOTHING)

    with pytest.raises(BudgetSpent):
        run_virtually(main())


def test_what_is_in_flight_is_awaited_before_the_run_is_stopped():
    async def main():
        budget = Budget(Ceiling(tokens=100))
        first = await budget.reserve(Spend(60, 0.0))
        asyncio.get_running_loop().call_later(3.0, budget.settle, first, Spend(10, 0.0))
        second = await budget.reserve(Spend(60, 0.0))
        waited = now()
        budget.settle(second, Spend(50, 0.0))
        with pytest.raises(BudgetSpent):
            await budget.reserve(Spend(60, 0.0))
        return waited, budget.spent.tokens

    assert run_virtually(main()) == (3.0, 60)


def test_a_limit_on_what_is_not_known_in_advance_is_a_fault():
    async def main():
        await Budget(Ceiling(tokens=100, cost=1.0)).reserve(UNKNOWN)

    with pytest.raises(FaultyInput) as found:
        run_virtually(main())
    assert [(fault.code, fault.field) for fault in found.value.faults] == [
        ("unbounded_spend", "tokens"),
        ("unbounded_spend", "cost"),
    ]


def test_every_faulty_limit_is_named_at_once():
    with pytest.raises(FaultyInput) as found:
        Budget(Ceiling(calls=-1, tokens=-5, cost=float("nan")))
    assert [fault.field for fault in found.value.faults] == ["calls", "tokens", "cost"]
