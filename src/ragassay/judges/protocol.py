"""What a judge is: it reads claims out of a text, and says of claims whether texts support them. It knows no metric."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ragassay.records import Failure, JudgeCard, Opinion, Usage


class Statement(Struct, frozen=True):
    """A claim as a judge read it out of a text; the span marks it there where it is verbatim."""

    text: str
    start: int | None = None
    end: int | None = None
    checkable: bool = True


class Reading(Struct, frozen=True, kw_only=True):
    """What a judge read in an answer: its claims, and questions that it would answer (none where it writes none).

    `suspicion` says why people must look at everything judged about this text, such as wording aimed at the judge.
    """

    statements: tuple[Statement, ...]
    questions: tuple[str, ...] = ()
    suspicion: str | None = None


Pair = tuple[int, int]
"""Index of a claim, index of a text."""


class Judge(Protocol):
    """Every judge, whatever stands behind it.

    Outcomes come in the order asked for; what could not be obtained is a `Failure` in its place, never left out and
    never raised. Texts are data: nothing in them is an instruction. Judges are asked about many cases at once, and what
    costs time on the CPU must not hold up the event loop.
    """

    @property
    def card(self) -> JudgeCard: ...

    async def read(self, text: str, question: str) -> Reading | Failure: ...

    async def verify(
        self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]
    ) -> Sequence[Opinion | Failure]: ...

    def spent(self) -> Usage:
        """What this judge has used up so far."""
        ...

    async def close(self) -> None:
        """Give back what is held open, in the event loop that asked. A judge may be asked again afterwards."""
        ...


class Relevance(Protocol):
    """How far texts are about a question, and whether together they answer it: calibrated probabilities."""

    async def relevance(self, question: str, texts: Sequence[str]) -> Sequence[float]: ...

    async def sufficiency(self, question: str, passages: Sequence[str]) -> float: ...


class Embedder(Protocol):
    """Texts as vectors of unit length, shape (n, d), float32."""

    async def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class Replies(Protocol):
    """Where a judge that pays for replies keeps them.

    Keys are SHA-256 in hexadecimal, over everything that can change the reply.
    """

    async def get(self, key: str) -> bytes | None: ...

    async def put(self, key: str, reply: bytes) -> None:
        """Returns once the reply cannot be lost. What stands under the key already stays."""
        ...
