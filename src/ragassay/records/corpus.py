"""What the corpus says of a source: known, in force, readable, applicable. Decided by code, never by a judge."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import NamedTuple

from ragassay.records.document import Document, is_applicable, is_current, may_read
from ragassay.records.query import Query


class Standing(NamedTuple):
    """How a source stands towards one query. None is unknown."""

    in_corpus: bool | None
    in_force: bool | None
    readable: bool | None
    in_scope: bool | None


UNKNOWN = Standing(None, None, None, None)
ABSENT = Standing(False, None, None, None)


class Corpus:
    """The revisions of every document, by document id. Without documents, everything about a source is unknown."""

    def __init__(self, documents: Iterable[Document] | None) -> None:
        self.is_known = documents is not None
        self._revisions: dict[str, dict[str | None, Document]] = {}
        for document in documents or ():
            self._revisions.setdefault(document.document, {})[document.revision] = document

    def __iter__(self) -> Iterator[Document]:
        return (each for known in self._revisions.values() for each in known.values())

    def __contains__(self, document: str) -> bool:
        return document in self._revisions

    def revisions(self, document: str, revision: str | None = None) -> list[Document]:
        """The named revision alone, or every revision of the document where none is named."""
        known = self._revisions.get(document, {})
        if revision is None:
            return list(known.values())
        return [known[revision]] if revision in known else []

    def standing(self, document: str | None, revision: str | None, query: Query, as_of: date | None) -> Standing:
        """How a source stands towards a query. Where the revision is not recorded, only what all revisions share is
        known."""
        if not self.is_known or document is None:
            return UNKNOWN
        revisions = self.revisions(document, revision)
        if not revisions:
            return ABSENT
        return Standing(
            in_corpus=True,
            in_force=_unanimous(is_current(each, as_of) for each in revisions),
            readable=_unanimous(_readable(each, query) for each in revisions),
            in_scope=_unanimous(is_applicable(each, query.scope) for each in revisions),
        )

    def best_standing(self, document: str | None, query: Query, as_of: date | None) -> Standing:
        """How a gold document stands: in force and readable if one of its revisions is both."""
        if not self.is_known or document is None:
            return UNKNOWN
        revisions = self.revisions(document)
        if not revisions:
            return ABSENT
        current = [each for each in revisions if is_current(each, as_of) is not False]
        return Standing(
            in_corpus=True,
            in_force=_any(is_current(each, as_of) for each in revisions),
            readable=_any(_readable(each, query) for each in current or revisions),
            in_scope=_any(is_applicable(each, query.scope) for each in current or revisions),
        )


def _readable(document: Document, query: Query) -> bool | None:
    return None if query.requester is None else may_read(document, query.requester.groups)


def _unanimous(values: Iterable[bool | None]) -> bool | None:
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def _any(values: Iterable[bool | None]) -> bool | None:
    distinct = set(values)
    if True in distinct:
        return True
    return None if None in distinct else False
