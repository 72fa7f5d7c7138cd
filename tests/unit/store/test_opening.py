"""From a path or an address to a store; what is refused, and what never shows."""

import logging
import shutil
import socket
import sqlite3
import traceback
from pathlib import Path

import postgres
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from storing import THEN, entry, fact, failed, key, member

from ragassay.records import FaultyInput
from ragassay.store import Store
from ragassay.store.migrating import MIGRATIONS, migrate
from ragassay.store.opening import open_database
from ragassay.store.tables import metadata

SCHEMAS = Path(__file__).parent / "schemas"
REVISIONS = sorted(path.stem.partition("_")[0] for path in (MIGRATIONS / "versions").glob("*.py"))
NEXT = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "9999", "{before}"


def upgrade():
    op.create_table("later", sa.Column("id", sa.Integer, primary_key=True))
    op.add_column("runs", sa.Column("later", sa.String))
    {more}
"""


def refused(place) -> str:
    """The code of the only fault with which a place is refused."""
    with pytest.raises(FaultyInput) as caught:
        Store.open(place)
    assert len(caught.value.faults) == 1
    return caught.value.faults[0].code


def scripts(folder: Path, more: str = "pass") -> Path:
    """The migrations of a later version of this package."""
    later = shutil.copytree(MIGRATIONS, folder / "later")
    (later / "versions" / "9999_later.py").write_text(NEXT.format(before=REVISIONS[-1], more=more), encoding="utf-8")
    return later


def test_a_file_is_made_with_its_folder(tmp_path):
    with Store.open(tmp_path / "new" / "folder" / "store.db") as store:
        store.append([fact(1)])
    with Store.open(str(tmp_path / "new" / "folder" / "store.db")) as store:
        assert store.present("answer", [key(1)]) == {key(1)}
        assert store.name == str(tmp_path / "new" / "folder" / "store.db")


@pytest.mark.parametrize("name", ["a b%20c#?&.db", "Хранилище №1.db", "-x;.db", "'\".db", ":memory:"])
def test_any_name_of_a_file_is_only_a_name(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with Store.open(name) as store:
        store.append([fact(1)])
        store.lease("answer", [key(2)])
    assert (tmp_path / name).is_file()


def test_writing_waits_for_the_disk(tmp_path):
    with Store.open(tmp_path / "store.db") as store, store._writer.begin() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_places_that_cannot_be_a_store(tmp_path):
    (tmp_path / "text").write_text("no database, but long enough to be looked at", encoding="utf-8")
    assert refused(tmp_path) == "bad_store"
    assert refused("a\0b") == "bad_store"
    assert refused(tmp_path / "text" / "store.db") == "bad_store"
    assert refused(tmp_path / "text") == "unreachable_store"
    assert refused("mysql://user@host/database") == "bad_store"
    assert refused("sqlite:///store.db") == "bad_store"
    assert refused("postgresql://user@host:port/database") == "bad_store"


def test_a_database_of_something_else_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE alembic_version (version_num TEXT)")
    other.close()
    before = path.read_bytes()
    assert refused(path) == "foreign_store"
    assert path.read_bytes() == before


def test_a_server_may_hold_tables_of_others():
    server = postgres.server()
    server.reset()
    server.sql(
        "CREATE TABLE IF NOT EXISTS public.facts (mine text)", "CREATE TABLE IF NOT EXISTS alembic_version (x int)"
    )
    try:
        with Store.open(server.url()) as store:
            store.append([fact(1)])
            assert store.check().facts == 1
        assert server.sql("SELECT count(*) FROM public.facts") == [(0,)]
    finally:
        server.sql("DROP TABLE public.facts", "DROP TABLE public.alembic_version")


def test_a_missing_driver_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(FaultyInput, match=r"ragassay\[postgres\]"):
        Store.open("postgresql://user@localhost/database")


def test_no_password_is_ever_shown(caplog):
    server, secret = postgres.server(), postgres.PASSWORD
    server.reset()
    caplog.set_level(logging.DEBUG)
    shown = []
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = f"127.0.0.1:{closed.getsockname()[1]}"
    for address in (
        f"postgresql://owner:wr{secret}@127.0.0.1:{server.port}/postgres",
        server.url("wr" + secret),
        server.url() + "?sslmode=banana",
        server.url() + "?nonsense=1",
        server.url() + "_no_such_database",
        f"postgresql://owner@{nobody}/x?password={server.url().split(':')[2].split('@')[0]}",
        f"postgresql://owner:{secret}@{nobody}/x",
        f"postgresql://owner:x@{secret}@{nobody}/x",
        f"postgresql://owner:{secret}@127.0.0.1:port/x",
        f"mysql://owner:{secret}@host/x",
    ):
        with pytest.raises(FaultyInput) as caught:
            Store.open(address)
        shown += [str(caught.value), repr(caught.value), *traceback.format_exception(caught.value)]
    with Store.open(server.url()) as store:
        store.append([fact(1)])
        shown += [repr(store), store.name, repr(store._database), repr(store._workers)]
    said = "\n".join([*shown, caplog.text])
    for form in (secret, server.url().split(":")[2].split("@")[0], "s3cret"):
        assert form not in said


def test_the_newest_schema_is_the_one_in_the_tables(place):
    with Store.open(place) as store, store._reader.begin() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_store_of_every_schema_that_ever_landed_is_brought_up_to_date(tmp_path, kind, revision):
    dump = (SCHEMAS / f"{revision}.{kind}.sql").read_text(encoding="utf-8")
    place = str(tmp_path / "store.db")
    if kind == "sqlite":
        old = sqlite3.connect(place)
        old.executescript(dump)
        old.close()
    else:
        postgres.server().reset()
        postgres.server().sql(*(part for part in dump.split(";\n") if part.strip()))
        place = postgres.server().url()
    with Store.open(place) as store:
        assert store.check().facts == 2
        assert store.facts("answer", [key(1)]) == {key(1): b"\x00\xff"}
        assert store.failures([key(2)]) == {key(2): (failed(2, "timeout", "\ud800\x00"),)}
        assert store.run("ab12") == entry("ab12", name="Ночной", state="finished", done=1, folder="runs/ab12")
        assert store.members("ab12") == [member(1, run="ab12")]
        assert store.failures([key(2)])[key(2)][0].at == THEN


def test_a_file_is_copied_before_it_is_migrated_and_an_old_version_refuses_the_new_schema(place, tmp_path):
    with Store.open(place) as store:
        store.append([fact(1)])
        expected = store.check()
    database = open_database(place)
    migrate(database.writer, database.path, database.name, scripts(tmp_path))
    database.reader.dispose()
    with pytest.raises(FaultyInput, match="schema 9999") as caught:
        Store.open(place)
    assert [fault.code for fault in caught.value.faults] == ["newer_store"]
    if database.path is not None:
        with Store.open(f"{place}.{REVISIONS[-1]}.bak") as kept:
            assert kept.check() == expected


def test_a_migration_that_fails_leaves_everything_as_it_was(place, tmp_path):
    with Store.open(place) as store:
        store.append([fact(1)])
        expected = store.check()
    database = open_database(place)
    with pytest.raises(ZeroDivisionError):
        migrate(database.writer, database.path, database.name, scripts(tmp_path, more="1 / 0"))
    database.reader.dispose()
    with Store.open(place) as store:
        assert store.check() == expected
