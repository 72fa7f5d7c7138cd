"""Many cases at once: in order, within the limit, and without holding up the event loop."""

import asyncio

import pytest
from scripted import ScriptedJudge

from ragassay.judges.judging import Bench, judge_cases
from ragassay.judges.together import finished
from ragassay.records import Case, Passage


def cases(count):
    return [
        Case(query=f"q{n}", question="?", answer=f"Fact {n}.", passages=(Passage(id="p", text="Text."),))
        for n in range(count)
    ]


class SlowJudge(ScriptedJudge):
    """Later cases answer first; `most` is how many readings were open at once."""

    def __init__(self):
        super().__init__()
        self.open = self.most = 0

    async def read(self, text, question):
        self.open += 1
        self.most = max(self.most, self.open)
        for _ in range(40 - int(text.split()[1].strip("."))):
            await asyncio.sleep(0)
        self.open -= 1
        return await super().read(text, question)


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_cases_are_judged_at_once_within_the_limit_and_keep_their_order(concurrency):
    judge = SlowJudge()
    judged = finished(judge_cases(Bench(judge), cases(20), concurrency))
    assert [each.query for each in judged] == [f"q{n}" for n in range(20)]
    assert [each.claims[0].text for each in judged] == [f"Fact {n}." for n in range(20)]
    assert judge.most == concurrency


def test_what_stops_a_run_stops_every_case_and_comes_as_it_is():
    class Stopping(SlowJudge):
        async def verify(self, claims, texts, pairs):
            raise KeyError("stopped")

    judge = Stopping()
    with pytest.raises(KeyError):
        finished(judge_cases(Bench(judge), cases(20), 4))
    assert len(judge.shown) < 20
