import pytest
from naive import GradedJudge

from ragassay.judges.labelled import combined, fold, is_development, items_of, put_to
from ragassay.judges.together import finished
from ragassay.records import Failure, Label, Opinion


def labels(*rows):
    return [Label(claim=claim, context=(text,), label=verdict, rater=rater) for claim, text, verdict, rater in rows]


def test_raters_of_one_claim_make_one_item():
    rows = labels(("A b", "t", "supports", "1"), ("a  B", "T", "supports", "2"), ("A b", "u", "neutral", "1"))
    items = items_of(rows)
    assert [(item.label, len(item.votes)) for item in items] == [("supports", 2), ("neutral", 1)]
    assert [item.lang for item in items] == ["en", "en"]


def test_a_rater_who_says_the_same_twice_has_one_vote():
    item = items_of(labels(("a", "t", "supports", "1"), ("A", "t", "supports", "1"), ("a", "t", "neutral", "2")))[0]
    assert (item.label, len(item.votes), item.repeated) == (None, 2, 1)


def test_claims_of_one_passage_are_never_split():
    items = items_of(
        labels(*((f"claim {i} {j}", f"passage {i}", "neutral", "1") for i in range(200) for j in range(3)))
    )
    for part in (is_development, lambda item: fold(item, 5)):
        assert all(len({part(item) for item in items[i : i + 3]}) == 1 for i in range(0, 600, 3))
    assert 80 <= sum(map(is_development, items)) / 3 <= 120
    assert {fold(item, 5) for item in items} == set(range(5))


def test_every_distinct_pair_is_asked_once():
    judge = GradedJudge()
    items = items_of([Label(claim="a", context=("a", "b", "a"), label="supports", rater=rater) for rater in "12"])
    outcomes = finished(put_to(judge, [*items, *items]))
    assert judge.asked == [(0, 0), (0, 1)]
    assert [outcome.probability for outcome in outcomes] == [1.0, 1.0]


YES = Opinion(verdict="supports", probability=0.8, quote="yes")
NO = Opinion(verdict="contradicts", probability=0.1, contradiction=0.9, quote="no")
OPEN = Opinion(verdict="neutral", probability=0.3)
BROKEN = Failure(error="judge_failed")


@pytest.mark.parametrize(
    ("outcomes", "verdict", "probability"),
    [
        ([OPEN, YES, NO], "supports", 0.8),
        ([OPEN, NO], "contradicts", 0.3),
        ([OPEN, OPEN], "neutral", 0.3),
        ([BROKEN, YES], "supports", 0.8),
        ([], "neutral", 0.0),
    ],
)
def test_one_supporting_text_is_enough(outcomes, verdict, probability):
    said = combined(outcomes)
    assert (said.verdict, said.probability) == (verdict, probability)


def test_a_failed_text_could_have_supported_the_claim():
    assert combined([NO, BROKEN]) == BROKEN
    assert combined([BROKEN]) == BROKEN
