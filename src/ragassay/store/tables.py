"""The tables of the newest schema; `migrations/` says how a store gets there."""

from sqlalchemy import BigInteger, Column, Dialect, Integer, LargeBinary, MetaData, PrimaryKeyConstraint, String, Table
from sqlalchemy.types import TypeDecorator


class Outside(TypeDecorator[str]):
    """Text from outside, as UTF-8 bytes: NUL, lone surrogates and sorting are the same in every database."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002
        return None if value is None else value.encode("utf-8", "surrogatepass")

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else value.decode("utf-8", "surrogatepass")


Word = String().with_variant(String(collation="C"), "postgresql")
"""ASCII of our own making: hashes, ids, states, times. Sorted by code points."""
Number = BigInteger().with_variant(Integer(), "sqlite")
"""Counts rows in the order of their arrival; SQLite knows only one type that does."""

metadata = MetaData()

facts = Table(
    "facts",
    metadata,
    Column("kind", Word, nullable=False),
    Column("key", Word, nullable=False),
    Column("digest", Word, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    PrimaryKeyConstraint("kind", "key"),
)

failures = Table(
    "failures",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("digest", Word, nullable=False, unique=True),
    Column("kind", Word, nullable=False),
    Column("key", Word, nullable=False, index=True),
    Column("error", Outside, nullable=False),
    Column("detail", Outside),
    Column("at", Word, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("id", Word, nullable=False, unique=True),
    Column("plan", Word, nullable=False),
    Column("name", Outside, nullable=False),
    Column("state", Word, nullable=False),
    Column("created", Word, nullable=False),
    Column("system", LargeBinary, nullable=False),
    Column("dataset", Outside, nullable=False),
    Column("dataset_hash", Word, nullable=False),
    Column("folder", Outside),
    Column("done", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
)

run_members = Table(
    "run_members",
    metadata,
    Column("digest", Word, primary_key=True),
    Column("run", Word, nullable=False, index=True),
    Column("query", Outside, nullable=False),
    Column("kind", Word, nullable=False),
    Column("key", Word, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("kind", Word, nullable=False),
    Column("key", Word, nullable=False),
    Column("worker", Word, nullable=False),
    PrimaryKeyConstraint("kind", "key"),
)

MEMBER_ORDER = (run_members.c.run, run_members.c.query, run_members.c.kind, run_members.c.key)
KEPT = (facts, failures, runs, run_members)
"""What a backup holds: everything but who works on what at the moment."""
