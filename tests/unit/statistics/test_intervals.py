import math
from collections.abc import Callable

import pytest

from ragassay.statistics.intervals import (
    Interval,
    clopper_pearson,
    exact_lower_bound,
    percentile_interval,
    percentile_nearest_rank,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(90, 100, 0.826, 0.945), (180, 200, 0.851, 0.934), (360, 400, 0.867, 0.926), (95, 100, 0.888, 0.978)],
)
def test_wilson_gives_published_values(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-4)


def test_wilson_takes_fractional_successes_between_its_neighbours() -> None:
    low, high = wilson(12.5, 20)
    assert wilson(12, 20)[0] < low < wilson(13, 20)[0]
    assert wilson(12, 20)[1] < high < wilson(13, 20)[1]


def test_three_of_three_show_little() -> None:
    low, high = wilson(3, 3)
    assert low == pytest.approx(0.438503, abs=1e-6)
    assert high == 1.0


@pytest.mark.parametrize(("n", "bound"), [(29, 0.90), (59, 0.95), (149, 0.98), (299, 0.99)])
def test_exact_lower_bound_is_reached_at_n_and_not_one_earlier(n: int, bound: float) -> None:
    assert exact_lower_bound(n) >= bound > exact_lower_bound(n - 1)


def test_twenty_of_twenty_critical_queries() -> None:
    assert exact_lower_bound(20) == pytest.approx(0.861, abs=5e-4)


def test_exact_lower_bound_is_the_one_sided_clopper_pearson_bound() -> None:
    assert exact_lower_bound(17, 0.95) == pytest.approx(clopper_pearson(17, 17, 0.90)[0])


@pytest.mark.parametrize(
    ("successes", "n", "level", "named"),
    [
        (0, 0, 0.95, "n is 0"),
        (3, 2, 0.95, "successes is 3"),
        (-1, 2, 0.95, "successes is -1"),
        (math.nan, 2, 0.95, "successes is nan"),
        (1, 2, 95, "level is 95"),
        (1, 2, 0.0, "level is 0.0"),
    ],
)
@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_impossible_rates_are_refused_by_name(
    interval: Callable[..., tuple[float, float]], successes: float, n: int, level: float, named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        interval(successes, n, level)


def test_no_queries_have_no_exact_bound() -> None:
    with pytest.raises(ValueError, match="n is 0"):
        exact_lower_bound(0)


@pytest.mark.parametrize(
    ("q", "expected"), [(0.05, 15), (0.30, 20), (0.40, 20), (0.50, 35), (1.0, 50), (0.2, 15), (0.21, 20)]
)
def test_nearest_rank_of_five_values(q: float, expected: float) -> None:
    assert percentile_nearest_rank([35, 20, 15, 50, 40], q) == expected


@pytest.mark.parametrize("hundredth", range(1, 101))
def test_nearest_rank_of_a_hundred_values_is_free_of_rounding(hundredth: int) -> None:
    assert percentile_nearest_rank(range(1, 101), hundredth / 100) == hundredth


def test_an_answer_without_end_is_the_slowest() -> None:
    assert percentile_nearest_rank([0.2, math.inf, 0.1], 0.95) == math.inf
    assert percentile_nearest_rank([0.2, math.inf, 0.1], 0.5) == 0.2


@pytest.mark.parametrize(
    ("values", "q", "named"),
    [
        ([], 0.5, r"shape \(0,\)"),
        ([1.0, math.nan], 0.5, "1 of 2 values are NaN"),
        ([1.0], 95, "q is 95"),
        ([1.0], 0, "q is 0"),
    ],
)
def test_percentiles_refuse_what_they_cannot_rank(values: list[float], q: float, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        percentile_nearest_rank(values, q)
    with pytest.raises(ValueError, match=named):
        percentile_interval(values, q)


def test_percentile_interval_of_the_median_uses_the_tabulated_ranks() -> None:
    # n = 20: ranks 6 and 15 hold the median with probability 0.9586; 7 and 14 only with 0.8847.
    assert percentile_interval(range(1, 21), 0.5) == Interval(6.0, 15.0, "order-statistic")


def test_a_rank_whose_tail_is_exactly_the_allowed_one_is_used() -> None:
    assert percentile_interval([1.0, 2.0], 0.5, level=0.5) == Interval(1.0, 2.0, "order-statistic")


def test_upper_end_of_the_95th_percentile_needs_72_values() -> None:
    assert percentile_interval(range(1, 72), 0.95).high is None
    assert percentile_interval(range(1, 73), 0.95).high == 72.0


def test_the_maximum_of_all_future_values_has_no_upper_end() -> None:
    assert percentile_interval(range(1, 1001), 1.0) == Interval(1000.0, None, "order-statistic")


def test_one_value_bounds_nothing() -> None:
    assert percentile_interval([3.0], 0.5) == Interval(None, None, "order-statistic")
