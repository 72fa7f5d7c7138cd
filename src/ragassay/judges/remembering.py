"""A judge that is asked the same only once."""

from collections.abc import Sequence

from ragassay.judges.protocol import Judge, Pair, Reading
from ragassay.records import Failure, JudgeCard, Opinion, Usage


class Remembering:
    """Another judge's outcomes, kept by the texts that they are about for as long as this lives."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._read: dict[tuple[str, str], Reading | Failure] = {}
        self._said: dict[tuple[str, str], Opinion | Failure] = {}

    @property
    def card(self) -> JudgeCard:
        return self._judge.card

    async def read(self, text: str, question: str) -> Reading | Failure:
        key = text, question
        if key not in self._read:
            self._read[key] = await self._judge.read(text, question)
        return self._read[key]

    async def verify(
        self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]
    ) -> Sequence[Opinion | Failure]:
        keys = [(claims[claim], texts[text]) for claim, text in pairs]
        unknown = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._said}
        if unknown:
            outcomes = await self._judge.verify(claims, texts, list(unknown.values()))
            self._said |= zip(unknown, outcomes, strict=True)
        return [self._said[key] for key in keys]

    def spent(self) -> Usage:
        return self._judge.spent()

    async def close(self) -> None:
        await self._judge.close()
