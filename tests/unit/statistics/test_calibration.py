import numpy as np
import pytest

from ragassay.statistics.calibration import Calibration, best_threshold, fit, grey_band


def test_the_best_cut_lies_between_the_classes():
    assert best_threshold([False, False, True, True], [0.1, 0.2, 0.8, 0.9]) == 0.5
    assert best_threshold([False, True, True], [0.1, 0.2, 0.9]) == pytest.approx(0.15)
    assert best_threshold([True, True], [0.3, 0.4]) == 0.5


def test_classes_weigh_the_same_whatever_their_size():
    positive = [True] * 2 + [False] * 98
    scores = [0.6, 0.9] + [0.5] * 90 + [0.7] * 8
    assert best_threshold(positive, scores) == pytest.approx(0.55)


def test_beyond_the_band_verdicts_are_right():
    generator = np.random.default_rng(0)
    scores = generator.random(2_000)
    positive = generator.random(2_000) < scores
    low, high = grey_band(positive, scores, 0.5)
    assert 0.1 < low < 0.3
    assert 0.7 < high < 0.9
    assert positive[scores < low].mean() <= 0.1
    assert positive[scores >= high].mean() >= 0.9


def test_few_or_bad_labels_send_everything_to_people():
    low, high = grey_band([True, False], [0.9, 0.1], 0.5)
    assert low == 0.0
    assert high > 1.0


def test_the_map_makes_probabilities_mean_what_they_say():
    generator = np.random.default_rng(2)
    truth = generator.random(4_000)
    positive = generator.random(4_000) < truth
    overconfident = truth**3 / (truth**3 + (1 - truth) ** 3)
    found = fit("judge", positive, overconfident)
    assert found.slope == pytest.approx(1 / 3, abs=0.04)
    assert found.probability([0.9]) == pytest.approx(0.9 ** (1 / 3) / (0.9 ** (1 / 3) + 0.1 ** (1 / 3)), abs=0.03)
    assert found.low < found.threshold < found.high


def test_the_ends_stay_probabilities():
    whole = Calibration(judge="j", n=9, slope=4.0, intercept=0.0, threshold=0.5, low=0.4, high=0.6)
    assert whole.probability([0.0, 1.0]) == pytest.approx([0.0, 1.0], abs=1e-6)


@pytest.mark.parametrize(
    ("positive", "probabilities", "told"),
    [([True] * 5, [0.5] * 5, "all of one kind"), ([True, False] * 20, [0.1, 0.9] * 20, "do not rise")],
)
def test_what_cannot_be_fitted_is_told(positive, probabilities, told):
    with pytest.raises(ValueError, match=told):
        fit("judge", positive, probabilities)
