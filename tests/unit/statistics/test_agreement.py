import numpy as np
import pytest

from ragassay.statistics.agreement import (
    MISSING,
    Sampling,
    alpha_interval,
    auc,
    balanced_accuracy,
    balanced_accuracy_interval,
    brier,
    cohen_kappa,
    confusion,
    expected_calibration_error,
    kappa_interval,
    krippendorff_alpha,
    precisions,
    recalls,
    reliability,
)


def test_worked_example():
    counts = [[20, 5], [10, 15]]
    assert balanced_accuracy(counts) == pytest.approx((0.8 + 0.6) / 2)
    assert cohen_kappa(counts) == pytest.approx(0.4)
    assert recalls(counts) == pytest.approx([0.8, 0.6])
    assert precisions(counts) == pytest.approx([20 / 30, 15 / 20])


def test_undefined_is_not_zero():
    assert balanced_accuracy(confusion([1, 1], [1, 0], 2)) is None
    assert cohen_kappa(confusion([1, 1], [1, 1], 2)) is None
    assert cohen_kappa(confusion([], [], 2)) is None
    assert recalls([[0, 0], [1, 1]]) == [None, 0.5]
    assert precisions([[1, 0], [1, 0]]) == [0.5, None]
    assert auc([True, True], [0.1, 0.9]) is None
    assert brier([], []) is None
    assert expected_calibration_error(reliability([], [])) is None
    assert krippendorff_alpha([[0, 1], [MISSING, MISSING]], 2) is None
    assert krippendorff_alpha([[0, 0], [0, 0]], 2) is None


def test_ties_count_half():
    assert auc([True, False], [0.5, 0.5]) == 0.5
    assert auc([True, False, False], [0.5, 0.5, 0.1]) == 0.75


def test_raters_who_missed_an_item_do_not_count_on_it():
    full = [[0, 1, 0, 1], [0, 1, 1, 1]]
    extended = [[0, 1, 0, 1, 1], [0, 1, 1, 1, MISSING]]
    assert krippendorff_alpha(extended, 2) == krippendorff_alpha(full, 2)


def test_claims_of_one_passage_are_not_independent():
    generator = np.random.default_rng(1)
    truth = np.tile([0, 1], 200)
    right = np.repeat(generator.random(20) < 0.7, 20)
    judged = np.where(right, truth, 1 - truth)
    alone = balanced_accuracy_interval(truth, judged, np.arange(400))
    together = balanced_accuracy_interval(truth, judged, np.repeat(np.arange(20), 20))
    assert (alone.method, together.method) == ("bootstrap", "bootstrap")
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_a_perfect_judge_on_few_claims_is_not_certain():
    truth = np.array([0, 1] * 15)
    found = balanced_accuracy_interval(truth, truth, np.arange(30))
    assert (found.method, found.high) == ("wilson", 1.0)
    assert found.low == pytest.approx(0.796, abs=0.001)
    assert kappa_interval(truth, truth, np.arange(30)).low is None


def test_few_clusters_are_not_resampled():
    truth, judged = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 1, 1, 1, 0, 0])
    assert balanced_accuracy_interval(truth, judged, np.arange(6)).method == "wilson"
    assert kappa_interval(truth, judged, np.arange(6)).method == "none"
    assert balanced_accuracy_interval(np.ones(6, int), judged, np.arange(6)).method == "none"


def test_the_interval_holds_the_truth_as_often_as_it_says():
    held = 0
    for seed in range(200):
        generator = np.random.default_rng(seed)
        truth = np.repeat([0, 1], [120, 60])
        judged = np.where(generator.random(180) < np.where(truth, 0.7, 0.9), truth, 1 - truth)
        found = balanced_accuracy_interval(truth, judged, np.arange(180), Sampling(seed, 400))
        held += found.low <= 0.8 <= found.high
    assert held >= 180


def test_intervals_repeat_and_follow_the_seed():
    truth, judged = np.tile([0, 1], 30), np.tile([0, 1, 1], 20)
    clusters = np.arange(60)
    assert balanced_accuracy_interval(truth, judged, clusters) == balanced_accuracy_interval(truth, judged, clusters)
    ratings = np.vstack([truth, judged])
    assert alpha_interval(ratings, 2) == alpha_interval(ratings, 2)
    assert alpha_interval(ratings, 2) != alpha_interval(ratings, 2, Sampling(seed=3))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: confusion([0, 2], [0, 1], 2), "expected 0 to 1"),
        (lambda: confusion([0], [0, 1], 2), "one of each per item"),
        (lambda: auc([True], [float("nan")]), "not finite"),
        (lambda: auc([True], [0.1, 0.2]), "one of each per item"),
        (lambda: reliability([True], [1.2]), "expected 0 to 1"),
        (lambda: balanced_accuracy([1, 2]), "expected \\(k, k\\)"),
        (lambda: krippendorff_alpha([1, 2], 2), "raters, items"),
    ],
)
def test_faults_are_told(call, told):
    with pytest.raises(ValueError, match=told):
        call()
