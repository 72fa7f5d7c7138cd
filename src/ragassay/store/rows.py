"""Records into rows and back."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import RowMapping

from ragassay.records import SystemCard
from ragassay.store.entries import Fact, Failed, Member, RunEntry

Row = dict[str, Any]


def fact_rows(facts: Sequence[Fact]) -> list[Row]:
    """Sorted, so that two writers with the same facts wait for each other instead of blocking each other."""
    ordered = sorted(facts, key=lambda fact: (fact.kind, fact.key))
    return [{"kind": each.kind, "key": each.key, "digest": each.digest, "payload": each.payload} for each in ordered]


def failure_rows(failures: Sequence[Failed]) -> list[Row]:
    return [_identified({**msgspec.structs.asdict(each), "at": _written(each.at)}) for each in failures]


def failure(row: RowMapping) -> Failed:
    return Failed(row["kind"], row["key"], row["error"], row["detail"], datetime.fromisoformat(row["at"]))


def member_rows(members: Sequence[Member]) -> list[Row]:
    return sorted((_identified(msgspec.structs.asdict(each)) for each in members), key=lambda row: row["digest"])


def member(row: RowMapping) -> Member:
    return Member(row["run"], row["query"], row["kind"], row["key"])


def run_row(entry: RunEntry) -> Row:
    changed = {"created": _written(entry.created), "system": msgspec.json.encode(entry.system)}
    return {**msgspec.structs.asdict(entry), **changed}


def run_entry(row: RowMapping) -> RunEntry:
    values = {name: row[name] for name in RunEntry.__struct_fields__}
    values["created"] = datetime.fromisoformat(row["created"])
    values["system"] = msgspec.json.decode(row["system"], type=SystemCard)
    return RunEntry(**values)


def _identified(row: Row) -> Row:
    """`digest` tells a row that is written again from another one; no database indexes texts of any length."""
    return {**row, "digest": hashlib.sha256(repr(sorted(row.items())).encode()).hexdigest()}


def _written(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="microseconds")
