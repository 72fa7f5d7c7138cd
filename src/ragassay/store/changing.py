"""What one transaction changes: entries, leases given back, leases taken. Doing it twice leads to the same."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Connection, Table, delete, select, text
from sqlalchemy.dialects import postgresql, sqlite

from ragassay.store.entries import Fact, FactKind, Failed, Member, Place
from ragassay.store.rows import Row, fact_rows, failure_rows, member_rows
from ragassay.store.tables import facts, failures, leases, run_members
from ragassay.store.workers import Workers

_PART = 1_000
_LEASE_LOCK = 7_209_111_511_970_117


class Changes(NamedTuple):
    """What is to be done, in this order."""

    entries: Sequence[Fact | Failed | Member] = ()
    released: Collection[Place] = ()
    wanted: Collection[Place] = ()


class Outcome(NamedTuple):
    """Where another payload stands than the one that was to be stored; what was leased of that which was wanted."""

    differing: set[Place]
    leased: set[Place]


def apply(connection: Connection, changes: Changes, workers: Workers) -> Outcome:
    """Make the changes in the transaction of the connection."""
    differing = _append(connection, changes.entries)
    if changes.released:
        me = workers.enter()
        for kind, keys in _by_kind(changes.released):
            for part in parts(keys):
                mine = (leases.c.kind == kind, leases.c.key.in_(part), leases.c.worker == me)
                connection.execute(delete(leases).where(*mine))
    return Outcome(differing, _lease(connection, changes.wanted, workers) if changes.wanted else set())


def insert(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert what is not there yet."""
    if rows and connection.dialect.name == "sqlite":
        connection.execute(sqlite.insert(table).on_conflict_do_nothing(), rows)
    elif rows:
        # What is returned is of no interest: with it a thousand rows go in one statement, without it one by one.
        statement = postgresql.insert(table).on_conflict_do_nothing().returning(*table.primary_key)
        connection.execute(statement, rows)


def present(connection: Connection, kind: FactKind, keys: Collection[str]) -> set[str]:
    """Those of the keys whose facts are stored."""
    queries = (select(facts.c.key).where(facts.c.kind == kind, facts.c.key.in_(part)) for part in parts(keys))
    return {key for query in queries for key in connection.execute(query).scalars()}


def parts(keys: Iterable[str]) -> Iterator[list[str]]:
    """The keys in parts that every database takes in one statement."""
    rest = iter(keys)
    while part := list(islice(rest, _PART)):
        yield part


def _append(connection: Connection, entries: Sequence[Fact | Failed | Member]) -> set[Place]:
    new = fact_rows([each for each in entries if isinstance(each, Fact)])
    insert(connection, facts, new)
    insert(connection, failures, failure_rows([each for each in entries if isinstance(each, Failed)]))
    insert(connection, run_members, member_rows([each for each in entries if isinstance(each, Member)]))
    stored: dict[Place, str] = {}
    for kind, keys in _by_kind((row["kind"], row["key"]) for row in new):
        for part in parts(keys):
            query = select(facts.c.key, facts.c.digest).where(facts.c.kind == kind, facts.c.key.in_(part))
            stored.update({(kind, key): digest for key, digest in connection.execute(query)})
    return {place for row in new if stored[place := (row["kind"], row["key"])] != row["digest"]}


def _lease(connection: Connection, wanted: Collection[Place], workers: Workers) -> set[Place]:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LEASE_LOCK})
    me = workers.enter()
    owners: dict[Place, str] = {}
    known: set[Place] = set()
    for kind, keys in _by_kind(wanted):
        for part in parts(keys):
            query = select(leases.c.key, leases.c.worker).where(leases.c.kind == kind, leases.c.key.in_(part))
            owners.update({(kind, key): worker for key, worker in connection.execute(query)})
        known |= {(kind, key) for key in present(connection, kind, keys)}
    dead = workers.dead(connection, set(owners.values()) - {me})
    free = {place for place in wanted if place not in known and owners.get(place, me) in dead | {me}}
    if dead:
        connection.execute(delete(leases).where(leases.c.worker.in_(dead)))
    insert(connection, leases, [{"kind": kind, "key": key, "worker": me} for kind, key in sorted(free)])
    return free


def _by_kind(places: Iterable[Place]) -> list[tuple[FactKind, list[str]]]:
    kinds: dict[FactKind, list[str]] = {}
    for kind, key in places:
        kinds.setdefault(kind, []).append(key)
    return list(kinds.items())
