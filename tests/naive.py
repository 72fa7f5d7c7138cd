"""Judges whose faults are known, so that an instrument that measures judges can be measured."""

from ragassay.judges.protocol import Reading, Statement
from ragassay.records import Failure, JudgeCard, Opinion, Usage
from ragassay.text.overlap import token_overlap
from ragassay.text.statements import statements


class GradedJudge:
    """Supports where `probability` of claim and text reaches one half; in `grey` people decide. None is a failure."""

    def __init__(self, probability=None, grey=(0.4, 0.6)):
        self._grey = grey
        self._probability = probability or (lambda claim, text: token_overlap(claim, text) or 0.0)
        self.asked = []

    @property
    def card(self):
        return JudgeCard(name="graded", kind="embedded", version="1", screens=True)

    async def read(self, text, question):
        return Reading(statements=tuple(Statement(text[span.start : span.end], *span) for span in statements(text)))

    async def verify(self, claims, texts, pairs):
        self.asked += pairs
        return [self._opinion(self._probability(claims[claim], texts[text])) for claim, text in pairs]

    def _opinion(self, probability):
        if probability is None:
            return Failure(error="judge_failed")
        low, high = self._grey
        verdict = "supports" if probability >= 0.5 else "neutral"
        return Opinion(verdict=verdict, probability=probability, disputed=low <= probability < high, judge="graded")

    def spent(self):
        return Usage(calls=len(self.asked))

    async def close(self):
        pass
