"""Queries asked and answers judged, each kept the moment it is there."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec import Struct

from ragassay.flow import RunStopped
from ragassay.formats.bundle import Bundle
from ragassay.judges.judging import Bench, judge_case
from ragassay.live.plan import Plan, Task, judgement_key
from ragassay.matrices import case_of, texts_of
from ragassay.records import Answer, Case, Failure, FaultyInput, Judged
from ragassay.store import Fact, FactKind, Failed, Journal, StoreFull, StoreUnavailable
from ragassay.systems import System

_LOOK_AGAIN = 0.2


class Counts(Struct, frozen=True, kw_only=True):
    """Where a run stands, in queries. `reused` of the `done` were in the store before; `failed` are among the done."""

    total: int
    done: int
    failed: int
    reused: int


class Observed(Struct, frozen=True, kw_only=True):
    """What a run brought, in the order of the dataset.

    `members` are query, kind and key of every fact that it rests on. `halted` says why it is not complete; run again,
    it goes on.
    """

    answers: tuple[Answer, ...]
    judged: tuple[Judged, ...]
    counts: Counts
    members: tuple[tuple[str, FactKind, str], ...]
    halted: str | None = None


class Tools(NamedTuple):
    """What a run works with. `workers` is how many queries are open at once; `now` dates a failure.

    `rereads`: the judge's replies are kept, so that what it judged is read out of them anew, which costs nothing.
    """

    system: System
    bench: Bench | None
    journal: Journal
    workers: int
    now: Callable[[], datetime]
    rereads: bool = False


class Live:
    """One run of a plan. Several processes on one store share it: each takes what no other is at."""

    def __init__(self, observed: Bundle, plan: Plan, tools: Tools, report: Callable[[Counts], None]) -> None:
        self._plan = plan
        self._tools = tools
        self._report = report
        self._texts = texts_of(observed.documents)
        self._k = max(plan.card.settings.k or observed.card.k)
        self._answers: dict[str, Answer] = {}
        self._judged: dict[str, Judged] = {}
        self._judgement_keys: dict[str, str] = {}
        self._failures_before: dict[str, int] = {}
        self._done: set[str] = set()
        self._failed = 0
        self._reused = 0

    async def run(self) -> Observed:
        """Does what the store lacks. Whatever stops it, what was done until then is in the store.

        Raises `FaultyInput` for a limit on what nobody can know in advance.
        """
        halted = refused = None
        try:
            await self._begin()
            await self._work()
        except* (RunStopped, StoreFull, StoreUnavailable) as stopped:
            halted = str(_first(stopped))
        except* FaultyInput as group:
            refused = _first(group)
        if refused is not None:
            raise refused
        tasks = [task for task in self._plan.tasks if task.key in self._done]
        return Observed(
            answers=tuple(self._answers[task.key] for task in tasks),
            judged=tuple(self._judged[task.key] for task in tasks if task.key in self._judged),
            counts=self._counts(),
            members=tuple(self._members(tasks)),
            halted=halted,
        )

    async def _begin(self) -> None:
        keys = [task.key for task in self._plan.tasks]
        failures = await self._tools.journal.failures(keys)
        self._failures_before = {key: len(attempts) for key, attempts in failures.items()}
        self._reused = await self._recall(self._plan.tasks)
        self._count(self._plan.tasks)

    async def _work(self) -> None:
        """Rounds over what is not done, until no other process holds any of it."""
        pending = [task for task in self._plan.tasks if task.key not in self._done]
        while pending:
            held = await self._round(pending)
            if held:
                await asyncio.sleep(_LOOK_AGAIN)
                await self._recall(held)
                self._count(held)
            pending = [task for task in held if task.key not in self._done]

    async def _round(self, pending: Sequence[Task]) -> list[Task]:
        """Does everything that no other process is at; returns the rest."""
        left = iter(pending)
        held: list[Task] = []

        async def worker() -> None:
            for task in left:
                if await self._finish(task):
                    self._count([task])
                else:
                    held.append(task)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._tools.workers, len(pending))):
                group.create_task(worker())
        return held

    async def _finish(self, task: Task) -> bool:
        """Whether the task is done now; False: another process is at it."""
        if task.key not in self._answers and not await self._ask(task):
            return False
        bench = self._tools.bench
        return bench is None or await self._judge(bench, task)

    async def _ask(self, task: Task) -> bool:
        journal = self._tools.journal
        if not await journal.lease("answer", [task.key]):
            return False
        answer = await self._tools.system.ask(task.query)
        payload = msgspec.json.encode(answer)
        if _is_whole(answer):
            if await journal.settle(Fact("answer", task.key, payload)):
                payload = (await journal.facts("answer", [task.key]))[task.key]
                answer = msgspec.json.decode(payload, type=Answer)
        else:
            error = answer.error or "broken_off"
            await journal.settle(Failed("answer", task.key, error, payload.decode(), self._tools.now()))
        self._answers[task.key] = answer
        return True

    async def _judge(self, bench: Bench, task: Task) -> bool:
        journal, case = self._tools.journal, self._case(task)
        key = judgement_key(case, self._plan.card)
        self._judgement_keys[task.key] = key
        is_mine = bool(await journal.lease("judgement", [key]))
        if not is_mine and not await journal.present("judgement", [key]):
            return False
        judged = await judge_case(bench, case)
        if is_mine:
            failures = failures_of(judged)
            if failures:
                why = "; ".join(dict.fromkeys(f"{each.error}: {each.detail}" for each in failures))
                await journal.settle(Failed("judgement", key, failures[0].error, why, self._tools.now()))
            else:
                await journal.settle(Fact("judgement", key, msgspec.json.encode(judged)))
        self._judged[task.key] = judged
        return True

    async def _recall(self, tasks: Sequence[Task]) -> int:
        """Takes from the store what is done; returns how many tasks need no call any more."""
        journal, keys = self._tools.journal, [task.key for task in tasks]
        for key, payload in (await journal.facts("answer", keys)).items():
            self._answers[key] = msgspec.json.decode(payload, type=Answer)
        for key, attempts in (await journal.failures(keys)).items():
            if key not in self._answers and len(attempts) > self._failures_before.get(key, 0):
                self._answers[key] = msgspec.json.decode(attempts[-1].detail or "", type=Answer)
        answered = [task for task in tasks if task.key in self._answers]
        if self._tools.bench is None:
            return len(answered)
        by_judgement = {judgement_key(self._case(task), self._plan.card): task.key for task in answered}
        if self._tools.rereads:
            return len(await journal.present("judgement", list(by_judgement)))
        found = await journal.facts("judgement", list(by_judgement))
        for key, payload in found.items():
            self._judgement_keys[by_judgement[key]] = key
            self._judged[by_judgement[key]] = msgspec.json.decode(payload, type=Judged)
        return len(found)

    def _case(self, task: Task) -> Case:
        return case_of(task.query, self._answers[task.key], self._texts, self._k)

    def _count(self, tasks: Sequence[Task]) -> None:
        """Counts those that are done now, once each."""
        for task in tasks:
            is_done = task.key in self._answers and (self._tools.bench is None or task.key in self._judged)
            if is_done and task.key not in self._done:
                self._done.add(task.key)
                self._failed += not _is_whole(self._answers[task.key])
        self._report(self._counts())

    def _counts(self) -> Counts:
        total, done = len(self._plan.tasks), len(self._done)
        return Counts(total=total, done=done, failed=self._failed, reused=self._reused)

    def _members(self, tasks: Sequence[Task]) -> Iterator[tuple[str, FactKind, str]]:
        for task in tasks:
            yield task.query.id, "answer", task.key
            if task.key in self._judgement_keys:
                yield task.query.id, "judgement", self._judgement_keys[task.key]


def failures_of(judged: Judged) -> list[Failure]:
    """Everything that the judge could not say of a case."""
    outcomes = [each.outcome for each in (*judged.support, *judged.entailment)]
    return [each for each in (judged.failure, *outcomes) if isinstance(each, Failure)]


def _is_whole(answer: Answer) -> bool:
    """Whether the system answered to the end. What failed or broke off is recorded, and asked again by the next run."""
    return answer.error is None and answer.complete is not False


def _first(stopped: BaseExceptionGroup[Exception]) -> BaseException:
    """The first exception inside groups of groups."""
    found: BaseException = stopped
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
