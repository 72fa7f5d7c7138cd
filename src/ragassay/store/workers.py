"""Which workers are alive: each holds a lock that the system frees when the worker is gone. No clock is asked."""

import sqlite3
import uuid
from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, text

from ragassay.store.faults import explained


class Workers(Protocol):
    """The workers of one store."""

    def enter(self) -> str:
        """The token of this worker, which is alive from now on."""
        ...

    def dead(self, connection: Connection, tokens: Collection[str]) -> set[str]:
        """Those of the tokens whose workers are gone."""
        ...

    def leave(self) -> None: ...


class FileWorkers:
    """One empty file per worker beside an SQLite store, locked as SQLite locks databases: on every system, and
    not inherited by child processes.
    """

    def __init__(self, store: Path) -> None:
        self._folder = store.with_name(f"{store.name}-workers")
        self._token: str | None = None
        self._lock: sqlite3.Connection | None = None

    def enter(self) -> str:
        if self._token is None:
            token = uuid.uuid4().hex
            try:
                self._folder.mkdir(exist_ok=True)
                self._lock = sqlite3.connect(self._folder / token, isolation_level=None, check_same_thread=False)
                self._lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.Error as error:
                raise explained(error, str(self._folder), self._folder) from None
            self._token = token
        return self._token

    def dead(self, connection: Connection, tokens: Collection[str]) -> set[str]:  # noqa: ARG002
        return {token for token in tokens if self._is_dead(self._folder / token)}

    def _is_dead(self, file: Path) -> bool:
        try:
            lock = sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True, timeout=0, isolation_level=None)
        except sqlite3.OperationalError:
            return not file.exists()
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return not file.exists()
        finally:
            lock.close()
        file.unlink(missing_ok=True)
        return True

    def leave(self) -> None:
        if self._lock is not None and self._token is not None:
            self._lock.close()
            (self._folder / self._token).unlink(missing_ok=True)
        self._lock = self._token = None


class SessionWorkers:
    """One session per worker on a PostgreSQL server, holding an advisory lock whose number is the token.

    The lock is shared, so that a worker that was cut off takes its own again although the server has not noticed yet.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._token = str(uuid.uuid4().int >> 65)
        self._session: Connection | None = None

    def enter(self) -> str:
        if self._session is not None:
            try:
                self._session.execute(text("SELECT 1"))
            except BaseException:
                self.leave()
                raise
        if self._session is None:
            session = self._engine.connect()
            session.execute(text("SELECT pg_advisory_lock_shared(:token)"), {"token": int(self._token)})
            self._session = session
        return self._token

    def dead(self, connection: Connection, tokens: Collection[str]) -> set[str]:
        held = connection.execute(
            text(
                "SELECT (classid::bigint << 32 | objid::bigint)::text FROM pg_locks WHERE locktype = 'advisory'"
                " AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
        )
        return set(tokens) - set(held.scalars())

    def leave(self) -> None:
        if self._session is not None:
            # Back in the pool the connection would keep its lock.
            self._session.invalidate()
            self._session.close()
            self._session = None
