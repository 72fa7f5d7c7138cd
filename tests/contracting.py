"""A small corpus under a contract, and judges that do as they are told."""

import asyncio
from collections.abc import Sequence
from datetime import date
from threading import Event
from typing import Any

from ragassay.contract import Contract, Judges
from ragassay.judges.protocol import Pair, Reading
from ragassay.records import Document, Failure, JudgeCard, Opinion, Requester, Result, Terms, Usage

TODAY = date(2026, 10, 1)
QUESTION = "What torque do the M12 bolts of the K-7 housing take?"
ANSWER = "The M12 bolts take 80 Nm [1]. The bolts are blue."
REQUESTER = Requester(groups=("assembly",))
DOCUMENTS = (
    Document(
        document="TI-204",
        revision="C",
        status="in_force",
        valid_from=date(2026, 3, 1),
        readers=("assembly",),
        applies_to={"product": ("K-7",)},
        title="Assembly of the K-7 gearbox",
        text="long",
    ),
    Document(
        document="TI-204",
        revision="B",
        status="superseded",
        valid_from=date(2024, 3, 1),
        valid_to=date(2026, 3, 1),
        readers=("assembly",),
        title="Assembly of the K-7 gearbox, old",
    ),
    Document(document="HR-1", revision="1", status="in_force", readers=("board",), title="Secret salaries"),
    Document(document="GL-1", revision="1", status="in_force", readers=("*",), title="Glossary"),
)


def passage(name: str, score: float | None = 0.9, text: str | None = "M12 bolts of the K-7 take 80 Nm.") -> Result:
    """The passage `TI-204@C#1`, named in full."""
    document, _, rest = name.partition("@")
    return Result(passage=name, document=document, revision=rest.partition("#")[0] or None, score=score, text=text)


GOOD, OLD, SECRET = passage("TI-204@C#1"), passage("TI-204@B#1"), passage("HR-1@1#1", text="Salaries of the board.")


class Said:
    """A judge with fixed numbers; a claim is supported if it holds a word of `supported`, else neutral."""

    def __init__(self, *, sufficiency: float = 0.9, relevance: float = 0.9, supported: str = "80", denied: str = "~"):
        self.numbers = sufficiency, relevance
        self.supported, self.denied = supported, denied
        self.asked: list[Any] = []

    @property
    def card(self) -> JudgeCard:
        return JudgeCard(name="said", kind="human", version="1", screens=False)

    async def relevance(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked.append(("relevance", question, tuple(texts)))
        return [self.numbers[1]] * len(texts)

    async def sufficiency(self, question: str, passages: Sequence[str]) -> float:
        return self.numbers[0]

    async def read(self, text: str, question: str) -> Reading | Failure:
        raise NotImplementedError

    async def verify(
        self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]
    ) -> Sequence[Opinion | Failure]:
        self.asked.append(("verify", tuple(claims), tuple(texts)))
        return [self._opinion(claims[claim]) for claim, _ in pairs]

    def _opinion(self, claim: str) -> Opinion:
        if self.denied in claim:
            return Opinion(verdict="contradicts", probability=0.0)
        is_supported = self.supported in claim
        return Opinion(verdict="supports" if is_supported else "neutral", probability=float(is_supported))

    def spent(self) -> Usage:
        return Usage()

    async def close(self) -> None:
        return None


class Held(Said):
    """Holds its thread until it is let go; `entered` tells that it is in there."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.let_go = Event(), Event()

    async def relevance(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.entered.set()
        self.let_go.wait(30)
        return await super().relevance(question, texts)


class Waiting(Said):
    """Waits in its event loop for ever."""

    async def relevance(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        await asyncio.Event().wait()
        return []


class Raising(Said):
    """Raises what it is given."""

    def __init__(self, raised: BaseException) -> None:
        super().__init__()
        self.raised = raised

    async def relevance(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        raise self.raised

    async def verify(
        self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]
    ) -> Sequence[Opinion | Failure]:
        raise self.raised


def judged(judge: Said) -> Judges:
    return Judges(judge, judge)


def contract(judge: Said | None = None, terms: Terms | None = None, **given: Any) -> Contract:
    """A contract over `DOCUMENTS` whose budgets no loaded machine exceeds."""
    return Contract(terms or Terms(name="test"), DOCUMENTS, judges=judged(judge or Said()), **given)
