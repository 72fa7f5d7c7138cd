"""Laws of flow control, under any server, any order of failures, any limits, and cancellation at any moment."""

import asyncio
import random
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from served_virtually import flow_to
from virtual_time import now, run_virtually

from ragassay.flow import (
    NOTHING,
    UNKNOWN,
    Again,
    Budget,
    BudgetSpent,
    Ceiling,
    Done,
    Flow,
    Limits,
    Once,
    RunStopped,
    ServerDown,
    Spend,
)
from ragassay.records import Failure

few = settings(max_examples=25, deadline=None)
EXPECTED = Spend(100, 1.0)
limits = st.builds(
    Limits,
    concurrency=st.integers(1, 20),
    tries=st.integers(1, 5),
    timeout=st.sampled_from([0.5, 5.0]),
    deadline=st.sampled_from([5.0, 20.0, 200.0]),
)
ceilings = st.builds(
    Ceiling,
    calls=st.none() | st.integers(0, 60),
    tokens=st.none() | st.integers(0, 6_000),
    cost=st.none() | st.floats(0, 60),
)


class Server(NamedTuple):
    """How often what happens, in a server that otherwise answers."""

    seed: int
    busy: float
    broken: float
    hangs: float
    rejects: float
    asks: float


shares = st.sampled_from([0.0, 0.05, 0.3, 1.0])
servers = st.builds(Server, st.integers(0, 2**32), shares, shares, shares, shares, shares)


class Ledger:
    """What the server itself saw."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.draw = random.Random(server.seed)
        self.in_flight = self.most = self.begun = self.answered = 0
        self.set_aside = 0
        self.closed_until = 0.0
        self.too_early = 0
        self.tokens = self.cost = 0.0

    async def __call__(self) -> Any:
        self.begun += 1
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        self.too_early += now() < self.closed_until
        try:
            await asyncio.sleep(self.draw.choice([0.0, 0.01, 0.2, 1.0]))
            return await self._reply()
        finally:
            self.in_flight -= 1

    async def _reply(self) -> Any:
        draw, server = self.draw, self.server
        if draw.random() < server.hangs:
            await asyncio.sleep(1e6)
        if draw.random() < server.busy:
            after = draw.choice([0.1, 3.0]) if draw.random() < server.asks else None
            if after is not None:
                self.closed_until = max(self.closed_until, now() + after)
            return Again(Failure(error="busy"), after=after, overload=True, spend=NOTHING)
        if draw.random() < server.broken:
            return Again(Failure(error="broken"), spend=draw.choice([UNKNOWN, NOTHING, Spend(50, 0.5)]))
        if draw.random() < server.rejects:
            return Failure(error="rejected")
        self.answered += 1
        real = draw.choice([UNKNOWN, EXPECTED, Spend(draw.randrange(100), draw.random())])
        self.tokens += 100 if real.tokens is None else real.tokens
        self.cost += 1.0 if real.cost is None else real.cost
        return Done(self.answered, real)


class Seen(NamedTuple):
    outcomes: list[Any]
    flow: Flow
    budget: Budget
    ledger: Ledger


def run(server: Server, limits: Limits, ceiling: Ceiling, calls: int, cancels: float = 0.0) -> Seen:
    async def main() -> Seen:
        ledger, budget = Ledger(server), Budget(ceiling)
        flow = flow_to(limits, budget, seed=server.seed)
        tasks = [asyncio.create_task(flow.call(ledger, EXPECTED)) for _ in range(calls)]
        if cancels:
            for task in ledger.draw.sample(tasks, calls // 2):
                asyncio.get_running_loop().call_later(ledger.draw.uniform(0, cancels), task.cancel)
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        return Seen(outcomes, flow, budget, ledger)

    return run_virtually(main())


@few
@given(servers, limits, ceilings, st.integers(1, 80), st.sampled_from([0.0, 2.0, 30.0]))
def test_never_more_in_flight_than_the_limit_and_nothing_is_left(server, limits, ceiling, calls, cancels):
    seen = run(server, limits, ceiling, calls, cancels)
    assert seen.ledger.most <= limits.concurrency
    assert (seen.ledger.in_flight, seen.flow.counters().in_flight) == (0, 0)


@few
@given(servers, limits, ceilings, st.integers(1, 80), st.sampled_from([0.0, 2.0, 30.0]))
def test_the_budget_holds_whatever_happens(server, limits, ceiling, calls, cancels):
    seen = run(server, limits, ceiling, calls, cancels)
    spent = seen.budget.spent
    assert spent.calls == seen.ledger.begun
    assert ceiling.calls is None or spent.calls <= ceiling.calls
    assert ceiling.tokens is None or spent.tokens <= ceiling.tokens
    assert ceiling.cost is None or spent.cost <= ceiling.cost + 1e-9
    assert spent.tokens >= seen.ledger.tokens - 1e-6
    assert spent.cost >= seen.ledger.cost - 1e-6


@few
@given(servers, limits, ceilings, st.integers(1, 80), st.sampled_from([0.0, 2.0, 30.0]))
def test_every_call_has_one_outcome_and_every_reply_reaches_its_caller(server, limits, ceiling, calls, cancels):
    seen = run(server, limits, ceiling, calls, cancels)
    kinds = (int, Failure, RunStopped, *([asyncio.CancelledError] if cancels else []))
    assert len(seen.outcomes) == calls
    assert all(isinstance(outcome, kinds) for outcome in seen.outcomes)
    values = [outcome for outcome in seen.outcomes if isinstance(outcome, int)]
    assert len(values) == len(set(values))
    if not cancels:
        assert len(values) == seen.ledger.answered


@few
@given(servers, limits, st.integers(1, 80))
def test_tries_are_bounded(server, limits, calls):
    seen = run(server, limits, Ceiling(), calls)
    counters = seen.flow.counters()
    assert counters.calls + counters.retries >= seen.ledger.begun
    assert seen.ledger.begun <= counters.calls * limits.tries
    assert counters.calls <= calls
    if not (server.busy or server.hangs):
        assert counters.retries <= 20 + 0.5 * counters.calls + 1


@few
@given(servers, limits, st.integers(1, 80))
def test_nobody_asks_before_the_server_said(server, limits, calls):
    """Tries that were in flight when it said so are beyond recall; no other begins."""
    assert run(server, limits, Ceiling(), calls).ledger.too_early == 0


@few
@given(servers, limits, ceilings, st.integers(1, 80))
def test_a_run_stops_only_for_a_reason(server, limits, ceiling, calls):
    seen = run(server, limits, ceiling, calls)
    unlimited = ceiling == Ceiling()
    assert not (unlimited and any(isinstance(outcome, BudgetSpent) for outcome in seen.outcomes))
    if not (server.busy or server.hangs):
        assert not any(isinstance(outcome, ServerDown) for outcome in seen.outcomes)


@few
@given(servers, limits, ceilings, st.integers(1, 40))
def test_the_same_chances_give_the_same_run(server, limits, ceiling, calls):
    first, second = (run(server, limits, ceiling, calls) for _ in range(2))
    assert [str(outcome) for outcome in first.outcomes] == [str(outcome) for outcome in second.outcomes]
    assert first.flow.counters() == second.flow.counters()


@few
@given(limits, st.integers(1, 6))
def test_concurrency_falls_under_overload_and_recovers(limits, takes):
    """A server that takes a few at once: afterwards, healthy, it gets as many as the limit allows."""
    among = 0

    async def crowded():
        nonlocal among
        among += 1
        try:
            await asyncio.sleep(0.1)
            return Done("fine", NOTHING) if among <= takes else Again(Failure(error="busy"), overload=True)
        finally:
            among -= 1

    async def healthy():
        await asyncio.sleep(0.1)
        return Done("fine", NOTHING)

    async def main():
        flow = flow_to(limits)
        await asyncio.gather(*(flow.call(crowded, NOTHING) for _ in range(50)), return_exceptions=True)
        during = flow.counters().concurrency
        await asyncio.gather(*(flow.call(healthy, NOTHING) for _ in range(400)), return_exceptions=True)
        return during, flow.counters().concurrency

    during, after = run_virtually(main())
    assert during <= max(2 * takes, (limits.concurrency + 1) // 2)
    assert after == limits.concurrency


@few
@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 3), st.booleans(), st.floats(0, 3)), max_size=30))
def test_identical_requests_are_never_asked_twice_at_a_time(asks):
    """An ask is `(key, at, cancelled, after)`: whoever is not cancelled gets the value, made once at a time."""
    making: dict[int, int] = {}
    twice: list[int] = []

    async def make(key: int) -> int:
        making[key] = making.get(key, 0) + 1
        twice.extend([key] if making[key] > 1 else [])
        try:
            await asyncio.sleep(1.0)
        finally:
            making[key] -= 1
        return key

    async def main():
        once = Once[int]()

        async def ask(key: int, at: float) -> int:
            await asyncio.sleep(at)
            return await once(key, lambda: make(key))

        tasks = [asyncio.create_task(ask(key, at)) for key, at, _, _ in asks]
        for task, (_, _, cancelled, after) in zip(tasks, asks, strict=True):
            if cancelled:
                asyncio.get_running_loop().call_later(after, task.cancel)
        return await asyncio.gather(*tasks, return_exceptions=True)

    outcomes = run_virtually(main())
    for outcome, (key, _, cancelled, _) in zip(outcomes, asks, strict=True):
        assert outcome == key or (cancelled and isinstance(outcome, asyncio.CancelledError))
    assert not twice
    assert not any(making.values())
