"""Which documents may be searched for one requester, scope and day: decided before the search, by code alone."""

from collections.abc import Iterator, Mapping
from datetime import date
from functools import cached_property

from ragassay.records import (
    Corpus,
    Document,
    FilterTerms,
    Requester,
    Strictness,
    is_applicable,
    is_current,
    may_read,
)


class Admissible:
    """What one request may see. A requester who is not named reads what everyone may read. A source without a revision
    is admissible if every revision of its document is.

    `reason` and `allows` look at one source and are cheap; `revisions` and `documents` look at the whole corpus, once,
    when they are first asked for. Without `as_of` only the status of a revision tells whether it is in force.
    """

    def __init__(
        self,
        corpus: Corpus,
        terms: FilterTerms,
        requester: Requester | None,
        scope: Mapping[str, str],
        as_of: date | None,
    ) -> None:
        self._corpus = corpus
        self._terms = terms
        self._groups = requester.groups if requester is not None else ()
        self._scope = dict(scope)
        self._as_of = as_of

    def reason(self, document: str | None, revision: str | None = None) -> str | None:
        """Why this source is not admissible, as a code; None if it is."""
        if self._terms.is_off:
            return None
        known = self._corpus.revisions(document, revision) if document is not None else []
        if not known:
            return "unknown_document"
        reasons = {self._reason(each) for each in known}
        return reasons.pop() if len(reasons) == 1 else "unknown_revision"

    def allows(self, document: str | None, revision: str | None = None) -> bool:
        """Whether a passage of this document may be found, ranked and shown."""
        return self.reason(document, revision) is None

    @cached_property
    def revisions(self) -> tuple[tuple[str, str | None], ...]:
        """Every admissible revision as (document, revision), in the order of the corpus."""
        return tuple(self._revisions())

    @cached_property
    def documents(self) -> frozenset[str]:
        """The documents with an admissible revision."""
        return frozenset(document for document, _ in self.revisions)

    def is_empty(self) -> bool:
        """Whether nothing at all is admissible."""
        return not self._terms.is_off and next(self._revisions(), None) is None

    def title(self, document: str | None, revision: str | None = None) -> str | None:
        """What the requester may be told a document is called; None for one that is not admissible."""
        if document is None or not self.allows(document, revision):
            return None
        titles = (each.title for each in self._corpus.revisions(document, revision))
        return next((title for title in titles if title), None)

    def _revisions(self) -> Iterator[tuple[str, str | None]]:
        for each in self._corpus:
            if self.allows(each.document, each.revision):
                yield each.document, each.revision

    def _reason(self, document: Document) -> str | None:
        checks: tuple[tuple[str, Strictness, bool | None], ...] = (
            ("forbidden", self._terms.access, may_read(document, self._groups)),
            ("not_in_force", self._terms.revision, is_current(document, self._as_of)),
            ("out_of_scope", self._terms.scope, is_applicable(document, self._scope)),
        )
        return next((code for code, strictness, known in checks if _is_refused(strictness, known)), None)


def _is_refused(strictness: Strictness, known: bool | None) -> bool:
    if strictness == "off":
        return False
    return known is not True if strictness == "strict" else known is False
