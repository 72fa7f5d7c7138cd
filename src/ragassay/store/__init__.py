"""What a run must never lose: facts appended under content hashes, who works on what, which runs there are.

One SQLite file by default, PostgreSQL by URL; both behave the same.
"""

from ragassay.store.copying import Contents
from ragassay.store.entries import Fact, FactKind, Failed, Member, RunEntry, RunState
from ragassay.store.faults import StoreFull, StoreUnavailable
from ragassay.store.journal import Journal
from ragassay.store.store import Store

__all__ = [
    "Contents",
    "Fact",
    "FactKind",
    "Failed",
    "Journal",
    "Member",
    "RunEntry",
    "RunState",
    "Store",
    "StoreFull",
    "StoreUnavailable",
]
