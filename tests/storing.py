"""Entries of a store for tests, and what processes do with it (`warm.py` starts them)."""

import hashlib
import os
import signal
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine, event

from ragassay.records import SystemCard
from ragassay.store import Fact, Failed, Member, RunEntry, Store

THEN = datetime(2026, 10, 1, 12, 30, 15, 250_000, tzinfo=UTC)


def key(of: object) -> str:
    return hashlib.sha256(repr(of).encode()).hexdigest()


def fact(of: object, payload: bytes = b"{}", kind: str = "answer") -> Fact:
    return Fact(kind, key(of), payload)


def failed(of: object, error: str = "timeout", detail: str | None = "60 s", kind: str = "answer") -> Failed:
    return Failed(kind, key(of), error, detail, THEN)


def member(of: object, run: str = "r1", query: str = "q1", kind: str = "answer") -> Member:
    return Member(run, query, kind, key(of))


def system(**changed) -> SystemCard:
    return SystemCard(
        **{"kind": "http", "name": "https://rag.test/ask", "version": "7", "prompt_hash": "p1", **changed}
    )


def entry(identity: str, **changed) -> RunEntry:
    values = {"plan": key("plan"), "name": "nightly", "created": THEN, "system": system(), "dataset": "handbook"}
    return RunEntry(**{"id": identity, **values, "dataset_hash": key("dataset"), **changed})


def batch(number: int, size: int = 5) -> list[Fact]:
    return [fact((number, part), f"{number}/{part}".encode() * 50) for part in range(size)]


def write_batches(place: str, acknowledged: str, start: int = 0) -> None:
    """Append batch after batch, and write down the number of each once it is said to be stored."""
    with Store.open(place) as store:
        for number in range(start, 10_000):
            store.append(batch(number))
            lines(acknowledged, [str(number)])


def work_through(place: str) -> None:
    """Something of everything that a store does. Doing it again, from anywhere in it, leads to the same."""
    with Store.open(place) as store:
        store.register(entry("ab12"))
        todo = [key((number, part)) for number in range(3) for part in range(5)]
        store.lease("answer", todo)
        for number in range(3):
            facts = batch(number)
            store.append([*facts, *(Member("ab12", f"q{number}", each.kind, each.key) for each in facts)])
        store.append([failed("x")])
        store.release("answer", todo)
        store.finish("ab12", "finished", done=3, failed=1, folder="runs/ab12")


def work_until(place: str, point: int) -> None:
    """`work_through`, killed at one of its statements or commits, which are counted from 1."""
    seen = 0

    def step(*_: object) -> None:
        nonlocal seen
        seen += 1
        if seen == point:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
        event.listen(Engine, name, step)
    work_through(place)


def open_at_once(place: str, ready: str, go: str) -> None:
    """Open at the same moment as others."""
    Path(ready).touch()
    while not Path(go).exists():
        time.sleep(0.001)
    Store.open(place).close()


def take_and_wait(place: str, keys: list[str], taken: str) -> None:
    """Lease keys, say which, and keep them until killed."""
    store = Store.open(place)
    lines(taken, sorted(store.lease("answer", keys)))
    lines(taken, ["end"])
    threading.Event().wait()


def lines(path: str, texts: list[str]) -> None:
    """Append lines in one write, as a ledger outside the store."""
    ledger = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(ledger, "".join(f"{text}\n" for text in texts).encode())
    os.close(ledger)


def work_off(place: str, keys: list[str], ledger: str) -> None:
    """Do what nobody else does, a few at a time, and write down what was done."""
    with Store.open(place) as store:
        for start in range(0, len(keys), 20):
            mine = store.lease("answer", keys[start : start + 20])
            lines(ledger, sorted(mine))
            store.append([Fact("answer", each, each.encode()) for each in mine])
            store.release("answer", mine)


def read_while_written(place: str, readers: int, keys: list[str], until: int) -> None:
    """Several threads that read until the last key is there; what they see only grows."""
    broken: list[BaseException] = []

    def read() -> None:
        try:
            with Store.open(place) as store:
                seen = 0
                while seen < until:
                    now = len(store.facts("answer", keys))
                    assert now >= seen
                    seen = now
        except BaseException as error:
            broken.append(error)
            raise

    threads = [threading.Thread(target=read) for _ in range(readers)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if broken:
        raise broken[0]
