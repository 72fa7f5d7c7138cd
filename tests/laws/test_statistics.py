"""Laws that every interval and test obeys, whatever the data."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.statistics.bootstrap import Fractions, bootstrap_intervals
from ragassay.statistics.intervals import clopper_pearson, percentile_interval, percentile_nearest_rank, wilson
from ragassay.statistics.paired import mcnemar_exact, sign_flip

levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])
RESAMPLES = 200


@st.composite
def rates(draw: st.DrawFn) -> tuple[float, int]:
    n = draw(st.integers(1, 5_000))
    return draw(st.floats(0, n)), n


@st.composite
def fractions(draw: st.DrawFn) -> Fractions:
    """Metrics of every kind: few and many queries, gaps, ties, 0/1 values, bounded and unbounded."""
    generator = np.random.Generator(np.random.PCG64(draw(st.integers(0, 2**32))))
    n = draw(st.sampled_from([1, 2, 5, 19, 20, 60, 2_400]))
    m = draw(st.integers(1, 4))
    kinds: list[Any] = draw(st.lists(st.sampled_from(["macro", "micro"]), min_size=m, max_size=m))
    bounded = draw(st.lists(st.booleans(), min_size=m, max_size=m))
    largest = draw(st.sampled_from([1, 2, 9]))
    denominators = generator.integers(1, largest + 1, size=(n, m)).astype(np.float64)
    chance = draw(st.sampled_from([0.0, 0.5, 0.97, 1.0]))
    numerators = generator.binomial(denominators.astype(np.int64), chance).astype(np.float64)
    numerators = np.where(bounded, numerators, numerators * 1_000)
    return Fractions(
        numerators, denominators, generator.random((n, m)) < draw(st.sampled_from([0.4, 0.9, 1.0])), kinds, bounded
    )


def estimate(given_fractions: Fractions, index: int) -> float:
    rows = given_fractions.defined[:, index]
    numerators, denominators = given_fractions.numerators[rows, index], given_fractions.denominators[rows, index]
    if given_fractions.aggregation[index] == "macro":
        return float(np.mean(numerators / denominators))
    return float(numerators.sum() / denominators.sum())


def column(given_fractions: Fractions, index: int) -> Fractions:
    one = slice(index, index + 1)
    return Fractions(
        given_fractions.numerators[:, one],
        given_fractions.denominators[:, one],
        given_fractions.defined[:, one],
        given_fractions.aggregation[one],
        given_fractions.bounded[one],
    )


@given(rates(), levels)
def test_wilson_holds_the_rate_and_stays_in_bounds(rate: tuple[float, int], level: float) -> None:
    successes, n = rate
    low, high = wilson(successes, n, level)
    assert 0 <= low <= successes / n <= high <= 1
    assert low < high


@given(rates())
def test_wilson_widens_with_the_level_and_narrows_with_n(rate: tuple[float, int]) -> None:
    successes, n = rate
    low, high = wilson(successes, n, 0.9)
    wider_low, wider_high = wilson(successes, n, 0.99)
    assert wider_low <= low + 1e-15 and high <= wider_high + 1e-15
    narrower_low, narrower_high = wilson(4 * successes, 4 * n, 0.9)
    assert narrower_high - narrower_low < high - low


@given(rates(), levels)
def test_wilson_mirrors(rate: tuple[float, int], level: float) -> None:
    successes, n = rate
    low, high = wilson(successes, n, level)
    assert wilson(n - successes, n, level) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(st.integers(1, 500), st.data(), levels)
def test_the_exact_interval_holds_the_rate(n: int, data: st.DataObject, level: float) -> None:
    successes = data.draw(st.integers(0, n))
    low, high = clopper_pearson(successes, n, level)
    assert 0 <= low <= successes / n <= high <= 1


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=200), st.floats(0.001, 1), levels)
def test_a_percentile_is_a_value_within_its_interval(values: list[float], q: float, level: float) -> None:
    value = percentile_nearest_rank(values, q)
    interval = percentile_interval(values, q, level)
    assert value in values
    assert interval.low is None or interval.low <= value
    assert interval.high is None or value <= interval.high
    assert np.mean(np.array(values) <= value) >= q - 1e-9


@settings(deadline=None, max_examples=60)
@given(fractions(), levels)
def test_an_interval_holds_its_estimate(given_fractions: Fractions, level: float) -> None:
    intervals = bootstrap_intervals(given_fractions, 1, RESAMPLES, level)
    assert len(intervals) == len(given_fractions.bounded)
    for index, interval in enumerate(intervals):
        if interval.low is None or interval.high is None:
            assert interval.method == "none" and interval.low is interval.high
            continue
        value = estimate(given_fractions, index)
        assert interval.low - 1e-9 * abs(value) <= value <= interval.high + 1e-9 * abs(value)
        if given_fractions.bounded[index]:
            assert 0 <= interval.low < interval.high <= 1


@settings(deadline=None, max_examples=40)
@given(fractions())
def test_a_higher_level_is_no_narrower(given_fractions: Fractions) -> None:
    narrow = bootstrap_intervals(given_fractions, 1, RESAMPLES, 0.8)
    wide = bootstrap_intervals(given_fractions, 1, RESAMPLES, 0.95)
    for inner, outer in zip(narrow, wide, strict=True):
        if inner.low is None or inner.high is None or outer.low is None or outer.high is None:
            assert inner == outer
        else:
            assert outer.low <= inner.low and inner.high <= outer.high


@settings(deadline=None, max_examples=40)
@given(fractions(), st.integers(0, 2**63))
def test_a_metric_alone_has_the_interval_it_has_in_company(given_fractions: Fractions, seed: int) -> None:
    together = bootstrap_intervals(given_fractions, seed, RESAMPLES)
    alone = [
        interval
        for index in range(len(together))
        for interval in bootstrap_intervals(column(given_fractions, index), seed, RESAMPLES)
    ]
    assert together == alone


@settings(deadline=None, max_examples=40)
@given(fractions())
def test_what_stands_in_undefined_cells_is_not_read(given_fractions: Fractions) -> None:
    noise = Fractions(
        np.where(given_fractions.defined, given_fractions.numerators, np.nan),
        np.where(given_fractions.defined, given_fractions.denominators, 0.0),
        given_fractions.defined,
        given_fractions.aggregation,
        given_fractions.bounded,
    )
    assert bootstrap_intervals(noise, 1, RESAMPLES) == bootstrap_intervals(given_fractions, 1, RESAMPLES)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=60), st.integers(0, 2**63))
def test_exchanging_the_systems_changes_no_p_value(differences: list[int], seed: int) -> None:
    matrix = np.array(differences, dtype=np.float64).reshape(-1, 1) / 10
    p_values = sign_flip(matrix, seed, RESAMPLES)
    assert np.array_equal(p_values, sign_flip(-matrix, seed, RESAMPLES))
    assert 0 < p_values[0] <= 1


@given(st.integers(0, 200), st.integers(0, 200))
def test_more_discordance_on_one_side_is_stronger_evidence(b: int, lead: int) -> None:
    assert 0 < mcnemar_exact(b, b + lead + 1) <= mcnemar_exact(b, b + lead) <= 1
