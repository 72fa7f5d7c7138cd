"""A Python function as the system under test: what it returns is the answer, what it raises is a failure."""

import asyncio
import contextvars
import hashlib
import importlib
import inspect
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial, reduce
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

import msgspec

from ragassay.flow import NOTHING, Done, Flow
from ragassay.records import Answer, Failure, Fault, FaultyInput, Notice, Query, SystemCard
from ragassay.systems.observing import Observer, spend_of
from ragassay.systems.protocol import asked_part
from ragassay.systems.redaction import Redaction, environment_secrets

_EXPECTED = "package.module:function that takes (question) or (question, query)"


class _Ended(NamedTuple):
    """How a call ended: a result or an error, after how many milliseconds."""

    result: object
    error: BaseException | None
    ms: float


class FunctionSystem:
    """Calls `module:function` with the question, and with what a system may know of the query if it takes `query`.

    A coroutine function runs in the event loop; any other in a thread of its own, so several run at once, and one that
    hangs holds nobody up. A call is never repeated: nobody knows what else it did. What the function spends is its own:
    a ceiling counts it only as far as answers report it.
    """

    def __init__(self, name: str, flow: Flow) -> None:
        """Raises `FaultyInput` where there is no such function, its module fails, or it takes something else."""
        module, function = _found(name)
        self._function = function
        self._takes_query = _takes_query(name, function)
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004  an object whose call is a coroutine
        )
        self._flow = flow
        self._observer = Observer(name, Redaction(environment_secrets()))
        self.card = SystemCard(kind="callable", name=name, code=_source_hash(module, function))

    async def ask(self, query: Query) -> Answer:
        if query.question is None:
            return self._observer.failed(query, "no_question", None, {})
        outcome = await self._flow.call(partial(self._attempt, query), NOTHING, tries=1)
        if isinstance(outcome, Failure):
            return self._observer.failed(query, outcome.error, outcome.detail, {})
        return outcome

    def notices(self) -> list[Notice]:
        return self._observer.notices()

    async def close(self) -> None:
        """Nothing is held."""

    async def _attempt(self, query: Query) -> Done[Answer]:
        asked = asked_part(query)
        call = partial(self._function, asked.question, **({"query": asked} if self._takes_query else {}))
        ended = await (_awaited(call) if self._is_async else _in_thread(call))
        answer = self._answer(query, ended)
        return Done(answer, spend_of(answer))

    def _answer(self, query: Query, ended: _Ended) -> Answer:
        measured = {"total_ms": ended.ms, "complete": True}
        if ended.error is not None:
            return self._observer.failed(query, "system_exception", _told(ended.error), measured)
        try:
            said = msgspec.to_builtins(ended.result, str_keys=True, enc_hook=_plain)
        except Exception as error:  # Whatever a stranger's object does when it is looked at.
            return self._observer.failed(query, "system_reply_malformed", _told(error), measured)
        row = {"answer": said} if isinstance(ended.result, str) else said
        if not isinstance(row, dict):
            kind = type(ended.result).__name__
            return self._observer.failed(query, "system_reply_malformed", f"no answer: {kind}", measured)
        return self._observer.observe(query, cast("dict[str, Any]", row), measured)


async def _awaited(call: Callable[[], Any]) -> _Ended:
    began = time.perf_counter()
    result, failed = None, None
    try:
        result = await call()
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        failed = error  # Its own doing: nobody cancelled this call.
    except (Exception, SystemExit) as error:
        failed = error
    return _Ended(result, failed, _since(began))


async def _in_thread(call: Callable[[], object]) -> _Ended:
    """Like `asyncio.to_thread`, but a call that never ends keeps neither a place in a pool nor the process."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[_Ended] = loop.create_future()
    context = contextvars.copy_context()

    def settle(outcome: _Ended) -> None:
        if not ended.done():
            ended.set_result(outcome)

    def work() -> None:
        began = time.perf_counter()
        result, failed = None, None
        try:
            result = context.run(call)
        except BaseException as error:  # A function that exits ends its own call, not the run.
            failed = error
        outcome = _Ended(result, failed, _since(began))
        with suppress(RuntimeError):  # The loop was closed: the run is over, and nobody waits.
            loop.call_soon_threadsafe(settle, outcome)

    threading.Thread(target=work, daemon=True).start()
    return await ended


def _since(began: float) -> float:
    return 1_000 * (time.perf_counter() - began)


def _told(error: BaseException) -> str:
    try:
        message = str(error)
    except Exception:  # Whatever the message of a stranger's exception does.
        message = "its message cannot be shown"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _plain(value: object) -> object:
    """The numbers and arrays of numerical libraries as plain ones."""
    tolist = getattr(value, "tolist", None)
    if callable(tolist):
        return tolist()
    raise TypeError(f"an answer cannot hold {type(value).__name__}")


def _found(name: str) -> tuple[ModuleType, Callable[..., Any]]:
    """The module and the function. The current directory is importable, as with `python -m`."""
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    path, _, attribute = name.partition(":")
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name and f"{path}.".startswith(f"{error.name}."):
            raise _faulty(name, f"there is no module {error.name}", "run where it can be imported") from None
        raise _broken(name, error) from None
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from None
    try:
        function: object = reduce(getattr, attribute.split("."), module)
    except AttributeError:
        known = ", ".join(each for each in vars(module) if not each.startswith("_"))[:200]
        raise _faulty(name, f"{path} has no {attribute}", f"it has {known}" if known else "define it") from None
    if not callable(function):
        raise _faulty(name, f"{attribute} cannot be called", "name a function")
    return module, function


def _takes_query(name: str, function: Callable[..., Any]) -> bool:
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return False
    named = list(signature.parameters)
    takes_query = "query" in named[1:]
    try:
        signature.bind("", **({"query": None} if takes_query else {}))
    except TypeError as error:
        raise _faulty(name, f"{name.partition(':')[2]}{signature}: {error}", "wrap it in one that does") from None
    return takes_query


def _source_hash(module: ModuleType, function: Callable[..., Any]) -> str | None:
    """Of the module that is named, and of the one that the function comes from; modules they import are not seen."""
    modules = [module, sys.modules.get(getattr(function, "__module__", None) or "", module)]
    files = dict.fromkeys(file for each in modules if (file := getattr(each, "__file__", None)))
    digest = hashlib.sha256()
    for file in files:
        digest.update(Path(file).read_bytes())
    return digest.hexdigest() if files else None


def _broken(name: str, error: BaseException) -> FaultyInput:
    told = Redaction(environment_secrets()).told(_told(error))
    return _faulty(name, f"its module cannot be imported: {told}", "mend the module, or install what it needs")


def _faulty(name: str, message: str, remedy: str) -> FaultyInput:
    fault = Fault(
        code="faulty_system", message=message, field="--system", value=name, expected=_EXPECTED, remedy=remedy
    )
    return FaultyInput([fault])
