"""What must hold of agreement, whatever the labels."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.statistics.agreement import (
    MISSING,
    auc,
    balanced_accuracy,
    balanced_accuracy_interval,
    brier,
    cohen_kappa,
    confusion,
    expected_calibration_error,
    kappa_interval,
    krippendorff_alpha,
    reliability,
)
from ragassay.statistics.calibration import best_threshold, grey_band

pairs = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 6)), min_size=1, max_size=60)
scored = st.lists(st.tuples(st.booleans(), st.integers(0, 20).map(lambda n: n / 20)), min_size=1, max_size=60)


def columns(rows):
    return tuple(np.array(column) for column in zip(*rows, strict=True))


@given(pairs)
def test_agreement_does_not_depend_on_the_names_of_classes(rows):
    truth, judged, _ = columns(rows)
    plain, turned = confusion(truth, judged, 2), confusion(1 - truth, 1 - judged, 2)
    for statistic in (balanced_accuracy, cohen_kappa):
        one, other = statistic(plain), statistic(turned)
        assert (one is None) == (other is None)
        assert one is None or abs(one - other) < 1e-12


@given(pairs)
def test_kappa_is_symmetric_and_bounded_and_one_for_perfect_agreement(rows):
    truth, judged, _ = columns(rows)
    one, other = cohen_kappa(confusion(truth, judged, 2)), cohen_kappa(confusion(judged, truth, 2))
    assert one is None or (abs(one - other) < 1e-12 and -1 <= one <= 1)
    assert cohen_kappa(confusion(truth, truth, 2)) in (None, 1.0)


@given(pairs)
def test_a_constant_judge_is_worth_nothing(rows):
    truth, _, _ = columns(rows)
    counts = confusion(truth, np.ones(len(truth), int), 2)
    assert balanced_accuracy(counts) in (None, 0.5)
    assert cohen_kappa(counts) in (None, 0.0)
    assert auc(truth == 1, np.ones(len(truth))) in (None, 0.5)


@settings(max_examples=40)
@given(pairs)
def test_intervals_hold_the_estimate_and_stay_in_range(rows):
    truth, judged, clusters = columns(rows)
    for value, found, low in (
        (balanced_accuracy(confusion(truth, judged, 2)), balanced_accuracy_interval(truth, judged, clusters), 0),
        (cohen_kappa(confusion(truth, judged, 2)), kappa_interval(truth, judged, clusters), -1),
    ):
        if found.method != "none":
            assert low <= found.low <= value + 1e-12
            assert value - 1e-12 <= found.high <= 1


@given(st.lists(st.lists(st.integers(-1, 2), min_size=5, max_size=5), min_size=2, max_size=5))
def test_alpha_does_not_depend_on_the_order_of_raters_or_items(rows):
    ratings = np.array(rows)
    one = krippendorff_alpha(ratings, 3)
    for other in (krippendorff_alpha(ratings[::-1], 3), krippendorff_alpha(ratings[:, ::-1], 3)):
        assert (one is None and other is None) or abs(one - other) < 1e-12
    same = np.where(ratings[:1] == MISSING, 0, ratings[:1]).repeat(3, axis=0)
    assert krippendorff_alpha(same, 3) in (None, 1.0)


@given(scored)
def test_ranking_sees_the_order_alone(rows):
    positive, scores = columns(rows)
    value = auc(positive, scores)
    assert value == auc(positive, scores**3 + 2)
    turned = auc(positive, -scores)
    assert value is None or abs(value + turned - 1) < 1e-12


@given(scored)
def test_calibration_figures_are_bounded_and_bins_hold_every_item(rows):
    positive, scores = columns(rows)
    bins = reliability(positive, scores)
    assert sum(each.n for each in bins) == len(rows)
    assert all(each.low <= each.mean + 1e-12 and each.mean <= each.high + 1e-12 for each in bins)
    assert 0 <= expected_calibration_error(bins) <= 1
    assert 0 <= brier(positive, scores) <= 1


@given(scored)
def test_no_other_cut_is_better_and_the_band_holds_the_threshold(rows):
    positive, scores = columns(rows)
    threshold = best_threshold(positive, scores)
    low, high = grey_band(positive, scores, threshold)
    assert 0 <= low <= threshold <= high

    def quality(cut):
        return balanced_accuracy(confusion(positive.astype(int), (scores >= cut).astype(int), 2))

    cuts = [cut for cut in np.arange(0.025, 1, 0.05) if scores.min() < cut < scores.max()]
    if quality(threshold) is not None:
        assert all(quality(cut) <= quality(threshold) + 1e-12 for cut in cuts)
