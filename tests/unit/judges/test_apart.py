"""Judge and people on the same claims, kept apart."""

from scripted import ScriptedJudge

from ragassay.judges.apart import judge_apart
from ragassay.judges.judging import Bench
from ragassay.judges.remembering import Remembering
from ragassay.judges.together import finished
from ragassay.records import Case, Failure, Label, Passage

TEXTS = ("Alpha is one.", "Beta is two.")
CASE = Case(
    query="q",
    question="?",
    answer="Alpha is one. Gamma is three.",
    passages=tuple(Passage(id=f"p{number}", text=text) for number, text in enumerate(TEXTS)),
)
SAID = {("Alpha is one.", TEXTS[0]): "supports"}
LABELS = [Label(claim="Alpha is one.", context=(TEXTS[0],), label="neutral")]


def verdicts(judged):
    return [
        each.outcome.error if isinstance(each.outcome, Failure) else each.outcome.verdict
        for case in judged
        for each in case.support
    ]


def test_every_side_is_what_it_would_be_alone():
    found = finished(judge_apart(Bench(ScriptedJudge(SAID)), LABELS, [CASE]))
    assert verdicts(found.together) == ["neutral"] * 4
    assert verdicts(found.judge) == ["supports", "neutral", "neutral", "neutral"]
    assert verdicts(found.people) == ["neutral", *["not_labelled"] * 3]
    assert verdicts(found.nobody) == ["not_labelled"] * 4
    assert found.card.name == "human+scripted"


def test_the_judge_is_asked_once_about_each_pair_and_reads_each_text_once():
    judge = ScriptedJudge(SAID)
    finished(judge_apart(Bench(judge), LABELS, [CASE]))
    assert len(judge.shown) == len(set(judge.shown))
    assert ("verify", "Alpha is one.", TEXTS[0]) in judge.shown


def test_without_labels_of_claims_the_judge_stands_alone():
    found = finished(judge_apart(Bench(ScriptedJudge(SAID)), [], [CASE]))
    assert verdicts(found.together) == verdicts(found.judge)
    assert found.card.name == "scripted"


def test_two_passages_are_tried_together_on_each_side_where_that_side_needs_it():
    """People take the support away, so that only with them the two passages are asked about as one."""
    both = "\n\n".join(TEXTS)
    judge = ScriptedJudge({**SAID, ("Alpha is one.", both): "supports"})
    found = finished(judge_apart(Bench(judge, joins=True), LABELS, [CASE]))
    assert verdicts(found.judge) == ["supports", "neutral", "neutral", "neutral"]
    assert verdicts(found.together) == ["neutral"] * 4 + ["supports"]


def test_a_failure_is_remembered_too():
    judge = ScriptedJudge({("a", "b"): "error:timeout"})
    remembering = Remembering(judge)
    for _ in range(2):
        assert finished(remembering.verify(["a"], ["b"], [(0, 0)])) == [Failure(error="timeout")]
    assert judge.shown == [("verify", "a", "b")]
    assert remembering.card == judge.card
