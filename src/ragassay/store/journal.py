"""The asynchronous side of a store: whoever waits at the same time shares one transaction."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, ParamSpec, Self, TypeVar

from ragassay.store.changing import Changes, Outcome
from ragassay.store.entries import Fact, FactKind, Failed, Member, Place
from ragassay.store.store import Store

_P = ParamSpec("_P")
_T = TypeVar("_T")


class _Waiting(NamedTuple):
    changes: Changes
    done: asyncio.Future[Outcome]


class Journal:
    """One event loop's access to a store, which it does not close. Use it in `async with`, or close it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._writer = ThreadPoolExecutor(1, "store-writer")
        self._readers = ThreadPoolExecutor(2, "store-reader")
        self._waiting: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def append(self, *entries: Fact | Failed | Member) -> set[str]:
        """`Store.append`, resolved once the entries are on disk; all of one call are in one transaction.

        They are stored even where the caller is cancelled while waiting.
        """
        return await self._append(entries, ())

    async def settle(self, outcome: Fact | Failed) -> bool:
        """`append` what became of a leased key and give the lease back, in one transaction; whether another payload
        stands already.
        """
        return bool(await self._append([outcome], [(outcome.kind, outcome.key)]))

    async def facts(self, kind: FactKind, keys: Collection[str]) -> dict[str, bytes]:
        """`Store.facts`."""
        return await _within(self._readers, self._store.facts, kind, keys)

    async def present(self, kind: FactKind, keys: Collection[str]) -> set[str]:
        """`Store.present`."""
        return await _within(self._readers, self._store.present, kind, keys)

    async def failures(self, keys: Collection[str]) -> dict[str, tuple[Failed, ...]]:
        """`Store.failures`."""
        return await _within(self._readers, self._store.failures, keys)

    async def lease(self, kind: FactKind, keys: Collection[str]) -> set[str]:
        """`Store.lease`. Whoever leases at the same time does so as one worker."""
        wanted: list[Place] = [(kind, key) for key in keys]
        outcome = await self._commit(Changes(wanted=wanted))
        return {key for _, key in outcome.leased.intersection(wanted)}

    async def close(self) -> None:
        """Wait until everything that was handed in is stored or refused. Nothing can be appended afterwards."""
        while self._writing is not None and not self._writing.done():
            await asyncio.wait([self._writing])
        self._writer.shutdown()
        self._readers.shutdown()

    async def _append(self, entries: Sequence[Fact | Failed | Member], released: Sequence[Place]) -> set[str]:
        outcome = await self._commit(Changes(entries=entries, released=released))
        mine = {(entry.kind, entry.key) for entry in entries if isinstance(entry, Fact)}
        return {key for _, key in outcome.differing & mine}

    async def _commit(self, changes: Changes) -> Outcome:
        waiting = _Waiting(changes, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return await waiting.done

    async def _write(self) -> None:
        await asyncio.sleep(0)  # Whoever is ready at this moment comes along.
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                outcome = await _within(self._writer, self._store.commit, _together(batch))
            except BaseException as error:
                for waiting in batch:
                    if not waiting.done.done():
                        waiting.done.set_exception(error)
                if not isinstance(error, Exception):
                    raise
            else:
                for waiting in batch:
                    if not waiting.done.done():
                        waiting.done.set_result(outcome)


def _together(batch: list[_Waiting]) -> Changes:
    return Changes(
        entries=[entry for waiting in batch for entry in waiting.changes.entries],
        released={place for waiting in batch for place in waiting.changes.released},
        wanted={place for waiting in batch for place in waiting.changes.wanted},
    )


async def _within(executor: ThreadPoolExecutor, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    return await asyncio.get_running_loop().run_in_executor(executor, lambda: work(*args, **kwargs))
