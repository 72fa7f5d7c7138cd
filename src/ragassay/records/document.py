"""A revision of a document, with the rules that say when and for whom it holds."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Literal

from msgspec import Struct

Status = Literal["in_force", "superseded", "draft", "withdrawn", "unknown"]
EVERYONE = "*"


class Document(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One revision of one document. Dates are half-open: in force from `valid_from` until the day before `valid_to`.

    What is unknown stays unknown: `readers` None, `status` "unknown", and an axis absent from `applies_to` claim
    nothing.
    """

    document: str
    revision: str | None = None
    status: Status = "unknown"
    valid_from: date | None = None
    valid_to: date | None = None
    readers: tuple[str, ...] | None = None
    applies_to: dict[str, tuple[str, ...]] = {}
    source: str | None = None
    title: str | None = None
    text: str | None = None


def is_current(document: Document, as_of: date | None) -> bool | None:
    """Whether this revision is in force on that day; None where neither status nor dates tell.

    A superseded revision was in force until its `valid_to`, so a question about the past may rest on it. A draft
    never is.
    """
    if document.status == "draft":
        return False
    if as_of is None or (document.valid_from is None and document.valid_to is None):
        return None if document.status == "unknown" else document.status == "in_force"
    if document.valid_from is not None and as_of < document.valid_from:
        return False
    if document.valid_to is not None:
        return as_of < document.valid_to
    return document.status in ("in_force", "unknown")


def may_read(document: Document, groups: Iterable[str]) -> bool | None:
    """Whether a requester of these groups may read it; None where the document does not say."""
    if document.readers is None:
        return None
    return EVERYONE in document.readers or not set(groups).isdisjoint(document.readers)


def is_applicable(document: Document, scope: Mapping[str, str]) -> bool | None:
    """Whether the declared scope covers the query's on every axis both name; None where they share no axis."""
    shared = scope.keys() & document.applies_to.keys()
    if not shared:
        return None
    return all(EVERYONE in document.applies_to[axis] or scope[axis] in document.applies_to[axis] for axis in shared)
