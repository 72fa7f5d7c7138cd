import numpy as np
import pytest
from naive import GradedJudge
from scripted import ScriptedJudge

from ragassay.judges.calibrated import CalibratedJudge, applied, calibrate
from ragassay.judges.labelled import items_of, put_to
from ragassay.judges.together import finished
from ragassay.records import Failure, Label, Opinion
from ragassay.statistics.calibration import Calibration

FITTED = Calibration(judge="graded", n=60, slope=1.0, intercept=0.0, threshold=0.7, low=0.6, high=0.8)


def made(n, seed=3):
    """A judge whose probabilities are too high by far, and labels that follow the probability it meant."""
    generator = np.random.default_rng(seed)
    meant = generator.random(n)
    labels = [
        Label(
            claim=f"claim {i}",
            context=(f"passage {i}",),
            label="supports" if generator.random() < 1 / (1 + np.exp(5 - 10 * meant[i])) else "neutral",
        )
        for i in range(n)
    ]
    return labels, {f"claim {i}": float(meant[i] ** 0.1) for i in range(n)}


def found(n):
    labels, said = made(n)
    items, judge = items_of(labels), GradedJudge(lambda claim, _: said[claim])
    return calibrate(judge.card, items, finished(put_to(judge, items)))


def test_held_out_claims_are_judged_better_after_than_before():
    result = found(300)
    assert result.before.n == result.after.n == 300
    assert result.after.balanced_accuracy.value > result.before.balanced_accuracy.value + 0.1
    assert result.reliability_after.error < result.reliability_before.error / 2
    assert result.outside.balanced_accuracy.value >= result.after.balanced_accuracy.value
    assert result.has_helped
    assert 0 < result.share < 1
    assert result.outside.n == round(300 * (1 - result.share))


def test_a_fit_that_does_not_help_says_so():
    labels, _ = made(60)
    items, judge = items_of(labels), GradedJudge(lambda claim, _: 0.9 if said[claim] else 0.1)
    said = {item.claim: item.is_supported for item in items}
    assert not calibrate(judge.card, items, finished(put_to(judge, items))).has_helped


def test_too_few_labels_are_refused():
    with pytest.raises(ValueError, match="39 usable labels, expected at least 40"):
        found(39)
    assert found(40).calibration.n == 40


@pytest.mark.parametrize(
    ("probability", "verdict", "disputed"),
    [(0.9, "supports", False), (0.75, "supports", True), (0.65, "neutral", True), (0.3, "neutral", False)],
)
def test_verdicts_follow_the_fitted_threshold(probability, verdict, disputed):
    outcome = applied(FITTED, Opinion(verdict="supports", probability=probability, quote="q"))
    assert (outcome.verdict, outcome.disputed, outcome.quote) == (verdict, disputed, "q")
    assert outcome.probability == pytest.approx(probability)


def test_a_contradiction_stays_one_below_the_threshold():
    assert applied(FITTED, Opinion(verdict="contradicts", probability=0.1)).verdict == "contradicts"
    assert applied(FITTED, Failure(error="x")) == Failure(error="x")


def test_it_judges_as_the_judge_within_and_says_so():
    inner = GradedJudge(lambda claim, text: 0.75)
    judge = CalibratedJudge(inner, FITTED)
    said = finished(judge.verify(["a"], ["b"], [(0, 0)]))
    assert said[0].disputed
    assert judge.card.name == "graded"
    assert judge.card.settings["calibration.threshold"] == "0.7"
    assert finished(judge.read("a", "b")) == finished(inner.read("a", "b"))
    assert judge.spent().calls == 1


def test_a_calibration_of_another_judge_is_refused():
    with pytest.raises(ValueError, match="is for judge graded, not for scripted"):
        CalibratedJudge(ScriptedJudge(), FITTED)
