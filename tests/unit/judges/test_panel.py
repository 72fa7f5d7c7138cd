import pytest

from ragassay.judges.panel import Panel
from ragassay.judges.protocol import Judge, Reading, Statement
from ragassay.judges.together import finished
from ragassay.records import Failure, JudgeCard, Opinion, Usage

YES = Opinion(verdict="supports", probability=1.0, quote="q", judge="x")
NO = Opinion(verdict="contradicts", probability=0.0, contradiction=0.9, judge="x")
NOTHING = Opinion(verdict="neutral", probability=0.3, judge="x")
BROKEN = Failure(error="judge_timeout", detail="no reply")
USED = Usage(calls=1, input_tokens=10, output_tokens=2, cost=0.5)


class Fixed:
    """A judge that says the same of every pair."""

    def __init__(self, name, outcome, reading=None, used=USED, screens=False):
        self.card = JudgeCard(name=name, kind="llm", version="1", screens=screens, settings={"model": name})
        self.outcome, self.reading, self.used = outcome, reading or BROKEN, used

    async def read(self, text, question):
        return self.reading

    async def verify(self, claims, texts, pairs):
        return [self.outcome] * len(pairs)

    def spent(self):
        return self.used

    async def close(self):
        pass


def panel(*outcomes):
    return Panel([Fixed(f"judge{number}", outcome) for number, outcome in enumerate(outcomes, start=1)])


def decided(*outcomes):
    (outcome,) = finished(panel(*outcomes).verify(["c"], ["t"], [(0, 0)]))
    return outcome


@pytest.mark.parametrize(
    ("outcomes", "verdict", "probability", "disputed"),
    [
        ((YES, YES), "supports", 1.0, False),
        ((YES, YES, NO), "supports", 2 / 3, True),
        ((NO, NO, NO), "contradicts", 0.0, False),
        ((YES, NO), "neutral", 0.5, True),
        ((YES, NO, NOTHING), "neutral", 1.3 / 3, True),
        ((YES, YES, BROKEN), "supports", 1.0, False),
        ((YES, BROKEN), "supports", 1.0, True),
        ((YES, BROKEN, BROKEN), "supports", 1.0, True),
        ((NO, NOTHING, NOTHING, BROKEN), "neutral", 0.2, True),
    ],
)
def test_the_majority_decides_and_disagreement_is_kept(outcomes, verdict, probability, disputed):
    outcome = decided(*outcomes)
    assert outcome.verdict == verdict
    assert outcome.probability == pytest.approx(probability)
    assert outcome.disputed is disputed


def test_the_reason_says_who_said_what_and_who_failed():
    assert decided(YES, NO, BROKEN).reason == "judge1 supports; judge2 contradicts; judge3 failed (judge_timeout)"
    assert decided(YES, YES).reason is None
    assert decided(YES, YES, NO).quote == "q"


def test_a_dispute_of_a_member_is_a_dispute_of_the_panel():
    doubtful = Opinion(verdict="supports", probability=0.5, disputed=True, reason="grey", judge="x")
    outcome = decided(YES, doubtful)
    assert outcome.disputed
    assert "grey" in outcome.reason


def test_only_where_all_fail_there_is_no_verdict():
    outcome = decided(BROKEN, Failure(error="judge_refused"))
    assert outcome.error == "panel_failed"
    assert outcome.detail == "judge1: judge_timeout (no reply); judge2: judge_refused"


def test_the_first_member_that_can_reads():
    reading = Reading(statements=(Statement("a"),))
    judges = [Fixed("a", YES), Fixed("b", YES, reading), Fixed("c", YES, Reading(statements=()))]
    assert finished(Panel(judges).read("text", "question")) == reading
    assert finished(panel(YES, YES).read("text", "question")).error == "panel_failed"


def test_costs_add_up_and_unknown_stays_unknown():
    known = Panel([Fixed("a", YES), Fixed("b", YES)])
    assert known.spent() == Usage(calls=2, input_tokens=20, output_tokens=4, cost=1.0)
    partly = Panel([Fixed("a", YES), Fixed("b", YES, used=Usage(calls=3, input_tokens=None, output_tokens=1))])
    assert partly.spent() == Usage(calls=4, input_tokens=None, output_tokens=3, cost=None)


def test_the_card_lists_the_members():
    judge: Judge = Panel([Fixed("a", YES, screens=True), Fixed("b", YES)])
    assert (judge.card.kind, judge.card.name, judge.card.screens) == ("panel", "panel of a, b", False)
    assert judge.card.settings["b model"] == "b"


@pytest.mark.parametrize("names", [(), ("a",), ("a", "a")])
def test_a_panel_has_members_that_differ(names):
    with pytest.raises(ValueError, match="two or more"):
        Panel([Fixed(name, YES) for name in names])
