"""Judges beside the request path: asked in a thread of their own, under a deadline, never waited for beyond it."""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple, TypeVar
from weakref import finalize

from ragassay.contract.judges import Judges
from ragassay.records import Failure

T = TypeVar("T")
Work = Callable[[Judges], Coroutine[Any, Any, T]]

MOST_WAITING = 64
"""Questions that may be with a worker at once; one more is refused as `busy`."""
MOST_HUNG = 2
"""Workers given up because a judge holds them; with so many, nobody is asked until one comes back."""
STUCK_AFTER = 1.0
LOADING_AT_MOST = 120.0


class Counts(NamedTuple):
    """What became of the questions of this process. `late` results came after the deadline and were dropped; `threads`
    are alive now, `hung` of them given up."""

    asked: int
    failed: int
    late: int
    hung: int
    threads: int


class Asker:
    """Asks the judges that `make` gives. Nothing is started before the first question, and a fork starts anew."""

    def __init__(self, make: Callable[[], Judges]) -> None:
        self._make = make
        self._offices: dict[int, _Office] = {}
        finalize(self, _leave, self._offices).atexit = False

    def ask(self, work: Work[T], budget_ms: float) -> T | Failure:
        """What the work gives, or a failure as soon as the budget is spent. Blocks no longer than that."""
        office = self._office()
        sent = office.send(work)
        if isinstance(sent, Failure):
            return sent
        worker, future = sent
        try:
            return office.counted(future.result(budget_ms / 1000))
        except Late:
            future.cancel()
            return office.gave_up(worker)

    async def aask(self, work: Work[T], budget_ms: float) -> T | Failure:
        """The same, while the event loop of the application goes on."""
        office = self._office()
        sent = office.send(work)
        if isinstance(sent, Failure):
            return sent
        worker, future = sent
        try:
            return office.counted(await asyncio.wait_for(asyncio.wrap_future(future), budget_ms / 1000))
        except TimeoutError:
            return office.gave_up(worker)

    @property
    def counts(self) -> Counts:
        return self._office().counts()

    def close(self) -> None:
        """Ends the worker of this process without waiting for it."""
        self._office().close()

    def _office(self) -> "_Office":
        # `setdefault` is one step, and the lock of a parent may be held by a thread that no child has.
        pid = os.getpid()
        return self._offices.get(pid) or self._offices.setdefault(pid, _Office(self._make))


def _leave(offices: "dict[int, _Office]") -> None:
    """Ends the worker of an asker that nobody uses any more, so that its models are freed."""
    if (office := offices.get(os.getpid())) is not None:
        office.close()


class _Office:
    """The workers of one process."""

    def __init__(self, make: Callable[[], Judges]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._hung: list[_Worker] = []
        self._asked = self._failed = self._late = 0

    def send(self, work: Work[T]) -> "tuple[_Worker, Future[T | Failure]] | Failure":
        """The question on its way to a worker; a failure at once where none takes it."""
        with self._lock:
            self._asked += 1
            worker = self._at_work()
            if isinstance(worker, Failure):
                self._failed += 1
                return worker
            future: Future[T | Failure] = Future()
            if not worker.take(work, future):
                self._failed += 1
                return Failure(error="busy")
            return worker, future

    def counted(self, result: T | Failure) -> T | Failure:
        if isinstance(result, Failure):
            with self._lock:
                self._failed += 1
        return result

    def gave_up(self, worker: "_Worker") -> Failure:
        worker.knock()
        with self._lock:
            self._failed += 1
        return Failure(error="loading" if worker.is_loading else "deadline")

    def counts(self) -> Counts:
        with self._lock:
            hung = [each for each in self._hung if each.is_alive()]
            late = self._late + sum(each.late for each in (*self._hung, self._worker) if each is not None)
            alive = self._worker is not None and self._worker.is_alive()
            return Counts(self._asked, self._failed, late, len(hung), len(hung) + alive)

    def close(self) -> None:
        with self._lock:
            if self._worker is not None:
                self._late += self._worker.late
                self._worker.end()
                self._worker = None

    def _at_work(self) -> "_Worker | Failure":
        if self._worker is not None and self._worker.is_stuck():
            self._worker.end()
            self._hung.append(self._worker)
            self._worker = None
        if self._worker is None or not self._worker.is_alive():
            self._late += sum(each.late for each in self._hung if not each.is_alive())
            self._hung = [each for each in self._hung if each.is_alive()]
            if len(self._hung) >= MOST_HUNG:
                return Failure(error="hung")
            try:
                self._worker = _Worker(self._make)
                self._worker.start()
            except (RuntimeError, OSError):
                self._worker = None
                return Failure(error="no_thread")
        return self._worker


class _Worker(threading.Thread):
    """One thread with an event loop and judges of its own. Daemonic: the interpreter does not wait for it."""

    def __init__(self, make: Callable[[], Judges]) -> None:
        super().__init__(name="ragassay-contract", daemon=True)
        self._make = make
        self._judges: Judges | None = None
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._open: set[Future[Any]] = set()
        self._knocked: float | None = None
        self._loading: float | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.late = 0

    @property
    def is_loading(self) -> bool:
        return self._loading is not None

    def run(self) -> None:
        self._loop.set_exception_handler(_say_nothing)
        try:
            self._loop.run_forever()
        finally:
            with suppress(Exception):
                if self._judges is not None:
                    self._loop.run_until_complete(self._judges.judge.close())
                self._loop.close()

    def take(self, work: Work[T], future: "Future[T | Failure]") -> bool:
        """Whether there is room for the question."""
        with self._lock:
            if len(self._open) >= MOST_WAITING:
                return False
            self._open.add(future)
        self._loop.call_soon_threadsafe(self._begin, work, future)
        return True

    def knock(self) -> None:
        """Remember when the loop was called, until it answers."""
        if self._knocked is None:
            self._knocked = monotonic()
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._answer)

    def is_stuck(self) -> bool:
        """Whether something holds the loop, so that not even a deadline can be kept in it."""
        if (loading := self._loading) is not None:
            return monotonic() - loading > LOADING_AT_MOST
        knocked = self._knocked
        return knocked is not None and monotonic() - knocked > STUCK_AFTER

    def end(self) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _answer(self) -> None:
        self._knocked = None

    def _begin(self, work: Work[Any], future: "Future[Any]") -> None:
        if future.cancelled():
            self._finished(future)
            return
        task = self._loop.create_task(self._done(work, future))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: self._finished(future))
        future.add_done_callback(lambda done: self._called_off(task) if done.cancelled() else None)

    def _called_off(self, task: "asyncio.Task[None]") -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(task.cancel)

    def _finished(self, future: "Future[Any]") -> None:
        with self._lock:
            self._open.discard(future)

    async def _done(self, work: Work[Any], future: "Future[Any]") -> None:
        try:
            outcome = await work(self._ready())
        except asyncio.CancelledError:
            if future.cancelled():
                return
            outcome = Failure(error="raised", detail="CancelledError")
        # What a judge raises ends its question, never the thread: SystemExit would.
        except BaseException as error:
            outcome = Failure(error="raised", detail=type(error).__name__)
        self._finished(future)  # Whoever gets the answer may ask again at once.
        if future.set_running_or_notify_cancel():
            future.set_result(outcome)
        else:
            self.late += 1

    def _ready(self) -> Judges:
        if self._judges is None:
            self._loading = monotonic()
            try:
                self._judges = self._make()
            finally:
                self._loading = self._knocked = None
        return self._judges


def _say_nothing(_: asyncio.AbstractEventLoop, __: dict[str, Any]) -> None:
    """The application's log is not for what a judge leaves behind."""
