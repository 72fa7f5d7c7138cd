"""A whole pipeline under a contract: the application's search and generation run only where a stage lets them."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import TypedDict, Unpack

from ragassay.contract.request import Reply, Request
from ragassay.records import Citation, Requester, Result

Found = Iterable[Result]
Written = str | tuple[str, Sequence[Citation] | None]
"""The text of an answer, or the text and its citations."""


class Grounds(TypedDict, total=False):
    """What a request may be given beside its question."""

    requester: Requester | None
    scope: Mapping[str, str] | None
    as_of: date | None
    id: str | None


_Opens = Callable[..., Request]


class Guarded:
    """Called with a question and its grounds; answers with a `Reply`."""

    def __init__(
        self, opens: _Opens, search: Callable[[Request], Found], generate: Callable[[Request], Written]
    ) -> None:
        self._opens = opens
        self._search = search
        self._generate = generate

    def __call__(self, question: str, **grounds: Unpack[Grounds]) -> Reply:
        with self._opens(question, **grounds) as request:
            request.expand()
            if (
                request.filter().proceeds
                and request.search(self._search(request)).proceeds
                and request.grade().proceeds
            ):
                request.verify(*_parts(self._generate(request)))
            return request.reply


class AsyncGuarded:
    """The same from coroutine functions."""

    def __init__(
        self,
        opens: _Opens,
        search: Callable[[Request], Awaitable[Found]],
        generate: Callable[[Request], Awaitable[Written]],
    ) -> None:
        self._opens = opens
        self._search = search
        self._generate = generate

    async def __call__(self, question: str, **grounds: Unpack[Grounds]) -> Reply:
        with self._opens(question, **grounds) as request:
            request.expand()
            if not request.filter().proceeds or not request.search(await self._search(request)).proceeds:
                return request.reply
            if (await request.agrade()).proceeds:
                await request.averify(*_parts(await self._generate(request)))
            return request.reply


def _parts(written: Written) -> tuple[str, Sequence[Citation] | None]:
    return (written, None) if isinstance(written, str) else written
