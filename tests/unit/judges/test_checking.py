import msgspec
import pytest
from naive import GradedJudge

from ragassay.judges.checking import check
from ragassay.judges.labelled import is_development, items_of, put_to
from ragassay.judges.together import finished
from ragassay.records import Label


def made(n=160, raters=("A",), langs=("en", "ru")):
    """Claims about numbered passages, every second one true; the floor cannot tell them apart."""
    return [
        Label(
            claim=f"Valve {i} is {'open' if i % 2 else 'shut'} today",
            context=(f"Valve {i} is open or shut but today it is open",),
            label="supports" if i % 2 else "contradicts",
            lang=langs[i // 2 % len(langs)],
            slices=("third",) if i % 3 == 0 else (),
            rater=rater,
        )
        for i in range(n)
        for rater in raters
    ]


def judged(labels, probability):
    items, judge = items_of(labels), GradedJudge(probability)
    return check(judge.card, items, finished(put_to(judge, items)))


def truth(claim, _):
    return 0.9 if "open" in claim else 0.2


def test_a_right_judge_and_a_blind_floor():
    found = judged(made(), truth)
    assert found.headline.balanced_accuracy.value == 1.0
    assert found.headline.kappa.value == 1.0
    assert found.headline.auc == 1.0
    assert found.floor.balanced_accuracy.value == 0.5
    assert found.floor.auc == 0.5
    assert found.development + found.headline.n == 160
    assert sum(each.n for each in found.by_language.values()) == found.headline.n
    assert found.by_slice.keys() == {"third"}
    assert found.confusions == ()
    assert found.people is None


def test_a_bad_threshold_is_mended_on_the_development_part_alone():
    found = judged(made(), lambda claim, text: truth(claim, text) / 2)
    assert found.own.balanced_accuracy.value == 0.5
    assert found.headline.balanced_accuracy.value == 1.0
    assert found.threshold == pytest.approx((0.45 + 0.1) / 2)
    labels = made()
    flipped = [
        label
        if is_development(item)
        else msgspec.structs.replace(label, label="supports" if label.label != "supports" else "neutral")
        for label, item in zip(labels, items_of(labels), strict=True)
    ]
    turned = judged(flipped, lambda claim, text: truth(claim, text) / 2)
    assert turned.threshold == found.threshold
    assert turned.headline.balanced_accuracy.value == 0.0


def test_confusions_carry_their_texts_the_surest_first():
    found = judged(made(), lambda claim, text: 0.99 if "Valve 4" in claim else truth(claim, text))
    assert found.confusions
    assert all("shut" in each.claim and each.context[0].startswith("Valve 4") for each in found.confusions)
    distances = [abs(each.probability - found.threshold) for each in found.confusions]
    assert distances == sorted(distances, reverse=True)
    assert found.verdicts["contradicts"]["supports"] == len(found.confusions)


def test_what_failed_or_has_no_majority_is_counted_and_not_scored():
    labels = made()
    labels += [msgspec.structs.replace(labels[3], label="neutral", rater="B")]
    found = judged(labels, lambda claim, text: None if "Valve 7 " in claim else truth(claim, text))
    assert (found.divided, found.failed) == (1, {"judge_failed": 1})
    assert found.development + found.headline.n == 158


def test_people_beside_the_judge():
    labels = made(raters=("A", "B", "C"))
    wrong = [
        msgspec.structs.replace(label, label="neutral")
        if label.rater == "C" and label.label == "supports" and i % 4 == 1
        else label
        for i, label in enumerate(labels)
    ]
    people = judged(wrong, truth).people
    assert (people.items, people.raters) == (160, 3)
    assert 0.5 < people.alpha.value < 1
    assert people.alpha.interval.low < people.alpha.value < people.alpha.interval.high
    assert people.rater < people.judge
    assert people.agreement < 1


def test_one_class_alone_is_undefined_not_perfect():
    found = judged([label for label in made() if label.label == "supports"], truth)
    assert found.headline.balanced_accuracy.value is None
    assert found.headline.auc is None
    assert found.headline.recall_supported == 1.0


def test_nothing_usable_is_no_number():
    found = judged(made(8), lambda claim, text: None)
    assert found.headline.n == 0
    assert found.headline.balanced_accuracy.value is None
    assert found.reliability.error is None
    assert found.grey_band.share is None
