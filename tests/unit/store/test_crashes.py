"""Killed, cut off, full: nothing that was acknowledged is lost, and the same store goes on."""

import asyncio
import contextlib
import os
import random
import resource
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import postgres
import psycopg
import pytest
from storing import (
    batch,
    fact,
    failed,
    key,
    open_at_once,
    read_while_written,
    take_and_wait,
    work_off,
    work_through,
    work_until,
    write_batches,
)
from warm import Process, done

from ragassay.store import Journal, Store, StoreFull, StoreUnavailable

KEYS = [key(number) for number in range(300)]


def acknowledged(ledger: Path) -> list[int]:
    return [int(line) for line in written(ledger)]


def written(ledger: Path) -> list[str]:
    return ledger.read_text(encoding="ascii").split() if ledger.exists() else []


def wait_for(ledger: Path, lines: int) -> None:
    while len(written(ledger)) < lines:
        time.sleep(0.005)


def test_a_writer_killed_at_random_loses_nothing_and_leaves_no_half(place, tmp_path):
    ledger, moments = tmp_path / "ledger", random.Random(20261)
    for _ in range(6):
        start = len(acknowledged(ledger))
        with Process(write_batches, place, str(ledger), start) as process:
            wait_for(ledger, start + moments.randint(1, 4))
            time.sleep(moments.random() * 0.02)
            process.kill()
        numbers = acknowledged(ledger)
        with Store.open(place) as store:
            store.check()
            for number in range(len(numbers)):
                expected = {each.key: each.payload for each in batch(number)}
                assert store.facts("answer", expected) == expected
            in_flight = store.present("answer", [each.key for each in batch(len(numbers))])
            assert len(in_flight) in {0, 5}
            assert store.present("answer", [each.key for each in batch(len(numbers) + 1)]) == set()


def test_killed_at_every_step_and_done_again_is_the_same_as_never_killed(place, tmp_path):
    with Store.open(place) as store:
        before = store.check()
    steps = 0
    while done(work_until, place, steps + 1) == -signal.SIGKILL:
        steps += 1
        with Store.open(place) as store:
            store.check()
    assert steps > 40
    work_through(place)
    with Store.open(str(tmp_path / "never-killed.db")) as undisturbed:
        work_through(undisturbed.name)
        expected = undisturbed.check()
    with Store.open(place) as store:
        assert before != store.check() == expected


def test_the_lease_of_a_killed_worker_is_free_at_once(place, store, tmp_path):
    taken = tmp_path / "taken"
    with Process(take_and_wait, place, KEYS, str(taken)) as process:
        wait_for(taken, len(KEYS) + 1)
        assert store.lease("answer", KEYS) == set()
        process.kill()
        assert store.lease("answer", KEYS[:200]) == set(KEYS[:200])
    with Store.open(place) as other:
        assert other.lease("answer", KEYS) == set(KEYS[200:])


def test_two_workers_do_everything_once(place, store, tmp_path):
    ledger = tmp_path / "ledger"
    with Process(work_off, place, KEYS, str(ledger)) as one, Process(work_off, place, KEYS[::-1], str(ledger)) as two:
        assert one.join() == two.join() == 0
    assert sorted(written(ledger)) == sorted(KEYS)
    assert store.present("answer", KEYS) == set(KEYS)


def test_a_new_store_may_be_opened_by_many_at_once(place, tmp_path):
    ready, go = [tmp_path / f"ready-{number}" for number in range(5)], tmp_path / "go"
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(Process(open_at_once, place, str(each), str(go))) for each in ready]
        while not all(each.exists() for each in ready):
            time.sleep(0.001)
        go.touch()
        assert [process.join() for process in processes] == [0] * 5


def test_twenty_readers_beside_a_writer(place, store):
    entries = [fact(number, b"x" * 2_000) for number in range(300)]
    with contextlib.ExitStack() as stack:
        readers = [stack.enter_context(Process(read_while_written, place, 10, KEYS, len(KEYS))) for _ in range(2)]
        for start in range(0, 300, 3):
            store.append(entries[start : start + 3])
        assert [process.join() for process in readers] == [0, 0]


def test_writers_with_the_same_facts_in_any_order_do_not_block_each_other(place, store):
    entries = [fact(number, b"%d" % number) for number in range(400)]
    broken: list[BaseException] = []

    def write(seed: int) -> None:
        mine = random.Random(seed).sample(entries, len(entries))
        try:
            with Store.open(place) as other:
                for start in range(0, len(mine), 100):
                    assert other.append(mine[start : start + 100]) == set()
        except BaseException as error:
            broken.append(error)

    threads = [threading.Thread(target=write, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not broken
    assert store.check().facts == 400


def test_a_commit_that_failed_although_it_was_written_is_repeated_and_counts_once(store, monkeypatch):
    dialect = store._writer.dialect
    commit, lost = dialect.do_commit, []

    def commit_and_lose(connection):
        commit(connection)
        if not lost:
            lost.append(True)
            error = psycopg.errors.AdminShutdown("terminating") if dialect.name == "postgresql" else locked()
            raise error

    monkeypatch.setattr(dialect, "do_commit", commit_and_lose)
    store.append([fact(1, b"one"), failed(2)])
    assert lost
    assert store.facts("answer", [key(1)]) == {key(1): b"one"}
    assert store.failures([key(2)]) == {key(2): (failed(2),)}


def locked() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    return error


def test_a_store_that_stays_locked_is_said_in_words_for_people(tmp_path, monkeypatch):
    monkeypatch.setattr("ragassay.store.opening.PATIENCE", 0.01)
    monkeypatch.setattr("ragassay.store.store.PAUSES", (0.01,))
    with Store.open(tmp_path / "store.db") as store:
        other = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="another process keeps the store busy") as caught:
            store.append([fact(1)])
        assert "database is locked" not in str(caught.value)
        assert store.facts("answer", [key(1)]) == {}
        other.close()
        store.append([fact(1)])


def test_a_full_disk_at_any_write_is_said_and_harms_nothing(tmp_path):
    place = tmp_path / "store.db"
    stored = 0
    with Store.open(place) as store:
        for limit in range(60_000, 400_000, 17_000):
            with file_size_at_most(limit), contextlib.suppress(StoreFull):
                while True:
                    store.append(batch(stored))
                    stored += 1
            assert len(store.present("answer", [each.key for each in batch(stored)])) in {0, 5}
            store.append(batch(stored))
            stored += 1
        assert store.check().facts == stored * 5
        with file_size_at_most(10), pytest.raises(StoreFull, match="free space"):
            store.append(batch(stored))


@contextlib.contextmanager
def file_size_at_most(size: int):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def small_disk():
    """A disk of two megabytes, where we may make one."""
    folder = Path(tempfile.mkdtemp(prefix="ragassay-small-disk-"))
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", folder], check=False, capture_output=True)
    if made.returncode:
        folder.rmdir()
        pytest.skip("only root may make a small disk; the limit on file sizes stands for it")
    folder.chmod(0o755)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)
    folder.rmdir()


def fill(store: Store) -> int:
    """Append until the disk is full; how many are stored."""
    for number in range(10_000):
        try:
            store.append([fact(number, b"x" * 20_000)])
        except StoreFull:
            return number
    raise AssertionError("the disk is not small")


def test_a_store_on_a_full_disk_goes_on_once_there_is_space(small_disk):
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 500_000)
    with Store.open(small_disk / "store.db") as store:
        stored = fill(store)
        assert store.check().facts == stored
        with pytest.raises(StoreFull):
            store.append([fact(stored, b"x" * 20_000)])
        ballast.unlink()
        store.append([fact(stored, b"x" * 20_000)])
        assert store.check().facts == stored + 1


def test_a_server_with_a_full_disk_goes_on_once_there_is_space(small_disk):
    server = postgres.server()
    server.reset()
    space = small_disk / "space"
    space.mkdir()
    owner = (server.folder / "data").stat()
    os.chown(small_disk, owner.st_uid, owner.st_gid)
    os.chown(space, owner.st_uid, owner.st_gid)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 500_000)
    server.sql(f"CREATE TABLESPACE small LOCATION '{space}'", "ALTER ROLE owner SET default_tablespace = 'small'")
    try:
        with Store.open(server.url()) as store:
            stored = fill(store)
            assert store.check().facts == stored
            ballast.unlink()
            store.append([fact(stored, b"x" * 20_000)])
            assert store.check().facts == stored + 1
    finally:
        server.sql("ALTER ROLE owner RESET default_tablespace", "DROP SCHEMA ragassay CASCADE", "DROP TABLESPACE small")


@pytest.mark.parametrize("happens", ["cut off", "crash"])
def test_a_server_that_goes_away_in_the_middle_is_waited_for(happens):
    server = postgres.server()
    server.reset()
    again = server.cut_off if happens == "cut off" else server.crash

    async def write(store: Store) -> None:
        async with Journal(store) as journal:
            for number in range(60):
                if number in {20, 40}:
                    away = asyncio.create_task(asyncio.to_thread(again))
                    await asyncio.gather(*(journal.append(*batch((number, part))) for part in range(20)), away)
                await journal.append(*batch(number))
            assert await journal.lease("answer", [key("x")]) == {key("x")}

    with Store.open(server.url()) as store:
        store.lease("answer", [key("x")])
        asyncio.run(write(store))
        expected = [each.key for number in range(60) for each in batch(number)]
        assert store.present("answer", expected) == set(expected)
        with Store.open(server.url()) as other:
            assert other.lease("answer", [key("x")]) == set()


def test_a_server_that_stays_away_is_said_without_its_password(monkeypatch):
    monkeypatch.setattr("ragassay.store.store.PAUSES", (0.01,))
    server = postgres.server()
    server.reset()
    with Store.open(server.url()) as store:
        server.stop()
        try:
            with pytest.raises(StoreUnavailable, match="the store failed") as caught:
                store.append([fact(1)])
        finally:
            server.start()
        assert postgres.PASSWORD not in str(caught.value) + repr(caught.value)
        store.append([fact(1)])
