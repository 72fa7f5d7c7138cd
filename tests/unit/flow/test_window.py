import asyncio

import pytest
from virtual_time import now, run_virtually

from ragassay.flow.window import Window


def test_it_starts_at_half_and_doubles_in_a_round_trip():
    window = Window(16)
    sizes = [window.size]
    for _ in range(8):
        window.grow(window.round)
    sizes.append(window.size)
    window.grow(window.round)
    assert [*sizes, window.size] == [8, 16, 16]


@pytest.mark.parametrize(("limit", "start"), [(1, 1), (2, 1), (3, 2), (5, 3)])
def test_there_is_always_a_slot(limit, start):
    window = Window(limit)
    assert window.size == start
    for _ in range(20):
        window.cut(window.round)
    assert window.size == 1


def test_calls_in_flight_together_cut_it_once_and_do_not_grow_it():
    window = Window(16)
    begun_in = window.round
    assert window.cut(begun_in)
    assert not any(window.cut(begun_in) for _ in range(7))
    for _ in range(50):
        window.grow(begun_in)
    assert window.size == 4


def test_after_an_overload_it_recovers_slowly():
    window = Window(16)
    window.cut(window.round)
    for _ in range(4):
        window.grow(window.round)
    assert window.size == 4
    for _ in range(200):
        window.grow(window.round)
    assert window.size == 16


def test_who_stepped_out_comes_back_before_who_is_new():
    order = []

    async def seasoned(window):
        await window.enter()
        await window.step_out(asyncio.sleep(5.0))
        order.append(("seasoned", now()))
        window.leave()

    async def new(window, name):
        await window.enter()
        order.append((name, now()))
        await asyncio.sleep(1.0)
        window.leave()

    async def main():
        window = Window(1)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(seasoned(window))
            tasks.create_task(new(window, "first"))
            tasks.create_task(new(window, "second"))
        return window.in_flight

    assert run_virtually(main()) == 0
    assert order == [("seasoned", 5.0), ("first", 5.0), ("second", 6.0)]


@pytest.mark.parametrize("at", [0.5, 1.5])
def test_who_is_cancelled_leaves_no_slot_behind(at):
    """At 0.5 it waits in the queue; at 1.5 it has stepped out."""

    async def main():
        window = Window(1)

        async def holder():
            await window.enter()
            await asyncio.sleep(1.0)
            window.leave()

        async def guest():
            await window.enter()
            try:
                await window.step_out(asyncio.sleep(10.0))
            finally:
                window.leave()

        held, cancelled = asyncio.create_task(holder()), asyncio.create_task(guest())
        await asyncio.sleep(at)
        cancelled.cancel()
        await asyncio.wait([held, cancelled])
        assert cancelled.cancelled()
        await window.enter()
        return now()

    assert run_virtually(main()) == max(at, 1.0)


def test_a_slot_given_to_who_is_cancelled_at_that_moment_goes_on():
    async def main():
        window = Window(1)
        await window.enter()
        cancelled, next_one = asyncio.create_task(window.enter()), asyncio.create_task(window.enter())
        await asyncio.sleep(0)
        window.leave()
        cancelled.cancel()
        await asyncio.wait([cancelled, next_one])
        return cancelled.cancelled(), next_one.cancelled(), window.in_flight

    assert run_virtually(main()) == (True, False, 1)


def test_a_slot_that_comes_free_while_another_comes_back_is_not_forgotten():
    async def main():
        window = Window(4)
        for _ in range(2):
            await window.enter()
        comes_back = asyncio.create_task(window.step_out(asyncio.sleep(1.0)))
        await asyncio.sleep(0.5)
        window.in_flight = 2  # Someone else took the slot, as after a cut.
        new = asyncio.create_task(window.enter())
        await asyncio.sleep(1.0)
        window.leave()
        window.leave()
        await asyncio.wait([comes_back, new], timeout=1.0)
        return comes_back.done(), new.done(), window.in_flight

    assert run_virtually(main()) == (True, True, 2)
