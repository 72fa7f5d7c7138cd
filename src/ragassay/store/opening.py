"""From a path or an address to a database that is ready: reached, recognised, migrated."""

import sqlite3
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError

from ragassay.records import Fault, FaultyInput
from ragassay.store.faults import explained, reason, trouble
from ragassay.store.migrating import SCHEMA, migrate
from ragassay.text.normalise import visible

PATIENCE = 20.0
"""Seconds that a connection waits for another writer, or for a server to answer."""
_POSTGRES = ("postgresql", "postgres")
_PRAGMAS = ("PRAGMA synchronous = FULL", "PRAGMA wal_autocheckpoint = 4000", "PRAGMA journal_size_limit = 67108864")
_SETTINGS = (
    f"SET search_path TO {SCHEMA}",
    # A server that acknowledges before it has written would break our promise.
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
    # A worker whose machine is gone must not look alive for the two hours that are usual.
    "SET tcp_keepalives_idle = 30",
    "SET tcp_keepalives_interval = 10",
    "SET tcp_keepalives_count = 3",
)


class Database(NamedTuple):
    """`name` says where it is and may be shown; `folder` is where an SQLite file lies. `writer` shares the
    connections of `reader` and starts every transaction as a writing one.
    """

    name: str
    path: Path | None
    reader: Engine

    @property
    def writer(self) -> Engine:
        return self.reader.execution_options(writes=True)

    @property
    def snapshot(self) -> Engine:
        """Its transactions see one moment, however long they take. SQLite's always do."""
        if self.path is not None:
            return self.reader
        return self.reader.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @property
    def folder(self) -> Path | None:
        return None if self.path is None else self.path.parent


def open_database(place: str | Path) -> Database:
    """Reach the database, create or migrate it. Raises `FaultyInput`, `StoreFull` or `StoreUnavailable`."""
    database = _server(place) if isinstance(place, str) and "://" in place else _file(place)
    try:
        migrate(database.writer, database.path, database.name)
    except (DBAPIError, sqlite3.Error) as error:
        database.reader.dispose()
        if trouble(error) == "full" or (database.path is not None and trouble(error) == "passing"):
            raise explained(error, database.name, database.folder) from None
        raise _fault("unreachable_store", f"cannot be opened: {reason(error)}", database.name) from None
    except BaseException:
        database.reader.dispose()
        raise
    return database


def _file(place: str | Path) -> Database:
    name = visible(str(place))
    try:
        path = Path(place).absolute()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch()
    except (OSError, ValueError) as error:
        raise _fault("bad_store", f"no file can be there: {visible(str(error))}", name) from None
    if path.is_dir():
        raise _fault("bad_store", "a folder", name, "a file", f"name a file in it, such as {name}/store.db")
    url = URL.create("sqlite", database=str(path))
    engine = create_engine(url, connect_args={"timeout": PATIENCE}, hide_parameters=True, max_overflow=-1)
    event.listen(engine, "connect", _prepare_file)
    event.listen(engine, "begin", _begin)
    return Database(name, path, engine)


def _prepare_file(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # We say BEGIN ourselves, so that a table is made inside the transaction too.
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _server(address: str) -> Database:
    url = _parsed(address)
    name = visible(f"postgresql://{url.host or ''}{f':{url.port}' if url.port else ''}/{url.database or ''}")
    waits = {} if "connect_timeout" in url.query else {"connect_timeout": int(PATIENCE)}
    try:
        engine = create_engine(url, connect_args=waits, hide_parameters=True, max_overflow=-1, pool_pre_ping=True)
    except ModuleNotFoundError:
        remedy = "pip install 'ragassay[postgres]'"
        raise _fault("missing_extra", "PostgreSQL needs the extra `postgres`", name, remedy=remedy) from None
    event.listen(engine, "connect", _prepare_session)
    return Database(name, None, engine)


def _parsed(address: str) -> URL:
    """The address, which may hold a password: no part of one that cannot be read is repeated."""
    scheme = visible(address.partition("://")[0])
    shown, expected = f"{scheme}://…", "a path, or postgresql://user@host:port/database"
    if scheme not in _POSTGRES:
        raise _fault("bad_store", "no such kind of store", shown, expected)
    if address.count("@") > 1:
        remedy = "write every other @ as %40"
        raise _fault("bad_store", "the address can be read in two ways", shown, expected, remedy)
    try:
        url = make_url(address).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        raise _fault("bad_store", "the address cannot be read", shown, expected) from None
    return url


def _prepare_session(connection: DBAPIConnection, _: object) -> None:
    cursor = connection.cursor()
    for setting in _SETTINGS:
        cursor.execute(setting)
    cursor.close()
    connection.commit()


def _fault(code: str, message: str, name: str, expected: str | None = None, remedy: str | None = None) -> FaultyInput:
    return FaultyInput([Fault(code=code, message=f"store: {message}", value=name, expected=expected, remedy=remedy)])
