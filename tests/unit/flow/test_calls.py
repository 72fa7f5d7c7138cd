import asyncio
from itertools import pairwise

import pytest
from served_virtually import BROKEN, BUSY, REFUSED, Served, fine, flow_to, scripted
from virtual_time import now, run_virtually

from ragassay.flow import NOTHING, Again, Budget, BudgetSpent, Ceiling, Done, Flow, Limits, ServerDown, Spend
from ragassay.records import Failure, FaultyInput

COST = Spend(10, 0.1)
OK = Done("fine", COST)


def called(server, limits=None, budget=None, calls=1):
    async def main():
        flow = flow_to(limits, budget)
        values = await asyncio.gather(*(flow.call(server, COST) for _ in range(calls)))
        return values, flow.counters(), now()

    return run_virtually(main())


def test_a_healthy_server_is_as_fast_as_with_a_plain_semaphore():
    server = Served(fine)
    values, counters, took = called(server, calls=100)
    assert len(set(values)) == 100
    assert took == pytest.approx(7 * 0.2)
    assert server.most == 16
    assert counters == (0, 16, 100, 0, (100, 1_000, 10.0))


@pytest.mark.parametrize("passing", [BUSY, BROKEN, Again(REFUSED, after=0.0)])
def test_what_may_pass_is_tried_again(passing):
    server = Served(scripted(passing, passing, OK))
    values, counters, _ = called(server)
    assert values == ["fine"]
    assert (counters.calls, counters.retries, counters.in_flight) == (1, 2, 0)


def test_what_cannot_pass_is_not_tried_again():
    server = Served(scripted(REFUSED))
    assert called(server)[0] == [REFUSED]
    assert len(server.begun) == 1


def test_a_failure_that_was_paid_for_is_done():
    cut_off = Failure(error="judge_output_truncated")
    values, counters, _ = called(Served(scripted(Done(cut_off, Spend(7, 0.07)))))
    assert values == [cut_off]
    assert counters.spent == (1, 7, 0.07)


def test_the_last_failure_says_how_often_it_was_tried():
    (failure,), _, _ = called(Served(scripted(BROKEN)))
    assert failure == Failure(error="judge_unavailable", detail="HTTP 500; gave up after 4 of 4 tries")


def test_waits_double_between_no_wait_and_the_whole_wait():
    server = Served(scripted(BROKEN), latency=0.0)

    async def main(chance):
        flow = Flow("judge", Limits(tries=8, deadline=1_000.0), Budget(), clock=now, chance=lambda: chance)
        await flow.call(server, COST)

    run_virtually(main(1.0))
    waits = [round(later - sooner, 6) for sooner, later in pairwise(server.begun)]
    assert waits == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    server.begun.clear()
    run_virtually(main(0.0))
    assert server.begun == [0.0] * 8


def test_everyone_waits_as_the_server_asks():
    """The first try is told to come back in 30 seconds; nobody else begins before that, and not all at one moment."""
    server = Served(scripted(BUSY._replace(after=30.0), OK), latency=0.2)

    async def main():
        flow = flow_to(Limits(concurrency=8))
        first = asyncio.create_task(flow.call(server, COST))
        await asyncio.sleep(0.3)
        others = [flow.call(server, COST) for _ in range(4)]
        return await asyncio.gather(first, *others)

    assert run_virtually(main()) == ["fine"] * 5
    later = server.begun[1:]
    assert min(later) >= 30.2
    assert len(set(later)) > 1


def test_a_wait_beyond_the_deadline_ends_the_call_and_is_no_ones_wait():
    server = Served(scripted(BUSY._replace(after=3_600.0), OK))
    (first, second), _, took = called(server, Limits(concurrency=1), calls=2)
    assert (first.error, second) == ("judge_rate_limited", "fine")
    assert took < 1.0


@pytest.mark.parametrize("after", [float("nan"), -5.0, float("-inf")])
def test_a_wait_that_is_none_does_no_harm(after):
    values, _, took = called(Served(scripted(BUSY._replace(after=after), OK)))
    assert values == ["fine"]
    assert took < 1.0


def test_a_try_ends_in_time_and_a_call_by_its_deadline():
    server = Served(fine, latency=1e6)
    (failure,), counters, took = called(server, Limits(timeout=10.0, deadline=25.0))
    assert failure == Failure(error="judge_timeout", detail="no reply in 10 s; gave up after 3 of 4 tries")
    assert took == 25.0
    assert counters.spent == (3, 30, pytest.approx(0.3))


def test_the_wait_for_a_first_slot_has_no_deadline():
    values, _, took = called(Served(fine, latency=5.0), Limits(concurrency=1, timeout=6.0, deadline=6.0), calls=20)
    assert len(set(values)) == 20
    assert took == 100.0


def test_what_the_attempt_raises_is_raised():
    async def broken():
        raise TimeoutError("from within")

    async def main():
        flow = flow_to()
        with pytest.raises(TimeoutError, match="from within"):
            await flow.call(broken, COST)
        return flow.counters()

    counters = run_virtually(main())
    assert counters.in_flight == 0
    assert counters.spent == (1, 10, 0.1)


def test_a_server_that_is_down_stops_the_run():
    server = Served(scripted(BUSY), latency=0.01)

    async def main():
        flow = flow_to()
        return await asyncio.gather(*(flow.call(server, COST) for _ in range(500)), return_exceptions=True)

    outcomes = run_virtually(main())
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    stops = [outcome for outcome in outcomes if isinstance(outcome, ServerDown)]
    assert len(failures) >= 5
    assert len(failures) + len(stops) == 500
    assert len(server.begun) < 50
    assert stops[0].calls >= 5
    assert "judge_rate_limited: HTTP 429" in str(stops[0])


def test_one_bad_moment_does_not_stop_the_run():
    """With one try a call, all that were in flight together are lost; the server is there again right after."""
    server = Served(lambda number, among: BUSY if number <= 8 else OK)
    values, _, _ = called(server, Limits(tries=1), calls=30)
    assert [value == "fine" for value in values].count(True) == 22


def test_a_reply_now_and_then_keeps_the_run_alive():
    server = Served(lambda number, among: BROKEN if number % 5 == 0 else BUSY, latency=0.0)
    values, _, _ = called(server, Limits(tries=1, concurrency=1), calls=100)
    assert all(isinstance(value, Failure) for value in values)
    assert len(server.begun) == 100


def test_an_overload_gives_the_server_a_rest_that_is_forgotten_when_it_answers():
    busy_until = 6
    server = Served(lambda number, among: BUSY if number <= busy_until or number == 16 else OK, latency=0.0)

    async def main():
        flow = Flow("judge", Limits(concurrency=1, tries=20), Budget(), clock=now, chance=lambda: 1.0)
        await asyncio.gather(*(flow.call(server, COST) for _ in range(20)))

    run_virtually(main())
    waits = [round(later - sooner, 2) for sooner, later in pairwise(server.begun)]
    assert waits[:6] == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0]
    assert waits[15] == 0.5
    assert sum(waits) == 24.0


def test_others_rest_too_when_the_server_is_overloaded():
    server = Served(scripted(BUSY, OK), latency=0.0)

    async def main():
        flow = Flow("judge", Limits(concurrency=8), Budget(), clock=now, chance=lambda: 1.0)
        first = asyncio.create_task(flow.call(server, COST))
        await asyncio.sleep(0.1)
        await asyncio.gather(first, *(flow.call(server, COST) for _ in range(3)))

    run_virtually(main())
    assert len(server.begun) == 5
    assert min(server.begun[1:]) == 0.5


def test_a_clock_that_stands_still_ends_no_wait_twice():
    slept = []

    async def main():
        async def sleep(seconds):
            slept.append(seconds)

        flow = Flow("judge", Limits(), Budget(), clock=lambda: 0.0, sleep=sleep, chance=lambda: 0.0)
        return await flow.call(Served(scripted(BUSY._replace(after=30.0), OK), latency=0.0), COST)

    assert run_virtually(main()) == "fine"
    assert slept == [30.0, 30.0]


def test_a_server_that_answers_with_errors_is_not_down():
    """They are what it has to say to these questions; the retries they cost are bounded."""
    server = Served(scripted(BROKEN), latency=0.01)
    values, counters, _ = called(server, calls=200)
    assert {value.error for value in values} == {"judge_unavailable"}
    assert counters.retries <= 20 + 0.5 * 200
    assert len(server.begun) == 200 + counters.retries


def test_overload_brings_concurrency_down_and_it_recovers():
    """The server takes four at once; later it takes all."""
    crowded = Served(lambda number, among: OK if among <= 4 else BUSY)

    async def main():
        flow = flow_to()
        await asyncio.gather(*(flow.call(crowded, COST) for _ in range(100)))
        during = flow.counters().concurrency
        crowded.replies = fine
        await asyncio.gather(*(flow.call(crowded, COST) for _ in range(400)))
        return during, flow.counters().concurrency

    during, after = run_virtually(main())
    assert during <= 8
    assert after == 16


def test_many_rows_do_not_come_in_bursts():
    """A server with a limit of 5 a second, that says when to come back: nobody is lost, and it is not hammered."""
    bucket = {"level": 5.0, "at": 0.0}

    def limited(number, among):
        bucket["level"] = min(5.0, bucket["level"] + (now() - bucket["at"]) * 5.0)
        bucket["at"] = now()
        if bucket["level"] < 1.0:
            return BUSY._replace(after=(1.0 - bucket["level"]) / 5.0)
        bucket["level"] -= 1.0
        return OK

    server = Served(limited, latency=0.1)
    values, _, took = called(server, calls=150)
    assert values == ["fine"] * 150
    assert took < 1.2 * (150 - 5) / 5.0
    assert len(server.begun) < 2 * 150
    moments = [round(begun, 9) for begun in server.begun[20:]]
    assert max(moments.count(moment) for moment in moments) <= 4


def test_the_budget_stops_the_run_after_what_is_in_flight():
    server = Served(fine)

    async def main():
        flow = flow_to(budget=Budget(Ceiling(calls=25)))
        return await asyncio.gather(*(flow.call(server, COST) for _ in range(40)), return_exceptions=True)

    outcomes = run_virtually(main())
    assert len(server.begun) == 25
    assert sum(isinstance(outcome, int) for outcome in outcomes) == 25
    assert sum(isinstance(outcome, BudgetSpent) for outcome in outcomes) == 15


def test_two_flows_share_one_budget():
    server = Served(fine)

    async def main():
        budget = Budget(Ceiling(calls=10))
        flows = [flow_to(budget=budget), flow_to(budget=budget)]
        calls = [flow.call(server, COST) for flow in flows for _ in range(10)]
        await asyncio.gather(*calls, return_exceptions=True)
        return [flow.counters().spent.calls for flow in flows]

    assert run_virtually(main()) == [10, 10]
    assert len(server.begun) == 10


def test_cancelling_leaves_nothing_behind():
    server = Served(scripted(*[BUSY] * 10, OK), latency=1.0)

    async def main():
        flow = flow_to()
        tasks = [asyncio.create_task(flow.call(server, COST)) for _ in range(50)]
        await asyncio.sleep(1.3)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert all(task.cancelled() for task in tasks)
        left = flow.counters().in_flight, server.in_flight
        return left, await flow.call(scripted_fine, COST)

    async def scripted_fine():
        return OK

    assert run_virtually(main()) == ((0, 0), "fine")


def test_a_failure_without_detail_and_with_nothing_spent():
    bare = Again(Failure(error="judge_unavailable"), spend=NOTHING)
    (failure,), counters, _ = called(Served(scripted(bare)), Limits(tries=1))
    assert failure.detail == "gave up after 1 of 1 tries"
    assert counters.spent == (1, 0, 0.0)


def test_every_faulty_limit_is_named_at_once():
    with pytest.raises(FaultyInput) as found:
        Flow("judge", Limits(concurrency=0, tries=0, timeout=float("nan"), deadline=0.0), Budget())
    assert [fault.field for fault in found.value.faults] == ["concurrency", "tries", "timeout", "deadline"]
