"""What is under test, as whoever asks it sees it."""

from collections.abc import Sequence
from typing import Protocol

from ragassay.records import Answer, Notice, Query, SystemCard


class System(Protocol):
    """A system under test.

    What it fails at is data: whatever happens to a question is an `Answer`, and `error` (`cause`, or `cause: detail`)
    is set whenever there is no whole answer. There is no second kind of absence that would only lower the coverage, so
    a system cannot gain by failing. An answer with an error is recorded and asked again by the next run.
    """

    @property
    def card(self) -> SystemCard:
        """What can change its answers, as far as it is known before it is asked."""
        ...

    async def ask(self, query: Query) -> Answer:
        """The observation for one query. Raises `RunStopped` where no query can be asked, now or in a moment."""
        ...

    def notices(self) -> Sequence[Notice]:
        """What a reader must know about the answers so far: fields not read, a model that changed."""
        ...

    async def close(self) -> None:
        """Give back what it holds."""
        ...


def asked_part(query: Query) -> Query:
    """What a system sees of a query: nothing that experts know about it. Only this can change its answer."""
    return Query(
        id=query.id,
        question=query.question,
        language=query.language,
        requester=query.requester,
        scope=query.scope,
        as_of=query.as_of,
    )
