"""A contract at work: its terms, the corpus it guards, the judges it asks."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Self
from uuid import uuid4

import msgspec

from ragassay.contract.admission import Admissible
from ragassay.contract.asking import Asker, Counts
from ragassay.contract.expansion import Dictionary
from ragassay.contract.guarding import AsyncGuarded, Found, Guarded, Written
from ragassay.contract.judges import EMBEDDED, Judges, maker, warmed
from ragassay.contract.recording import Recorder
from ragassay.contract.request import Asked, Means, Request
from ragassay.formats.contract import load_terms
from ragassay.records import Corpus, Document, Fault, FaultyInput, Requester, ScoreKind, Terms


class Contract:
    """What stands in a request path: opened once, shared by threads, tasks and forked workers.

    No thread is started and no judge loaded before the first grade, or `warm`.
    """

    def __init__(
        self,
        terms: Terms,
        documents: Iterable[Document] | None = None,
        *,
        score_kind: ScoreKind | None = None,
        judges: str | Judges | Callable[[], Judges] = EMBEDDED,
        recorder: Recorder | None = None,
    ) -> None:
        """Raises `FaultyInput` for a score kind without a threshold, a filter without documents, an unknown judge.

        `score_kind` may be left out where the terms have one threshold. Judges are made by a callable in the thread
        that will ask them, anew after a fork; an object is used as it is.
        """
        faults = [*_filter_faults(terms, documents), *_kind_faults(terms, score_kind)]
        if faults:
            raise FaultyInput(faults)
        self.terms = terms
        self.hash = contract_hash(terms)
        self.score_kind: ScoreKind = score_kind or next(iter(terms.search.thresholds))
        self._corpus = Corpus(map(_without_text, documents or ()))
        self._asker = Asker(maker(judges))
        self._recorder = recorder
        self._means = Means(terms, self.hash, self.score_kind, Dictionary(terms.expand.synonyms), self._asker, recorder)

    @classmethod
    def load(
        cls,
        path: str | Path,
        documents: Iterable[Document] | None = None,
        *,
        score_kind: ScoreKind | None = None,
        judges: str | Judges | Callable[[], Judges] = EMBEDDED,
        recorder: Recorder | None = None,
    ) -> Self:
        """The contract of a TOML file. Raises `FaultyInput` with everything that is wrong in it."""
        return cls(load_terms(path), documents, score_kind=score_kind, judges=judges, recorder=recorder)

    def request(
        self,
        question: str,
        *,
        requester: Requester | None = None,
        scope: Mapping[str, str] | None = None,
        as_of: date | None = None,
        id: str | None = None,
    ) -> Request:
        """A request on its way. `id` is the query's where it stands in a dataset, else one is drawn."""
        asked = Asked(id or uuid4().hex, question)
        admissible = Admissible(self._corpus, self.terms.filter, requester, scope or {}, as_of)
        return Request(self._means, asked, admissible)

    def guard(self, *, search: Callable[[Request], Found], generate: Callable[[Request], Written]) -> Guarded:
        """A whole pipeline from the application's own search and generation. What they raise is raised."""
        return Guarded(self.request, search, generate)

    def aguard(
        self,
        *,
        search: Callable[[Request], Awaitable[Found]],
        generate: Callable[[Request], Awaitable[Written]],
    ) -> AsyncGuarded:
        """The same from coroutine functions."""
        return AsyncGuarded(self.request, search, generate)

    def warm(self, timeout: float = 30.0) -> bool:
        """Loads the judges and asks once, off the request path. Whether that was done in so many seconds."""
        return self._asker.ask(warmed, timeout * 1000) is True

    def renew(self, documents: Iterable[Document]) -> None:
        """Puts another corpus in place for requests that come; those on their way keep theirs."""
        self._corpus = Corpus(map(_without_text, documents))

    @property
    def counts(self) -> Counts:
        """What became of the questions to judges in this process."""
        return self._asker.counts

    def close(self) -> None:
        """Ends the worker, and writes what is still to be recorded. A request that comes later starts them again."""
        self._asker.close()
        if self._recorder is not None:
            self._recorder.close()


def contract_hash(terms: Terms) -> str:
    """SHA-256 over what the terms say, whatever the file looks like."""
    return sha256(msgspec.json.encode(terms, order="sorted")).hexdigest()


def _without_text(document: Document) -> Document:
    return document if document.text is None else msgspec.structs.replace(document, text=None)


def _filter_faults(terms: Terms, documents: Iterable[Document] | None) -> list[Fault]:
    if documents is not None or terms.filter.is_off:
        return []
    return [
        Fault(
            code="no_documents",
            message=f"the contract {terms.name} filters documents, and there are none to know them by",
            field="documents",
            remedy='give the documents of the corpus, or set access, revision and scope to "off" under [filter]',
        )
    ]


def _kind_faults(terms: Terms, kind: ScoreKind | None) -> list[Fault]:
    known = terms.search.thresholds
    if kind in known or (kind is None and len(known) == 1):
        return []
    return [
        Fault(
            code="no_threshold",
            message=f"the contract {terms.name} has no threshold for this kind of score",
            field="score_kind",
            value=repr(kind),
            expected=f"one of {', '.join(known) or 'none'}",
            remedy="calibrate a threshold on labelled queries, and set it under [search.thresholds]",
        )
    ]
