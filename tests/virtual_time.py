"""An event loop whose clock jumps to the next thing that is due: hours of waiting take no time, to the same end."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class Deadlock(RuntimeError):
    """Every task waits, and nothing is due."""


class _Jumping(selectors.PollSelector):
    now = 0.0

    def select(self, timeout: float | None = None):
        if timeout is None:
            raise Deadlock("every task waits for another")
        self.now += max(timeout, 0.0)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run_virtually(main: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


def now() -> float:
    return asyncio.get_running_loop().time()
