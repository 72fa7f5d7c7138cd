"""The corrected estimate on cases that can be counted by hand, and what it refuses."""

import numpy as np
import pytest

from ragassay.statistics.corrected import Corrected, Ratio, Uncorrected, corrected


def rates(values):
    return Ratio(np.asarray(values, dtype=np.float64), np.ones(len(values)))


def first(labelled, n):
    return np.arange(n) < labelled


def alternating(n, every):
    """1, save for every so manieth, which is 0."""
    return np.where(np.arange(n) % every == every - 1, 0.0, 1.0)


def test_a_perfect_judge_is_worth_all_its_queries():
    truth = alternating(1_000, 5)
    found = corrected(rates(truth), rates(truth), first(200, 1_000))
    assert isinstance(found, Corrected)
    # λ is the share of queries without a label where judge and people agree throughout: 1 / (1 + 200 / 800).
    assert found.weight == pytest.approx(0.8, abs=0.01)
    assert found.correlation == pytest.approx(1.0)
    assert found.value == pytest.approx(0.8, abs=2e-3)
    assert found.effective == pytest.approx(1_000, rel=0.01)


def test_a_constant_error_of_the_judge_is_taken_off():
    """The judge calls every tenth query false and is wrong; every fifth is false and it sees that."""
    truth = alternating(2_000, 5)
    said = truth * alternating(2_000, 7)
    found = corrected(rates(said), rates(truth), first(700, 2_000))
    assert isinstance(found, Corrected)
    assert said.mean() == pytest.approx(0.686, abs=0.001)
    assert found.value == pytest.approx(0.8, abs=0.002)
    assert found.interval[0] < 0.8 < found.interval[1]


@pytest.mark.parametrize("period", [5, 10, 20])
def test_queries_that_repeat_in_a_pattern_do_not_lead_the_weight(period):
    truth = alternating(1_000, period)
    found = corrected(rates(truth), rates(truth), first(200, 1_000))
    assert isinstance(found, Corrected)
    assert found.value == pytest.approx(1 - 1 / period, abs=0.004)


def test_a_judge_that_never_varies_leaves_people_alone():
    truth = alternating(500, 4)
    found = corrected(rates(np.ones(500)), rates(truth), first(100, 500))
    assert isinstance(found, Corrected)
    assert (found.method, found.weight, found.correlation) == ("labels", 0.0, None)
    assert found.value == 0.75
    assert found.effective == 100
    assert found.interval == pytest.approx((0.656, 0.826), abs=2e-3)


def test_a_judge_that_says_the_opposite_is_left_out():
    truth = alternating(500, 4)
    found = corrected(rates(1 - truth), rates(truth), first(100, 500))
    assert isinstance(found, Corrected)
    assert (found.method, found.correlation) == ("labels", pytest.approx(-1.0))


def test_labels_on_every_query_are_the_estimate():
    truth = alternating(120, 4)
    found = corrected(rates(1 - truth), rates(truth), first(120, 120))
    assert isinstance(found, Corrected)
    assert (found.value, found.method, found.unlabelled) == (0.75, "labels", 0)


def test_labels_that_all_agree_keep_an_interval():
    found = corrected(rates(alternating(400, 50)), rates(np.ones(400)), first(100, 400))
    assert isinstance(found, Corrected)
    assert (found.value, found.interval[1]) == (1.0, 1.0)
    assert found.interval[0] == pytest.approx(1 - 0.0379, abs=1e-3)


def test_a_ratio_weighs_queries_by_their_claims():
    bottom = np.where(np.arange(600) % 2 == 0, 1.0, 9.0)
    top = np.where(np.arange(600) % 2 == 0, 0.0, 9.0)
    found = corrected(Ratio(top, bottom), Ratio(top, bottom), first(200, 600))
    assert isinstance(found, Corrected)
    assert found.value == pytest.approx(0.9, abs=1e-3)


def test_one_scale_for_all_denominators_changes_nothing():
    generator = np.random.Generator(np.random.PCG64(3))
    bottom = generator.integers(1, 9, 500).astype(np.float64)
    top, said = (generator.binomial(bottom.astype(int), 0.8).astype(np.float64) for _ in range(2))
    found, scaled = (
        corrected(Ratio(k * said, k * bottom), Ratio(k * top, k * bottom), first(150, 500)) for k in (1.0, 3.0)
    )
    assert isinstance(found, Corrected)
    assert isinstance(scaled, Corrected)
    assert scaled.value == pytest.approx(found.value)
    assert scaled.interval == pytest.approx(found.interval)


def test_a_higher_level_gives_a_wider_interval():
    truth = alternating(500, 4)
    wide, narrow = (corrected(rates(truth), rates(truth), first(150, 500), level) for level in (0.99, 0.8))
    assert isinstance(wide, Corrected)
    assert isinstance(narrow, Corrected)
    assert wide.interval[0] < narrow.interval[0] < wide.value < narrow.interval[1] < wide.interval[1]


def test_heavy_tails_cost_degrees_of_freedom():
    """Two labelled answers of a hundred hold all that is wrong, so that the spread is hardly known."""
    few, many = np.ones(300), np.ones(300)
    few[[3, 50]] = 0.25
    many[::2] = 1 - 0.75 / 50 * 2
    assert few[:100].mean() == pytest.approx(many[:100].mean())
    flat = rates(np.ones(300))
    rare, usual = (corrected(flat, rates(values), first(100, 300)) for values in (few, many))
    assert isinstance(rare, Corrected)
    assert isinstance(usual, Corrected)
    reach = [(each.value - each.interval[0]) / np.sqrt(each.variance) for each in (rare, usual)]
    assert reach[0] > 2 * reach[1]


def test_99_labels_are_too_few():
    truth = alternating(500, 4)
    assert corrected(rates(truth), rates(truth), first(99, 500)) == Uncorrected("few_labels", 99)
    assert isinstance(corrected(rates(truth), rates(truth), first(100, 500)), Corrected)


def test_labels_on_the_hard_queries_alone_are_refused():
    truth = np.where(np.arange(500) < 100, 0.5, 1.0)
    assert corrected(rates(truth), rates(truth), first(100, 500)) == Uncorrected("labels_not_at_random", 100)


@pytest.mark.parametrize(
    ("judge", "people", "labelled", "named"),
    [
        (rates([1.0, 0.0]), rates([1.0]), first(1, 2), "lengths"),
        (rates([1.5, 0.0]), rates([1.0, 0.0]), first(1, 2), r"of judge lie outside \[0, 1\], the first, 1.5 / 1.0"),
        (rates([1.0, 0.0]), rates([-1.0, 0.0]), first(1, 2), "of people lie outside"),
        (Ratio(np.zeros(2), np.zeros(2)), rates([1.0, 0.0]), first(1, 2), "outside"),
        (rates([np.nan, 0.0]), rates([1.0, 0.0]), first(1, 2), "nan / 1.0, in row 0"),
    ],
)
def test_what_is_no_fraction_is_refused(judge, people, labelled, named):
    with pytest.raises(ValueError, match=named):
        corrected(judge, people, labelled)


def test_what_people_did_not_label_is_not_read():
    truth = alternating(500, 4)
    unknown = np.where(first(200, 500), truth, np.nan)
    assert corrected(rates(truth), rates(unknown), first(200, 500)) == corrected(
        rates(truth), rates(truth), first(200, 500)
    )


def test_the_level_is_a_share():
    truth = alternating(500, 4)
    with pytest.raises(ValueError, match="level is 95"):
        corrected(rates(truth), rates(truth), first(200, 500), 95)
