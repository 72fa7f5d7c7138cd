"""What is under test, as far as it can change an answer."""

from typing import Literal

from msgspec import Struct

SystemKind = Literal["callable", "http", "chat", "recorded"]


class SystemCard(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything about a system under test that can change its answers. Secrets have no place here.

    `name` says where it is found: `module:function`, a URL, a model at a URL, a file. `version` is the label that
    people gave. `code` is the hash of what asks it: a function's module, a description's templates, a file of answers.
    """

    kind: SystemKind
    name: str
    version: str | None = None
    model: str | None = None
    prompt_hash: str | None = None
    index_hash: str | None = None
    code: str | None = None
    parameters: dict[str, str] = {}


class Asked(Struct, frozen=True, kw_only=True):
    """Who was asked, and which time: each repetition asks every query anew and is a run of its own."""

    system: SystemCard
    repetition: int
