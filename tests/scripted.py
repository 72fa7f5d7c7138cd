"""A judge that says what it is told: verdicts by claim and text, so that tests know the right numbers."""

from hashlib import sha256

from ragassay.judges.protocol import Reading, Statement
from ragassay.records import Failure, JudgeCard, Opinion, Usage
from ragassay.text.statements import statements


class ScriptedJudge:
    """`verdicts` maps (claim, text) to a verdict, or to `error:name`. Everything else is neutral.

    `shown` keeps what the judge was asked, in order.
    """

    def __init__(self, verdicts=None, read=None):
        self.verdicts = verdicts or {}
        self.readings = read or {}
        self.shown = []

    @property
    def card(self):
        return JudgeCard(name="scripted", kind="human", version="1", screens=False)

    async def read(self, text, question):
        self.shown.append(("read", text, question))
        found = self.readings.get(text)
        if isinstance(found, str) and found.startswith("error:"):
            return Failure(error=found.removeprefix("error:"))
        if found is not None:
            return Reading(statements=tuple(Statement(each) for each in found))
        return Reading(statements=tuple(Statement(text[span.start : span.end], *span) for span in statements(text)))

    async def verify(self, claims, texts, pairs):
        self.shown += [("verify", claims[claim], texts[text]) for claim, text in pairs]
        return [self._outcome(claims[claim], texts[text]) for claim, text in pairs]

    def _outcome(self, claim, text):
        said = self.verdicts.get((claim, text), "neutral")
        if said.startswith("error:"):
            return Failure(error=said.removeprefix("error:"))
        probability = {"supports": 0.9, "contradicts": 0.05, "neutral": 0.2}[said]
        return Opinion(verdict=said, probability=probability, quote=text[:40], judge="scripted")

    def spent(self):
        return Usage(calls=len(self.shown))

    async def close(self):
        pass


class HashedJudge(ScriptedJudge):
    """Verdicts that look random and depend on claim, text and seed alone; every so often a judgement fails."""

    def __init__(self, seed, *, fails=True):
        super().__init__()
        self.seed, self.fails = seed, fails

    def _outcome(self, claim, text):
        roll = sha256(f"{self.seed}|{claim}|{text}".encode()).digest()[0]
        if self.fails and roll > 235:
            return Failure(error="judge_failed")
        verdict = ("supports", "contradicts", "neutral")[roll % 3]
        return Opinion(verdict=verdict, probability=roll / 255, judge="hashed", disputed=roll % 7 == 0)
