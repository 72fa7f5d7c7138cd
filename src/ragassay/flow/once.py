"""Identical requests in flight are asked once."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class _Shared(Generic[T]):
    def __init__(self, task: asyncio.Task[T]) -> None:
        self.task = task
        self.waiters = 0


class Once(Generic[T]):
    """`await once(key, make)`: what `make` returns or raises, made once for all who ask for `key` at the same time.

    Nothing is kept afterwards: the next to ask makes it anew. One who is cancelled leaves the others in peace; with the
    last of them the work is cancelled too, and has ended when that one resumes.
    """

    def __init__(self) -> None:
        self._shared: dict[Hashable, _Shared[T]] = {}

    async def __call__(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = _Shared(asyncio.create_task(make()))
            shared.task.add_done_callback(lambda _: self._forget(key, shared))
        shared.waiters += 1
        try:
            return await asyncio.shield(shared.task)
        except asyncio.CancelledError:
            if shared.waiters == 1 and not shared.task.done():
                self._forget(key, shared)
                shared.task.cancel()
                await asyncio.wait([shared.task])
                if not shared.task.cancelled() and (failed := shared.task.exception()) is not None:
                    raise failed from None
            raise
        finally:
            shared.waiters -= 1

    def _forget(self, key: Hashable, shared: _Shared[T]) -> None:
        if self._shared.get(key) is shared:
            del self._shared[key]
