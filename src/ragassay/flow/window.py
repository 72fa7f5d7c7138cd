"""How many calls are in flight: more while the server takes them, half when it does not."""

import asyncio
from collections import deque
from collections.abc import Awaitable

_CARE = 1.0


class Window:
    """Slots for calls, between 1 and `limit`.

    It starts at half of the limit and grows by one with every success, so that it doubles in a round trip; from the
    first overload on it grows by one in a round trip. An overload halves it, once for all calls that were in flight
    together: only a try begun since the last cut says anything about the window as it is now. `round` counts the cuts.
    """

    def __init__(self, limit: int) -> None:
        self.in_flight = 0
        self.round = 0
        self._limit = limit
        self._size = float((limit + 1) // 2)
        self._doubling = True
        self._out = 0
        self._new: deque[asyncio.Future[None]] = deque()
        self._back: deque[asyncio.Future[None]] = deque()

    @property
    def size(self) -> int:
        return int(self._size)

    async def enter(self) -> None:
        """Wait for a slot. As many stay free as callers have stepped out."""
        if self.in_flight + self._out < self.size:
            self.in_flight += 1
        else:
            await self._queue(self._new)

    async def step_out(self, waiting: Awaitable[None]) -> None:
        """Give the slot up while waiting, and take one again, before whoever is new: its deadline is running.

        Whoever is cancelled meanwhile still leaves as if it held the slot.
        """
        self._out += 1
        self.leave()
        try:
            await waiting
            if self.in_flight < self.size:
                self.in_flight += 1
            else:
                await self._queue(self._back)
        except BaseException:
            self.in_flight += 1
            raise
        finally:
            self._out -= 1
            self._fill()

    def leave(self) -> None:
        self.in_flight -= 1
        self._fill()

    def grow(self, begun_in: int) -> None:
        """A try that began in that round was answered."""
        if begun_in == self.round:
            self._size = min(self._size + (1.0 if self._doubling else 1.0 / (self._size + _CARE)), float(self._limit))
            self._fill()

    def cut(self, begun_in: int) -> bool:
        """A try that began in that round found the server overloaded; whether this is news."""
        if begun_in != self.round:
            return False
        self._size = max(self._size / 2, 1.0)
        self._doubling = False
        self.round += 1
        return True

    async def _queue(self, queue: deque[asyncio.Future[None]]) -> None:
        waiter = asyncio.get_running_loop().create_future()
        queue.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if not waiter.cancelled():
                self.leave()
            raise

    def _fill(self) -> None:
        while self.in_flight < self.size and _release(self._back):
            self.in_flight += 1
        while self.in_flight + self._out < self.size and _release(self._new):
            self.in_flight += 1


def _release(queue: deque[asyncio.Future[None]]) -> bool:
    """Let the next through that still waits."""
    while queue:
        waiter = queue.popleft()
        if not waiter.done():
            waiter.set_result(None)
            return True
    return False
