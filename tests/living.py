"""A dataset, a system and a judge for live runs; they write down what they were asked."""

import asyncio
import os
import signal
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from scripted import ScriptedJudge
from sqlalchemy import Engine, event

from ragassay.flow import RunStopped
from ragassay.formats.bundle import Bundle
from ragassay.judges.judging import Bench
from ragassay.live import Live, Tools, enrol, plan_for
from ragassay.records import Answer, Asked, Query, Relevance, Result, SystemCard
from ragassay.runner import Settings, measure
from ragassay.store import Journal, Store

THEN = datetime(2026, 10, 1, tzinfo=UTC)
SETTINGS = Settings(k=(3,), metrics=("recall@3", "grounded_claim_rate"), resamples=50)


def dataset(size):
    queries = [
        Query(id=f"q{number}", question=f"What is the limit of {number}?", relevant=(Relevance(document=f"d{number}"),))
        for number in range(size)
    ]
    return Bundle(queries=tuple(queries))


class Ledger:
    """A file that survives the process: one line for each call, written at once."""

    def __init__(self, path):
        self.path = path
        path.touch()

    def note(self, line):
        with self.path.open("ab", buffering=0) as stream:
            stream.write(f"{line}\n".encode())

    def lines(self):
        return self.path.read_text().splitlines()


class Shop:
    """Answers every question, save those that `failing` names; `stops_at` is the call that no budget allows."""

    def __init__(self, ledger, *, failing=(), stops_at=None, card=None):
        self.card = card or SystemCard(kind="callable", name="shop:answer", version="1", code="c")
        self.ledger, self.failing, self.stops_at = ledger, set(failing), stops_at
        self.calls = 0

    async def ask(self, query):
        self.calls += 1
        if self.stops_at is not None and self.calls >= self.stops_at:
            raise RunStopped("the budget is spent")
        self.ledger.note(f"ask {query.id}")
        await asyncio.sleep(0)
        if query.id in self.failing:
            return Answer(query=query.id, error="system_timeout: 60 s")
        number = query.id[1:]
        found = Result(passage=f"d{number}#1", document=f"d{number}", text=f"The limit of {number} is {number}0.")
        return Answer(query=query.id, answer=f"The limit of {number} is {number}0.", retrieved=(found,), total_ms=5.0)

    def notices(self):
        return []

    async def close(self):
        pass


class NotingJudge(ScriptedJudge):
    """Says `supports` of a claim beside the text that holds it."""

    def __init__(self, ledger, failing=()):
        super().__init__()
        self.ledger, self.failing = ledger, set(failing)

    def _outcome(self, claim, text):
        self.ledger.note(f"judge {claim}")
        self.verdicts = {(claim, text): "error:judge_timeout" if claim in self.failing else "supports"}
        return super()._outcome(claim, text)


async def live(store, observed, system, judge=None, workers=4, report=lambda counts: None):
    """What a run brought, and the evaluation where it is complete."""
    bench = None if judge is None else Bench(judge)
    async with Journal(store) as journal:
        plan = plan_for(observed, system.card, bench, SETTINGS, 1)
        enrol(store, plan, None, THEN)
        brought = await Live(observed, plan, Tools(system, bench, journal, workers, lambda: THEN), report).run()
    return plan, brought


def measured(observed, plan, brought, judge=None):
    whole = Bundle(queries=observed.queries, answers=brought.answers)
    judgements = None if judge is None else (judge.card, brought.judged)
    return measure(whole, SETTINGS, judgements, Asked(system=plan.card.system, repetition=1))


def run_to_the_end(place, size, ledger_path, workers=4):
    """One whole process's work, as a command does it: what was brought, and what was measured of it."""
    observed, ledger = dataset(size), Ledger(Path(ledger_path))
    judge = NotingJudge(ledger)
    with Store.open(place) as store:
        plan, brought = asyncio.run(live(store, observed, Shop(ledger), judge, workers))
        store.finish(plan.id, "finished", done=brought.counts.done, failed=brought.counts.failed)
    return brought, measured(observed, plan, brought, judge)


def run_until(place, size, ledger_path, point, workers=4):
    """`run_to_the_end`, killed at one of its statements, commits and calls, which are counted from 1."""
    seen = 0

    def step(*_):
        nonlocal seen
        seen += 1
        if seen == point:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
        event.listen(Engine, name, step)
    note = Ledger.note
    Ledger.note = lambda ledger, line: (note(ledger, line), step())
    run_to_the_end(place, size, ledger_path, workers)


def as_bytes(evaluation):
    """Everything that a run folder holds of a run."""
    matrices = [getattr(evaluation.matrices, name) for name in evaluation.matrices._fields]
    tables = [frame.write_ipc(None).getvalue() for frame in (*matrices, evaluation.fractions)]
    return msgspec.json.encode(evaluation.run), tables
