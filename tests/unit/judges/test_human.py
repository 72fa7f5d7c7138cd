import pytest
from naive import GradedJudge
from scripted import ScriptedJudge

from ragassay.judges.human import HumanJudge
from ragassay.judges.together import finished
from ragassay.records import Failure, Label

CLAIM = "The fee is 6 euros."
TEXTS = ["The fee is 9 euros.", "There is a fee.", "Fees: 6 euros."]


def label(verdict, context, rater="A", claim=CLAIM):
    return Label(claim=claim, context=tuple(context), label=verdict, rater=rater)


def verdicts(judge, claims=(CLAIM,), texts=TEXTS):
    pairs = [(claim, text) for claim in range(len(claims)) for text in range(len(texts))]
    return finished(judge.verify(list(claims), list(texts), pairs))


def test_a_person_outranks_the_model_and_the_model_answers_the_rest():
    model = ScriptedJudge({(CLAIM, TEXTS[0]): "supports", (CLAIM, TEXTS[2]): "contradicts"})
    said = verdicts(HumanJudge([label("contradicts", TEXTS[:1])], model))
    assert [each.verdict for each in said] == ["contradicts", "neutral", "contradicts"]
    assert [each.judge for each in said] == ["human", "scripted", "scripted"]
    assert (said[0].probability, said[0].contradiction, said[0].disputed) == (0.0, 1.0, False)
    assert all(asked[2] != TEXTS[0] for asked in model.shown)


def test_texts_are_the_same_where_a_reader_sees_the_same():
    judge = HumanJudge([label("supports", ["the  FEE is 9 euros."], claim="THE fee is\u00a06 euros.")], ScriptedJudge())
    assert verdicts(judge)[0].verdict == "supports"
    assert verdicts(judge, ["The fee is 6 euros"])[0].judge == "scripted"


def test_the_majority_decides_and_disagreement_is_disputed():
    labels = [label("supports", TEXTS[:1], rater) for rater in "AB"] + [label("contradicts", TEXTS[:1], "C")]
    said = verdicts(HumanJudge(labels, ScriptedJudge()))[0]
    assert (said.verdict, said.disputed) == ("supports", True)
    assert said.probability == pytest.approx(2 / 3)
    assert said.contradiction == pytest.approx(1 / 3)


def test_evenly_divided_people_leave_it_to_the_model_disputed():
    labels = [label("supports", TEXTS[:1], "A"), label("neutral", TEXTS[:1], "B")]
    said = verdicts(HumanJudge(labels, ScriptedJudge({(CLAIM, TEXTS[0]): "contradicts"})))[0]
    assert (said.verdict, said.disputed, said.judge) == ("contradicts", True, "scripted")


def test_support_by_several_texts_rests_on_the_likeliest():
    said = verdicts(
        HumanJudge([label("supports", TEXTS)], GradedJudge(lambda c, t: {9: 0.1}.get(len(t), 0.2 + ("6" in t) / 5)))
    )
    assert [each.verdict for each in said] == ["neutral", "neutral", "supports"]
    assert said[2].judge == "human"


def test_support_by_more_texts_than_asked_decides_nothing():
    said = verdicts(HumanJudge([label("supports", [*TEXTS, "Elsewhere."])], ScriptedJudge()))
    assert {each.judge for each in said} == {"scripted"}


def test_no_text_supports_what_people_call_unsupported():
    model = ScriptedJudge({(CLAIM, TEXTS[1]): "supports", (CLAIM, TEXTS[0]): "contradicts"})
    said = verdicts(HumanJudge([label("neutral", [*TEXTS, "Elsewhere."])], model))
    assert [each.verdict for each in said] == ["neutral"] * 3
    said = verdicts(HumanJudge([label("contradicts", TEXTS)], model))
    assert sorted(each.verdict for each in said) == ["contradicts", "neutral", "neutral"]


def test_a_failure_of_the_model_stays_one_where_nobody_labelled():
    model = ScriptedJudge({(CLAIM, text): "error:judge_timeout" for text in TEXTS})
    said = verdicts(HumanJudge([label("supports", TEXTS[:1])], model))
    assert said[0].verdict == "supports"
    assert said[1:] == [Failure(error="judge_timeout")] * 2


def test_the_card_names_both_and_pins_the_labels():
    one, two = (HumanJudge([label(verdict, TEXTS[:1])], ScriptedJudge()).card for verdict in ("supports", "neutral"))
    assert (one.kind, one.name) == ("human", "human+scripted")
    assert one.settings["labels"] != two.settings["labels"]


def test_two_texts_joined_say_no_more_than_people_say_of_them():
    joined = f"{TEXTS[0]}\n\n{TEXTS[2]}"
    model = ScriptedJudge({(CLAIM, joined): "supports"})
    assert verdicts(HumanJudge([label("neutral", TEXTS)], model), texts=[joined])[0].verdict == "neutral"
    assert verdicts(HumanJudge([label("neutral", TEXTS[:2])], model), texts=[joined])[0].verdict == "supports"
