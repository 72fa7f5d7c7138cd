"""Copies out and in: the same, whole, verified, and not in anybody's way."""

import sqlite3
import threading

import postgres
import pytest
from storing import batch, entry, fact, failed, key, member

from ragassay.records import FaultyInput
from ragassay.store import Store, StoreFull
from ragassay.store.tables import facts


@pytest.fixture
def other(place, tmp_path):
    """An empty store of the other kind."""
    if place.startswith("postgresql"):
        made = str(tmp_path / "other.db")
    else:
        postgres.server().reset()
        made = postgres.server().url()
    with Store.open(made) as opened:
        yield opened


def codes(caught) -> list[str]:
    return [fault.code for fault in caught.value.faults]


def fill(store: Store) -> None:
    store.register(entry("ab12", name="a\x00b\ud800"))
    store.register(entry("0012"))
    store.append([*batch(1), fact("large", b"\x00\xff" * 500_000, "reply"), failed(1, "b"), failed(1, "a", "\ud800")])
    store.append([member(number, query=query) for number in range(3) for query in ("я", "a", "\ud800\x00")])
    store.lease("answer", [key("taken")])


def test_a_copy_moves_everything_to_the_other_kind_of_store_and_back(store, other, tmp_path):
    fill(store)
    expected = store.check()
    assert (expected.facts, expected.failures, expected.runs, expected.run_members) == (6, 2, 2, 9)
    assert store.backup(tmp_path / "one.bak") == expected
    assert other.restore(tmp_path / "one.bak") == expected == other.check()
    assert other.backup(tmp_path / "two.bak") == expected
    for read in (
        lambda each: each.runs(),
        lambda each: each.members("r1"),
        lambda each: each.failures([key(1)]),
        lambda each: each.facts("reply", [key("large")]),
    ):
        assert read(store) == read(other)
    assert other.lease("answer", [key("taken")]) == {key("taken")}
    other.register(entry("ef56"))
    assert [each.id for each in other.runs()] == ["ef56", "0012", "ab12"]


def test_a_copy_is_one_file_and_a_store_itself(store, tmp_path):
    fill(store)
    folder = tmp_path / "copies"
    folder.mkdir()
    store.backup(folder / "copy.bak")
    assert [path.name for path in folder.iterdir()] == ["copy.bak"]
    with Store.open(folder / "copy.bak") as copy:
        assert copy.check() == store.check()


def test_a_copy_taken_while_others_write_is_of_one_moment(store, tmp_path):
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            store.append(batch(number))
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        counts = [store.backup(tmp_path / f"{number}.bak").facts for number in range(3)]
    finally:
        stop.set()
        writer.join()
    assert counts == sorted(counts)
    assert all(count % 5 == 0 for count in counts)


def test_a_copy_overwrites_nothing(store, tmp_path):
    (tmp_path / "there").write_text("mine", encoding="utf-8")
    with pytest.raises(FaultyInput) as caught:
        store.backup(tmp_path / "there")
    assert codes(caught) == ["file_exists"]
    assert (tmp_path / "there").read_text(encoding="utf-8") == "mine"


def test_a_store_that_holds_something_takes_no_copy(store, tmp_path):
    store.append([fact(1)])
    store.backup(tmp_path / "copy.bak")
    before = store.check()
    with pytest.raises(FaultyInput) as caught:
        store.restore(tmp_path / "copy.bak")
    assert codes(caught) == ["store_not_empty"]
    assert store.check() == before


def test_a_damaged_fact_is_found_and_a_damaged_copy_is_not_taken(store, other, tmp_path):
    store.append([fact(1, b"one"), fact(2, b"two"), fact(3, b"three")])
    store.backup(tmp_path / "copy.bak")
    with store._writer.begin() as connection:
        connection.execute(facts.update().where(facts.c.key.in_([key(1), key(3)])).values(payload=b"changed"))
    with pytest.raises(FaultyInput) as caught:
        store.check()
    assert {(fault.code, fault.value) for fault in caught.value.faults} == {
        ("damaged_fact", key(1)),
        ("damaged_fact", key(3)),
    }
    copy = sqlite3.connect(tmp_path / "copy.bak")
    copy.execute("UPDATE facts SET payload = X'00' WHERE key = ?", [key(2)])
    copy.commit()
    copy.close()
    with pytest.raises(FaultyInput) as caught:
        other.restore(tmp_path / "copy.bak")
    assert codes(caught) == ["damaged_fact"]
    assert other.check().facts == 0


@pytest.mark.parametrize("content", [None, b"no database at all, by any means, whatever it looks like"])
def test_what_is_no_copy_is_refused(store, tmp_path, content):
    if content is not None:
        (tmp_path / "copy.bak").write_bytes(content)
    with pytest.raises(FaultyInput):
        store.restore(tmp_path / "copy.bak")
    assert store.check().facts == 0


def test_a_copy_to_where_there_is_no_space_is_said_and_leaves_nothing(store, tmp_path, monkeypatch):
    def full(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr("ragassay.store.copying._seal", full)
    folder = tmp_path / "copies"
    folder.mkdir()
    with pytest.raises(StoreFull, match="free space"):
        store.backup(folder / "copy.bak")
    assert list(folder.iterdir()) == []
