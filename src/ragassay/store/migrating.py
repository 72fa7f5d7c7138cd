"""From the schema a database has to the newest one, whole or not at all."""

import sqlite3
import time
from pathlib import Path
from threading import Lock

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

from ragassay.records import Fault, FaultyInput

SCHEMA = "ragassay"
"""Where the tables are in PostgreSQL, beside those of others."""
MIGRATIONS = Path(__file__).parent / "migrations"
_OURS = {"alembic_version", "facts", "run_members"}
_MIGRATION_LOCK = 7_209_111_511_970_116
_ALEMBIC = Lock()  # Alembic hands the running migration to its scripts through variables of its modules.


def migrate(engine: Engine, path: Path | None, name: str, scripts: Path = MIGRATIONS) -> None:
    """Bring the database to the newest schema, or leave it as it was. An SQLite file with an older one is copied
    first, to `NAME.REVISION.bak` beside it.

    Raises `FaultyInput` for a database that is not ours, or of a schema that only a newer version knows.
    """
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    script = ScriptDirectory.from_config(config)
    with engine.execution_options(writes=False).connect() as connection:
        current = _revision(connection, name)
    if current == script.get_current_head():
        return
    if path is not None:
        _write_ahead(path)
    with _ALEMBIC, engine.begin() as connection:
        if path is None:
            _prepare_schema(connection)
        current = _revision(connection, name)
        if current is not None:
            _check_known(current, script, name)
            if path is not None and current != script.get_current_head():
                _keep(path, current)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _revision(connection: Connection, name: str) -> str | None:
    schema = None if connection.dialect.name == "sqlite" else SCHEMA
    tables = set(inspect(connection).get_table_names(schema))
    if not tables:
        return None
    if not tables >= _OURS:
        raise FaultyInput([_foreign(name, sorted(tables))])
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()


def _prepare_schema(connection: Connection) -> None:
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK})
    if SCHEMA not in inspect(connection).get_schema_names():
        connection.execute(text(f"CREATE SCHEMA {SCHEMA}"))


def _write_ahead(path: Path) -> None:
    """Turn the write-ahead log on, for good. Others may be opening the same new file, and SQLite does not wait here."""
    connection = sqlite3.connect(path, timeout=1.0)
    try:
        for _ in range(20):
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                time.sleep(0.1)
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _keep(path: Path, revision: str) -> None:
    source = sqlite3.connect(path)
    target = sqlite3.connect(path.with_name(f"{path.name}.{revision}.bak"))
    try:
        source.backup(target)
    finally:
        target.close()
        source.close()


def _check_known(current: str, script: ScriptDirectory, name: str) -> None:
    if current not in {known.revision for known in script.walk_revisions()}:
        raise FaultyInput(
            [
                Fault(
                    code="newer_store",
                    message=f"store: {name} was written by a newer version of ragassay",
                    value=f"schema {current}",
                    expected=f"schema {script.get_current_head()} or older",
                    remedy="upgrade ragassay, or name another store",
                )
            ]
        )


def _foreign(name: str, tables: list[str]) -> Fault:
    return Fault(
        code="foreign_store",
        message=f"store: {name} holds tables of something else",
        value=", ".join(tables[:5]),
        expected="an empty database, or one of ragassay",
        remedy="name another store",
    )
