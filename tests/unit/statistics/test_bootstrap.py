import numpy as np
import pytest

from ragassay.statistics.bootstrap import Aggregation, Fractions, bootstrap_intervals
from ragassay.statistics.intervals import Interval, wilson


def one_metric(
    numerators: list[float],
    denominators: list[float] | None = None,
    aggregation: Aggregation = "macro",
    bounded: bool = True,
    defined: list[bool] | None = None,
) -> Fractions:
    n = len(numerators)
    return Fractions(
        np.array(numerators, dtype=np.float64).reshape(n, 1),
        np.array(denominators or [1.0] * n, dtype=np.float64).reshape(n, 1),
        np.array(defined or [True] * n, dtype=np.bool_).reshape(n, 1),
        [aggregation],
        [bounded],
    )


def interval_of(fractions: Fractions, level: float = 0.95) -> Interval:
    (interval,) = bootstrap_intervals(fractions, seed=7, resamples=2_000, level=level)
    return interval


def test_one_01_value_per_query_has_a_wilson_interval() -> None:
    assert interval_of(one_metric([1.0] * 90 + [0.0] * 10)) == Interval(*wilson(90, 100), "wilson")


def test_equal_denominators_make_a_micro_rate_a_01_rate_too() -> None:
    assert interval_of(one_metric([3.0] * 30 + [0.0] * 10, [3.0] * 40, "micro")) == Interval(*wilson(30, 40), "wilson")


def test_unequal_denominators_are_resampled_by_query() -> None:
    interval = interval_of(one_metric([9.0] * 30 + [0.0] * 30, [9.0] * 30 + [1.0] * 30, "micro"))
    assert interval.method == "bootstrap"
    # Treating the 300 claims as independent would give 0.86 to 0.93, about half as wide.
    assert interval.low is not None and interval.high is not None
    assert interval.low < 0.84
    assert 0.9 < interval.high < 0.96


@pytest.mark.parametrize("value", [0.0, 0.25, 1.0])
def test_equal_values_do_not_give_an_interval_of_no_width(value: float) -> None:
    assert interval_of(one_metric([value] * 50)) == Interval(*wilson(value * 50, 50), "wilson")


def test_nineteen_queries_are_too_few_to_resample_and_twenty_are_not() -> None:
    values = [0.1 + 0.04 * i for i in range(20)]
    assert interval_of(one_metric(values[:19])).method == "wilson"
    assert interval_of(one_metric(values)).method == "bootstrap"


def test_only_defined_queries_count() -> None:
    values = [0.1 + 0.03 * i for i in range(25)]
    gaps = one_metric(values + [np.nan] * 10, [1.0] * 25 + [0.0] * 10, defined=[True] * 25 + [False] * 10)
    assert interval_of(gaps) == interval_of(one_metric(values))


def test_nothing_defined_has_no_interval() -> None:
    assert interval_of(one_metric([0.0] * 30, defined=[False] * 30)) == Interval(None, None, "none")


def test_unbounded_values_are_resampled_even_when_few() -> None:
    interval = interval_of(one_metric([120.0, 340.0, 90.0], bounded=False))
    assert interval == Interval(90.0, 340.0, "bootstrap")


@pytest.mark.parametrize("values", [[5.0], [5.0] * 40])
def test_unbounded_values_without_spread_bound_nothing(values: list[float]) -> None:
    assert interval_of(one_metric(values, bounded=False)) == Interval(None, None, "none")


def test_a_value_in_bounds_up_to_rounding_is_clipped() -> None:
    assert interval_of(one_metric([1.0 + 1e-12] * 30)).high == 1.0


@pytest.mark.parametrize("aggregation", ["macro", "micro"])
def test_the_two_ways_of_resampling_agree(aggregation: Aggregation) -> None:
    generator = np.random.Generator(np.random.PCG64(11))
    n = 2_001
    denominators = generator.integers(1, 8, size=n).astype(np.float64)
    numerators = generator.binomial(denominators.astype(np.int64), 0.95).astype(np.float64)
    ends: list[tuple[float, float]] = []
    for rows, method in ((n, "bootstrap-multiplier"), (n - 1, "bootstrap")):
        fractions = one_metric(numerators[:rows].tolist(), denominators[:rows].tolist(), aggregation)
        (interval,) = bootstrap_intervals(fractions, seed=2)
        assert interval.method == method
        assert interval.low is not None and interval.high is not None
        ends.append((interval.low, interval.high))
    half_width = (ends[1][1] - ends[1][0]) / 2
    # The Monte-Carlo error of one end is 0.014 half-widths; two of them, at four standard errors.
    assert ends[0] == pytest.approx(ends[1], abs=0.08 * half_width)


@pytest.mark.parametrize(("rows", "method"), [(300, "bootstrap"), (2_400, "bootstrap-multiplier")])
def test_neighbours_with_other_gaps_change_no_bit(rows: int, method: str) -> None:
    generator = np.random.Generator(np.random.PCG64(19))
    values, gaps = generator.random((rows, 3)), generator.random((rows, 3)) < 0.95
    together = Fractions(values, np.ones((rows, 3)), gaps, ["macro", "micro", "macro"], [True] * 3)
    alone = Fractions(values[:, :1], np.ones((rows, 1)), gaps[:, :1], ["macro"], [True])
    interval = bootstrap_intervals(together, seed=1, resamples=200)[0]
    assert interval.method == method
    assert interval == bootstrap_intervals(alone, seed=1, resamples=200)[0]


def test_an_interval_holds_a_mean_that_skewness_put_outside_the_quantiles() -> None:
    values = [float(i**6) for i in range(1, 21)]
    interval = interval_of(one_metric(values, bounded=False), level=0.01)
    assert interval.high == np.mean(values)
    assert interval.low is not None and interval.low < np.mean(values)


def test_another_seed_gives_another_interval() -> None:
    fractions = one_metric([0.1 + 0.03 * i for i in range(25)])
    assert bootstrap_intervals(fractions, seed=1, resamples=200) != bootstrap_intervals(
        fractions, seed=2, resamples=200
    )


def coverage(rows: int, repeats: int, resamples: int) -> float:
    """Share of intervals that hold the true ratio of claims, which are correlated within a query."""
    generator = np.random.Generator(np.random.PCG64(13))
    denominators = generator.integers(1, 9, size=(rows, repeats)).astype(np.float64)
    rates = generator.beta(4.0, 1.0, size=(rows, repeats))
    numerators = generator.binomial(denominators.astype(np.int64), rates).astype(np.float64)
    aggregation: list[Aggregation] = ["micro"] * repeats
    everywhere = np.ones_like(numerators, dtype=np.bool_)
    fractions = Fractions(numerators, denominators, everywhere, aggregation, [True] * repeats)
    intervals = bootstrap_intervals(fractions, seed=5, resamples=resamples)
    return float(np.mean([i.low is not None and i.high is not None and i.low <= 0.8 <= i.high for i in intervals]))


@pytest.mark.parametrize(("rows", "repeats", "resamples"), [(100, 300, 600), (2_400, 200, 400)])
def test_intervals_cover_the_truth_as_often_as_they_say(rows: int, repeats: int, resamples: int) -> None:
    assert 0.89 <= coverage(rows, repeats, resamples) <= 0.99


def test_shape_faults_are_named_together() -> None:
    fractions = Fractions(np.ones((3, 2)), np.ones((3, 1)), np.ones((2, 2), dtype=np.bool_), ["macro"], [True] * 3)
    with pytest.raises(ValueError, match="denominators") as raised:
        bootstrap_intervals(fractions, seed=1, resamples=0)
    message = str(raised.value)
    for named in ("resamples is 0", r"(3, 1)", "defined have shape (2, 2)", "aggregation has 1", "bounded has 3"):
        assert named in message


def test_cell_faults_are_named_together_with_their_place() -> None:
    fractions = one_metric([0.5, np.nan, 1.0, 2.0, np.inf], [1.0, 1.0, 0.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="finite") as raised:
        bootstrap_intervals(fractions, seed=1)
    message = str(raised.value)
    for named in ("nan / 1.0 in row 1, column 0 (first of 2)", "1.0 / 0.0 in row 2", "2.0 / 1.0 in row 3"):
        assert named in message


def test_a_flat_array_is_refused() -> None:
    flat = Fractions(np.ones(1), np.ones(1), np.ones(1, dtype=np.bool_), ["macro"], [True])
    with pytest.raises(ValueError, match=r"expected \(queries, metrics\)"):
        bootstrap_intervals(flat, seed=1)


def test_a_level_in_percent_is_refused() -> None:
    with pytest.raises(ValueError, match="level is 95"):
        interval_of(one_metric([0.5] * 30), level=95)
