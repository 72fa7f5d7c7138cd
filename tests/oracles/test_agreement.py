"""The same numbers as scikit-learn, krippendorff and statsmodels."""

import krippendorff
import numpy as np
import pytest
from sklearn import metrics as sklearn
from statsmodels.stats.inter_rater import cohens_kappa

from ragassay.statistics.agreement import (
    MISSING,
    auc,
    balanced_accuracy,
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
from ragassay.statistics.calibration import platt

SEEDS = range(12)


def drawn(seed, classes=3, n=200):
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, classes, n)
    judged = np.where(generator.random(n) < 0.6, truth, generator.integers(0, classes, n))
    return truth, judged


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_labels_against_scikit_learn(seed, classes):
    truth, judged = drawn(seed, classes)
    counts = confusion(truth, judged, classes)
    assert (counts == sklearn.confusion_matrix(truth, judged)).all()
    assert balanced_accuracy(counts) == pytest.approx(sklearn.balanced_accuracy_score(truth, judged), abs=1e-12)
    assert cohen_kappa(counts) == pytest.approx(sklearn.cohen_kappa_score(truth, judged), abs=1e-12)
    assert recalls(counts) == pytest.approx(sklearn.recall_score(truth, judged, average=None))
    assert precisions(counts) == pytest.approx(sklearn.precision_score(truth, judged, average=None))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("grid", [3, 10, 10_000])
def test_ranking_and_calibration_against_scikit_learn(seed, grid):
    generator = np.random.default_rng(seed)
    positive = generator.random(150) < 0.3
    scores = np.round(np.clip(generator.normal(0.4 + 0.2 * positive, 0.25), 0, 1) * grid) / grid
    assert auc(positive, scores) == pytest.approx(sklearn.roc_auc_score(positive, scores), abs=1e-12)
    assert brier(positive, scores) == pytest.approx(sklearn.brier_score_loss(positive, scores), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_against_krippendorff(seed):
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 3, 60)
    ratings = np.where(generator.random((4, 60)) < 0.7, truth, generator.integers(0, 3, (4, 60)))
    ratings[generator.random((4, 60)) < 0.35] = MISSING
    known = np.where(ratings == MISSING, np.nan, ratings)
    expected = krippendorff.alpha(reliability_data=known, level_of_measurement="nominal")
    assert krippendorff_alpha(ratings, 3) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_interval_of_kappa_is_near_the_asymptotic_one(seed):
    truth, judged = drawn(seed, 2, 400)
    expected = cohens_kappa(confusion(truth, judged, 2))
    found = kappa_interval(truth, judged, np.arange(400))
    assert cohen_kappa(confusion(truth, judged, 2)) == pytest.approx(expected.kappa)
    assert found.low == pytest.approx(expected.kappa_low, abs=0.02)
    assert found.high == pytest.approx(expected.kappa_upp, abs=0.02)


def test_calibration_error_by_hand():
    bins = reliability([True, True, False, False], [0.95, 0.85, 0.85, 0.05])
    assert [(each.low, each.n, each.rate) for each in bins] == [(0.0, 1, 0.0), (0.8, 2, 0.5), (0.9, 1, 1.0)]
    assert expected_calibration_error(bins) == pytest.approx((0.05 + 2 * 0.35 + 0.05) / 4)


def test_the_map_is_the_maximum_of_the_likelihood():
    from sklearn.linear_model import LogisticRegression

    generator = np.random.default_rng(5)
    positive = generator.random(4_000) < 0.5
    probabilities = 1 / (1 + np.exp(-generator.normal(np.where(positive, 1.0, -0.4), 1.0)))
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1_000)
    model.fit(np.log(probabilities / (1 - probabilities))[:, None], positive)
    # The smoothed targets differ from the plain ones by 1 in 2,000.
    assert platt(positive, probabilities) == pytest.approx((model.coef_[0][0], model.intercept_[0]), abs=0.02)
