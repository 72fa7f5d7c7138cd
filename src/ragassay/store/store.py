"""The store: facts, failures, runs, leases. Everything is one transaction, and every transaction may be repeated."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from threading import Event
from typing import Self, TypeVar

from sqlalchemy import Connection, Engine, select, update
from sqlalchemy.exc import DBAPIError

from ragassay.records import SystemCard
from ragassay.store.changing import Changes, Outcome, apply, insert, parts, present
from ragassay.store.choosing import chosen
from ragassay.store.copying import Contents, check, copy_in, copy_out
from ragassay.store.entries import Fact, FactKind, Failed, Member, RunEntry, RunState
from ragassay.store.faults import explained, trouble
from ragassay.store.opening import Database, open_database
from ragassay.store.rows import failure, member, run_entry, run_row
from ragassay.store.tables import MEMBER_ORDER, facts, failures, run_members, runs
from ragassay.store.workers import FileWorkers, SessionWorkers, Workers

PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before a transaction is tried again that another writer or a lost connection stopped."""
_T = TypeVar("_T")


class Store:
    """A store that is open. Threads may share it; it is one worker. Close it, or use it in a `with`.

    Every method raises `StoreFull` where the disk takes no more and `StoreUnavailable` where the database does not
    answer for too long. Whatever was being written then is unknown, and writing it again is safe.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reader, self._writer = database.reader, database.writer
        self._workers: Workers = (
            SessionWorkers(database.reader) if database.path is None else FileWorkers(database.path)
        )
        self._closing = Event()

    @classmethod
    def open(cls, place: str | Path) -> Self:
        """Open the store in a file, or at `postgresql://user@host/database`; create or migrate it where that is needed.

        Raises `FaultyInput` for an address that cannot be read or reached, a missing extra, a database of something
        else and a schema that only a newer version knows.
        """
        return cls(open_database(place))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({self.name!r})"

    @property
    def name(self) -> str:
        """Where it is, without user and password."""
        return self._database.name

    def close(self) -> None:
        """Let go of the database. The leases of this worker are free from now on."""
        self._closing.set()
        self._workers.leave()
        self._reader.dispose()

    def commit(self, changes: Changes) -> Outcome:
        """Make all the changes in one transaction that is on disk on return."""
        return self._do(self._writer, lambda connection: apply(connection, changes, self._workers))

    def append(self, entries: Sequence[Fact | Failed | Member]) -> set[str]:
        """Store all of them in one transaction that is on disk on return. What is stored already is left as it is.

        Returns the keys of those facts under which another payload stands: the first one counts, for everybody.
        """
        return {key for _, key in self.commit(Changes(entries=entries)).differing}

    def facts(self, kind: FactKind, keys: Collection[str]) -> dict[str, bytes]:
        """Key → payload of those that are stored."""

        def work(connection: Connection) -> dict[str, bytes]:
            found: dict[str, bytes] = {}
            for part in parts(keys):
                query = select(facts.c.key, facts.c.payload).where(facts.c.kind == kind, facts.c.key.in_(part))
                found.update(connection.execute(query).all())
            return found

        return self._do(self._reader, work)

    def present(self, kind: FactKind, keys: Collection[str]) -> set[str]:
        """Those of the keys whose facts are stored."""
        return self._do(self._reader, lambda connection: present(connection, kind, keys))

    def failures(self, keys: Collection[str]) -> dict[str, tuple[Failed, ...]]:
        """Key → every failed attempt at it, in the order of their arrival."""

        def work(connection: Connection) -> dict[str, tuple[Failed, ...]]:
            found: dict[str, tuple[Failed, ...]] = {}
            for part in parts(keys):
                query = select(failures).where(failures.c.key.in_(part)).order_by(failures.c.number)
                for row in connection.execute(query).mappings():
                    found[row["key"]] = (*found.get(row["key"], ()), failure(row))
            return found

        return self._do(self._reader, work)

    def register(self, entry: RunEntry) -> RunEntry:
        """Enter a run. Where its id is known, the entry that stands is returned, and the new one is not stored."""

        def work(connection: Connection) -> RunEntry:
            insert(connection, runs, [run_row(entry)])
            return run_entry(connection.execute(select(runs).where(runs.c.id == entry.id)).mappings().one())

        return self._do(self._writer, work)

    def finish(self, run: str, state: RunState, *, done: int, failed: int, folder: str | None = None) -> None:
        """Say how far a run came. Raises `LookupError` for an id that nobody registered."""
        values = {"state": state, "done": done, "failed": failed, "folder": folder}
        changed = self._do(
            self._writer, lambda connection: connection.execute(update(runs).where(runs.c.id == run), values).rowcount
        )
        if not changed:
            raise LookupError(run)

    def runs(self) -> list[RunEntry]:
        """Every run, the newest first."""

        def work(connection: Connection) -> list[RunEntry]:
            return [
                run_entry(row) for row in connection.execute(select(runs).order_by(runs.c.number.desc())).mappings()
            ]

        return self._do(self._reader, work)

    def run(self, which: str) -> RunEntry:
        """The run of this id, of this name, or whose id starts so. Raises `FaultyInput` where none or several do."""
        return chosen(which, self.runs(), self.name)

    def systems(self, version: str) -> dict[str, SystemCard]:
        """Hash of the card → card of every system that was run under this label."""
        return {entry.card_hash: entry.system for entry in self.runs() if entry.system.version == version}

    def members(self, run: str) -> list[Member]:
        """The facts that a run is counted on, sorted."""
        query = select(run_members).where(run_members.c.run == run).order_by(*MEMBER_ORDER)
        return self._do(self._reader, lambda connection: [member(row) for row in connection.execute(query).mappings()])

    def lease(self, kind: FactKind, keys: Collection[str]) -> set[str]:
        """Take what is to be done: those of the keys without a fact, on which no other living worker is at work.

        A lease ends with `release`, `close` or the end of the process, however it ends.
        """
        return {key for _, key in self.commit(Changes(wanted=[(kind, key) for key in keys])).leased}

    def release(self, kind: FactKind, keys: Collection[str]) -> None:
        """Give back what this worker has taken: done, or not to be done by it."""
        self.commit(Changes(released=[(kind, key) for key in keys]))

    def check(self) -> Contents:
        """Read everything and compare it with its hashes. Raises `FaultyInput` that names every damaged fact."""
        return self._do(self._reader, check)

    def backup(self, path: Path) -> Contents:
        """Write a copy into one SQLite file, which is a store itself, while others go on. It is verified first.

        Raises `FaultyInput` where the file is there already.
        """
        return self._do(self._database.snapshot, lambda connection: copy_out(connection, path))

    def restore(self, path: Path) -> Contents:
        """Take in a copy, whole or not at all, verified. Raises `FaultyInput` where this store is not empty."""
        return self._do(self._writer, lambda connection: copy_in(path, connection))

    def _do(self, engine: Engine, work: Callable[[Connection], _T]) -> _T:
        """One transaction. A commit that failed is unknown; `work` must lead to the same when it is done twice."""
        pauses = iter(PAUSES)
        while True:
            try:
                with engine.begin() as connection:
                    return work(connection)
            except DBAPIError as error:
                pause = next(pauses, None)
                if pause is None or trouble(error) != "passing" or self._closing.wait(pause):
                    raise explained(error, self.name, self._database.folder) from None
