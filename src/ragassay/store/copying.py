"""Whole stores out and in, verified. A copy is one SQLite file, whatever it was made of."""

import hashlib
import shutil
import sqlite3
import tempfile
import uuid
from pathlib import Path
from typing import Any, cast

from msgspec import Struct
from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.exc import DBAPIError

from ragassay.records import Fault, FaultyInput
from ragassay.store.faults import driver_error, explained
from ragassay.store.opening import open_database
from ragassay.store.tables import KEPT, MEMBER_ORDER, facts, failures, leases, run_members, runs
from ragassay.text.normalise import visible

_ORDERS = {
    facts: (facts.c.kind, facts.c.key),
    failures: (failures.c.number,),
    runs: (runs.c.number,),
    run_members: MEMBER_ORDER,
}
"""In what order rows are read: the same in every database that holds the same."""
_ROWS = 50


class Contents(Struct, frozen=True, kw_only=True):
    """What a store holds. Two stores with the same `digest` hold the same, in whatever database."""

    facts: int
    failures: int
    runs: int
    run_members: int
    digest: str


def contents(connection: Connection) -> Contents:
    """Count and hash everything but payloads, for which their hashes stand."""
    total, counts = hashlib.sha256(), dict[str, int]()
    for table in KEPT:
        columns = [column for column in table.c if column.name not in {"number", "payload"}]
        counts[table.name] = 0
        query = select(*columns).order_by(*_ORDERS[table]).execution_options(yield_per=1_000)
        for row in connection.execute(query):
            counts[table.name] += 1
            total.update(repr(tuple(row)).encode())
    return Contents(**counts, digest=total.hexdigest())


def check(connection: Connection) -> Contents:
    """Read everything. Raises `FaultyInput` that names every fact whose payload is not what its hash says."""
    faults = _file_faults(connection) if connection.dialect.name == "sqlite" else []
    query = select(facts.c.kind, facts.c.key, facts.c.digest, facts.c.payload).order_by(*_ORDERS[facts])
    for kind, key, digest, payload in connection.execute(query.execution_options(yield_per=_ROWS)):
        if hashlib.sha256(payload).hexdigest() != digest:
            faults.append(Fault(code="damaged_fact", message=f"store: the {kind} is not what its hash says", value=key))
    if faults:
        raise FaultyInput(faults)
    return contents(connection)


def copy_out(connection: Connection, path: Path) -> Contents:
    """Write a copy of what one transaction sees. It appears under its name when it is whole and verified."""
    if path.exists():
        raise FaultyInput([Fault(code="file_exists", message="the file is there already", value=visible(str(path)))])
    part = path.absolute().with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        if connection.dialect.name == "sqlite":
            _clone(connection, part)
        found = _complete(connection, part)
        part.rename(path)
    except (DBAPIError, sqlite3.Error) as error:
        if isinstance(driver_error(error), sqlite3.Error):
            raise explained(error, visible(str(path)), path.absolute().parent) from None
        raise
    finally:
        for left in ("", "-wal", "-shm", "-journal"):
            part.with_name(part.name + left).unlink(missing_ok=True)
    return found


def copy_in(path: Path, connection: Connection) -> Contents:
    """Take in a copy, of whatever schema. The copy itself is not touched."""
    if any(connection.execute(select(func.count()).select_from(table)).scalar_one() for table in KEPT):
        raise FaultyInput(
            [Fault(code="store_not_empty", message="store: it holds something already", remedy="name a new store")]
        )
    if not path.is_file():
        raise FaultyInput([Fault(code="no_file", message="there is no such file", value=visible(str(path)))])
    with tempfile.TemporaryDirectory() as folder:
        source = open_database(shutil.copyfile(path, Path(folder) / "store.db"))
        try:
            with source.reader.begin() as copy:
                expected = check(copy)
                _copy_rows(copy, connection)
        finally:
            source.reader.dispose()
    return _same(expected, contents(connection))


def _clone(connection: Connection, part: Path) -> None:
    target = sqlite3.connect(part)
    try:
        cast("Any", connection.connection.driver_connection).backup(target)
    finally:
        target.close()


def _complete(connection: Connection, part: Path) -> Contents:
    target = open_database(part)
    try:
        with target.writer.begin() as copy:
            if connection.dialect.name != "sqlite":
                _copy_rows(connection, copy)
            copy.execute(delete(leases))
        with target.reader.begin() as copy:
            found = check(copy)
    finally:
        target.reader.dispose()
    _seal(part)
    return found if connection.dialect.name == "sqlite" else _same(contents(connection), found)


def _copy_rows(source: Connection, target: Connection) -> None:
    for table in KEPT:
        columns = [column for column in table.c if column.name != "number"]
        query = select(*columns).order_by(*_ORDERS[table]).execution_options(yield_per=_ROWS)
        for rows in source.execute(query).mappings().partitions():
            target.execute(insert(table), [dict(row) for row in rows])


def _seal(part: Path) -> None:
    """Out of the write-ahead mode, so that the one file is everything."""
    connection = sqlite3.connect(part)
    try:
        connection.execute("PRAGMA journal_mode = DELETE")
    finally:
        connection.close()


def _file_faults(connection: Connection) -> list[Fault]:
    said = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
    return [Fault(code="damaged_store", message=f"store: {visible(str(line))}") for line in said if line != "ok"]


def _same(expected: Contents, found: Contents) -> Contents:
    if found != expected:
        raise FaultyInput(
            [
                Fault(
                    code="copy_differs",
                    message="store: the copy is not what was copied; nothing was kept",
                    value=str(found),
                    expected=str(expected),
                    remedy="check the disk, then repeat",
                )
            ]
        )
    return found
