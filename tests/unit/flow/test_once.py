import asyncio

import pytest
from virtual_time import now, run_virtually

from ragassay.flow import Once


class Work:
    def __init__(self, fails=False):
        self.begun = self.ended = self.cancelled = 0
        self.fails = fails

    async def __call__(self):
        self.begun += 1
        try:
            await asyncio.sleep(1.0)
        except asyncio.CancelledError:
            await asyncio.sleep(0.5)
            self.cancelled += 1
            raise
        if self.fails:
            raise LookupError("gone")
        self.ended += 1
        return self.ended


def test_identical_requests_in_flight_are_asked_once():
    work = Work()

    async def main():
        once = Once[int]()
        together = await asyncio.gather(*(once("key", work) for _ in range(5)), once("other", work))
        return together, await once("key", work)

    assert run_virtually(main()) == ([1, 1, 1, 1, 1, 2], 3)
    assert work.begun == 3


def test_what_is_raised_reaches_everyone_who_asked():
    async def main():
        once = Once[int]()
        return await asyncio.gather(*(once("key", Work(fails=True)) for _ in range(3)), return_exceptions=True)

    found = run_virtually(main())
    assert len(found) == 3
    assert all(isinstance(error, LookupError) for error in found)


@pytest.mark.parametrize("leaving", [0, 1])
def test_one_who_is_cancelled_leaves_the_others_in_peace(leaving):
    work = Work()

    async def main():
        once = Once[int]()
        tasks = [asyncio.create_task(once("key", work)) for _ in range(3)]
        await asyncio.sleep(0.2)
        tasks[leaving].cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(found.pop(leaving), asyncio.CancelledError)
        return found

    assert run_virtually(main()) == [1, 1]
    assert (work.begun, work.cancelled) == (1, 0)


def test_with_the_last_the_work_is_cancelled_and_the_next_begins_anew():
    work = Work()

    async def main():
        once = Once[int]()
        tasks = [asyncio.create_task(once("key", work)) for _ in range(2)]
        await asyncio.sleep(0.2)
        for task in tasks:
            task.cancel()
        await asyncio.sleep(0)
        late = asyncio.create_task(once("key", work))
        await asyncio.wait(tasks)
        ended = now()
        return ended, work.cancelled, await late

    assert run_virtually(main()) == (0.7, 1, 1)
    assert work.begun == 2


def test_what_fails_while_it_is_cancelled_reaches_the_last_who_asked():
    async def stubborn():
        try:
            await asyncio.sleep(1.0)
        except asyncio.CancelledError:
            raise LookupError("while cleaning up") from None

    async def main():
        task = asyncio.create_task(Once[None]()("key", stubborn))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(LookupError, match="while cleaning up"):
            await task

    run_virtually(main())
