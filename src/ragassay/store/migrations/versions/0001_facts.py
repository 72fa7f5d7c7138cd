"""Facts, failures, runs and their members, leases."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

WORD = sa.String().with_variant(sa.String(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "facts",
        sa.Column("kind", WORD, nullable=False),
        sa.Column("key", WORD, nullable=False),
        sa.Column("digest", WORD, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("kind", "key"),
    )
    op.create_table(
        "failures",
        sa.Column("number", NUMBER, primary_key=True, autoincrement=True),
        sa.Column("digest", WORD, nullable=False, unique=True),
        sa.Column("kind", WORD, nullable=False),
        sa.Column("key", WORD, nullable=False, index=True),
        sa.Column("error", sa.LargeBinary, nullable=False),
        sa.Column("detail", sa.LargeBinary),
        sa.Column("at", WORD, nullable=False),
    )
    runs()
    op.create_table(
        "run_members",
        sa.Column("digest", WORD, primary_key=True),
        sa.Column("run", WORD, nullable=False, index=True),
        sa.Column("query", sa.LargeBinary, nullable=False),
        sa.Column("kind", WORD, nullable=False),
        sa.Column("key", WORD, nullable=False),
    )
    op.create_table(
        "leases",
        sa.Column("kind", WORD, nullable=False),
        sa.Column("key", WORD, nullable=False),
        sa.Column("worker", WORD, nullable=False),
        sa.PrimaryKeyConstraint("kind", "key"),
    )


def runs() -> None:
    op.create_table(
        "runs",
        sa.Column("number", NUMBER, primary_key=True, autoincrement=True),
        sa.Column("id", WORD, nullable=False, unique=True),
        sa.Column("plan", WORD, nullable=False),
        sa.Column("name", sa.LargeBinary, nullable=False),
        sa.Column("state", WORD, nullable=False),
        sa.Column("created", WORD, nullable=False),
        sa.Column("system", sa.LargeBinary, nullable=False),
        sa.Column("dataset", sa.LargeBinary, nullable=False),
        sa.Column("dataset_hash", WORD, nullable=False),
        sa.Column("folder", sa.LargeBinary),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("failed", sa.Integer, nullable=False),
    )
