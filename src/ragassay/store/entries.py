"""What a store holds, as records."""

import hashlib
import re
from datetime import datetime
from typing import Literal

import msgspec
from msgspec import Struct

from ragassay.records import SystemCard

FactKind = Literal["plan", "answer", "reply", "judgement"]
Place = tuple[FactKind, str]
"""The kind and the key of a fact, which may not be there yet."""
RunState = Literal["planned", "finished", "stopped"]
LARGEST = 256 * 2**20
_KEY = re.compile(r"[0-9a-f]{64}")


class Fact(Struct, frozen=True):
    """Something that was observed once and never changes. `key` is the lowercase hexadecimal SHA-256 of everything
    that could change it, not of the payload. At most 256 MiB.
    """

    kind: FactKind
    key: str
    payload: bytes

    def __post_init__(self) -> None:
        _check(self.key)
        if len(self.payload) > LARGEST:
            raise ValueError(f"a payload of {len(self.payload)} bytes; at most {LARGEST}")

    @property
    def digest(self) -> str:
        """SHA-256 of the payload."""
        return hashlib.sha256(self.payload).hexdigest()


class Failed(Struct, frozen=True):
    """One attempt at a fact that gave none. `error` is its name; `at` is aware of its time zone. Never cached."""

    kind: FactKind
    key: str
    error: str
    detail: str | None
    at: datetime

    def __post_init__(self) -> None:
        _check(self.key)
        if self.at.tzinfo is None:
            raise ValueError("a time without a time zone")


class Member(Struct, frozen=True):
    """A fact that a run is counted on, and the query it belongs to; an empty one stands for the whole dataset."""

    run: str
    query: str
    kind: FactKind
    key: str

    def __post_init__(self) -> None:
        _check(self.key)


class RunEntry(Struct, frozen=True, kw_only=True):
    """A run as the store knows it. `plan` is the hash of everything that was planned; `created` is aware of its time
    zone; `done` and `failed` count queries; `folder` is where the finished run was written.
    """

    id: str
    plan: str
    name: str
    state: RunState = "planned"
    created: datetime
    system: SystemCard
    dataset: str
    dataset_hash: str
    folder: str | None = None
    done: int = 0
    failed: int = 0

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-z]+", self.id):
            raise ValueError(f"{self.id!r} is no id of a run: lowercase letters and digits")
        if self.created.tzinfo is None:
            raise ValueError("a time without a time zone")

    @property
    def card_hash(self) -> str:
        """SHA-256 of the card of the system under test."""
        return hashlib.sha256(msgspec.json.encode(self.system, order="deterministic")).hexdigest()


def _check(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is no key: lowercase hexadecimal SHA-256")
