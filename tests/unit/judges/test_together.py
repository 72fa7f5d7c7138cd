import asyncio

import pytest

from ragassay.judges.together import finished, together


async def after(steps, value):
    for _ in range(steps):
        await asyncio.sleep(0)
    return value


def test_results_keep_the_order_whoever_is_first():
    assert finished(together(after(steps, steps) for steps in (5, 0, 3))) == [5, 0, 3]


def test_the_first_that_raises_stops_the_others_and_is_raised_as_it_is():
    stopped = []

    async def endless():
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(True)

    async def fails():
        await asyncio.sleep(0)
        raise KeyError("a")

    with pytest.raises(KeyError):
        finished(together([endless(), fails(), endless()]))
    assert stopped == [True, True]


def test_a_result_can_be_waited_for_where_a_loop_runs():
    async def cell():
        return finished(after(2, "done"))

    assert asyncio.run(cell()) == "done"
