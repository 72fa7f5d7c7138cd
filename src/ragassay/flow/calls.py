"""Calls to one server: as many at once as it takes, again where that may help, and no longer than is allowed."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from random import SystemRandom
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from ragassay.flow.budget import Budget, RunStopped
from ragassay.flow.limits import UNKNOWN, Limits, Spend, Spent, faults_of
from ragassay.flow.window import Window
from ragassay.records import Failure, FaultyInput

T = TypeVar("T")

_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0
_SPREAD = 0.1
"""Whoever waited for the server does not come back at the same moment: up to a tenth later."""
_RETRIES, _RETRY_SHARE = 20, 0.5
_DOWN_AFTER_CALLS, _DOWN_AFTER_CUTS = 5, 3
_CHANCE = SystemRandom().random


class Done(NamedTuple, Generic[T]):
    """A reply, and what it took. A failure that was paid for is a `Done` too: `Done(failure, spend)`."""

    value: T
    spend: Spend


class Again(NamedTuple):
    """A failure that may pass.

    `after` is the wait in seconds that the server asks for. `overload`: the server could not take the try (429, 502 to
    504, a time-out, no connection), so that fewer are sent. `spend` is `NOTHING` where it certainly did no work.
    """

    failure: Failure
    after: float | None = None
    overload: bool = False
    spend: Spend = UNKNOWN


Attempt: TypeAlias = Callable[[], Awaitable[Done[T] | Again | Failure]]
"""One try. A bare `Failure` is final: trying again cannot help, and what it took counts as expected."""


class ServerDown(RunStopped):
    """Call after call ended because the server could not take it. A reply of any kind, a 500 too, is a reply."""

    def __init__(self, name: str, calls: int, failure: Failure) -> None:
        detail = f": {failure.detail}" if failure.detail else ""
        super().__init__(f"the {name} is down: {calls} calls in a row had no reply, the last {failure.error}{detail}")
        self.name = name
        self.calls = calls
        self.failure = failure


class Counters(NamedTuple):
    """Where a flow stands. `concurrency` is how many calls the server gets at once now; `spent` is that of the run."""

    in_flight: int
    concurrency: int
    calls: int
    retries: int
    spent: Spent


class _Course:
    """How far one call has come, and how many tries it has."""

    __slots__ = ("last", "tried", "tries", "wait")

    def __init__(self, tries: int) -> None:
        self.tries = tries
        self.last: Again | None = None
        self.tried = 0
        self.wait = 0.0


class Flow:
    """The way to one server, shared by everything that calls it in a run.

    `name` says what the server is, and begins the names of the failures that the flow finds itself: `judge` gives
    `judge_timeout`. `clock` and `sleep` are in seconds, `chance` between 0 and 1.
    """

    def __init__(
        self,
        name: str,
        limits: Limits,
        budget: Budget,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = _CHANCE,
    ) -> None:
        """Raises `FaultyInput` with everything that is wrong with the limits."""
        if faults := faults_of(limits):
            raise FaultyInput(faults)
        self.name = name
        self.limits = limits
        self._budget = budget
        self._clock = clock
        self._sleep = sleep
        self._chance = chance
        self._window = Window(limits.concurrency)
        self._resumes = float("-inf")
        self._cuts = 0
        self._calls = 0
        self._retries = 0
        self._unprompted = 0
        self._lost = 0
        self._silence = 0
        self._down: Failure | None = None

    def counters(self) -> Counters:
        return Counters(self._window.in_flight, self._window.size, self._calls, self._retries, self._budget.spent)

    async def call(self, attempt: Attempt[T], expected: Spend, *, tries: int | None = None) -> T | Failure:
        """The value of the first try that is done, or the failure of the last.

        `expected` is the most that one try should take; `tries` are those of the limits, or fewer. The wait for a first
        slot has no deadline; everything after it has. What `attempt` raises is raised here. Raises `BudgetSpent` where
        the next try does not fit the budget, and `ServerDown` after too many calls in a row that had no reply.
        """
        course = _Course(self.limits.tries if tries is None else min(tries, self.limits.tries))
        deadline = asyncio.timeout(None)
        try:
            async with deadline:
                return await self._tries(attempt, expected, course, deadline)
        except TimeoutError:
            if not deadline.expired():
                raise
        return self._gave_up(course.last or self._no_reply(self.limits.deadline), course)

    async def _tries(
        self, attempt: Attempt[T], expected: Spend, course: _Course, deadline: asyncio.Timeout
    ) -> T | Failure:
        await self._window.enter()
        try:
            while True:
                outcome = await self._one(attempt, expected, course, deadline)
                if not isinstance(outcome, Again):
                    return outcome.value if isinstance(outcome, Done) else outcome
                course.last = outcome
                left = (deadline.when() or 0.0) - asyncio.get_running_loop().time()
                if course.tried >= course.tries or course.wait >= left or not self._may_retry(outcome):
                    return self._gave_up(outcome, course)
                self._retries += 1
                self._unprompted += not _is_paced(outcome)
                await self._window.step_out(self._sleep(course.wait))
        finally:
            self._window.leave()

    async def _one(
        self, attempt: Attempt[T], expected: Spend, course: _Course, deadline: asyncio.Timeout
    ) -> Done[T] | Again | Failure:
        """One try, as soon as server and budget allow, and what it says about the server."""
        await self._rest()
        if self._down is not None:
            raise ServerDown(self.name, self._lost, self._down)
        reserved = await self._budget.reserve(expected)
        if course.tried == 0:
            self._calls += 1
            deadline.reschedule(asyncio.get_running_loop().time() + self.limits.deadline)
        course.tried += 1
        begun_in = self._window.round
        spend = UNKNOWN
        try:
            outcome = await self._in_time(attempt)
            spend = UNKNOWN if isinstance(outcome, Failure) else outcome.spend
        finally:
            self._budget.settle(reserved, spend)
        self._learn(outcome, begun_in, course)
        return outcome

    async def _in_time(self, attempt: Attempt[T]) -> Done[T] | Again | Failure:
        limit = asyncio.timeout(self.limits.timeout)
        try:
            async with limit:
                return await attempt()
        except TimeoutError:
            if not limit.expired():
                raise
        return self._no_reply(self.limits.timeout)

    def _learn(self, outcome: Done[T] | Again | Failure, begun_in: int, course: _Course) -> None:
        if not isinstance(outcome, Again) or not outcome.overload:
            self._lost = self._silence = 0
        if not isinstance(outcome, Again):
            self._cuts //= 2
            self._window.grow(begun_in)
            return
        is_news = outcome.overload and self._window.cut(begun_in)
        self._cuts += is_news
        self._silence += is_news
        if outcome.after is None:
            in_a_row = min(max(course.tried, self._cuts), 10)
            rest = self._chance() * min(_FIRST_WAIT * 2 ** (in_a_row - 1), _LONGEST_WAIT)
            course.wait = rest
        else:
            rest = max(0.0, outcome.after)
            course.wait = rest * (1 + _SPREAD * self._chance())
        # The others wait too, unless that is longer than any call may take: a server that asks so much is soon down.
        if (is_news or outcome.after is not None) and rest <= self.limits.deadline:
            self._resumes = max(self._resumes, self._clock() + rest)

    async def _rest(self) -> None:
        """Wait until the server may be asked again."""
        while (left := self._resumes - self._clock()) > 0:
            known = self._resumes
            await self._sleep(left * (1 + _SPREAD * self._chance()))
            if known == self._resumes:
                return

    def _may_retry(self, outcome: Again) -> bool:
        return _is_paced(outcome) or self._unprompted < _RETRIES + _RETRY_SHARE * self._calls

    def _gave_up(self, last: Again, course: _Course) -> Failure:
        error, said = last.failure.error, last.failure.detail
        detail = f"gave up after {course.tried} of {course.tries} tries"
        failure = Failure(error=error, detail=f"{said}; {detail}" if said else detail)
        self._lost += last.overload
        # Calls in flight together are lost together: that alone may be one bad moment.
        if self._lost >= _DOWN_AFTER_CALLS and self._silence >= _DOWN_AFTER_CUTS:
            self._down = failure
        return failure

    def _no_reply(self, seconds: float) -> Again:
        return Again(Failure(error=f"{self.name}_timeout", detail=f"no reply in {seconds:g} s"), overload=True)


def _is_paced(outcome: Again) -> bool:
    """Whether the flow as a whole makes room for trying again: it then sends fewer, or waits as it was asked."""
    return outcome.overload or outcome.after is not None
