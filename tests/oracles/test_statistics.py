"""The same numbers as SciPy, exactly where the method is exact and within Monte-Carlo error where it samples."""

import math

import numpy as np
import pytest
from scipy import stats

from ragassay.statistics.bootstrap import Fractions, bootstrap_intervals
from ragassay.statistics.intervals import clopper_pearson, percentile_interval, wilson
from ragassay.statistics.paired import mcnemar_exact, sign_flip

COUNTS = [(0, 1), (1, 1), (0, 20), (3, 20), (20, 20), (59, 59), (180, 200), (99_999, 100_000)]


@pytest.mark.parametrize(("successes", "n"), COUNTS)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_rates(successes: int, n: int, level: float) -> None:
    test = stats.binomtest(successes, n)
    reference = test.proportion_ci(level, method="wilson")
    assert wilson(successes, n, level) == pytest.approx((reference.low, reference.high), abs=1e-12)
    reference = test.proportion_ci(level, method="exact")
    assert clopper_pearson(successes, n, level) == pytest.approx((reference.low, reference.high), abs=1e-12)


@pytest.mark.parametrize(("b", "c"), [(0, 1), (3, 3), (3, 9), (12, 40), (700, 800)])
def test_mcnemar(b: int, c: int) -> None:
    assert mcnemar_exact(b, c) == pytest.approx(stats.binomtest(b, b + c, 0.5).pvalue, rel=1e-9)


@pytest.mark.parametrize(("n", "q"), [(20, 0.5), (72, 0.95), (300, 0.95), (5_000, 0.99)])
def test_percentile_interval_has_at_least_its_coverage_and_no_rank_to_spare(n: int, q: float) -> None:
    interval = percentile_interval(range(1, n + 1), q)
    assert interval.low is not None and interval.high is not None
    at_or_below = stats.binom(n, q)
    assert at_or_below.cdf(interval.low - 1) <= 0.025 < at_or_below.cdf(interval.low)
    assert at_or_below.sf(interval.high - 1) <= 0.025 < at_or_below.sf(interval.high - 2)


@pytest.mark.parametrize("rows", [60, 2_400])
def test_bootstrap_of_a_mean_and_of_a_ratio(rows: int) -> None:
    generator = np.random.Generator(np.random.PCG64(17))
    denominators = generator.integers(1, 9, size=rows).astype(np.float64)
    numerators = generator.binomial(denominators.astype(np.int64), 0.85).astype(np.float64)
    ours = bootstrap_intervals(
        Fractions(
            np.column_stack([numerators, numerators]),
            np.column_stack([denominators, denominators]),
            np.ones((rows, 2), dtype=np.bool_),
            ["macro", "micro"],
            [True, True],
        ),
        seed=1,
    )
    reference = {"n_resamples": 4_000, "method": "percentile", "rng": np.random.Generator(np.random.PCG64(2))}
    mean = stats.bootstrap((numerators / denominators,), np.mean, batch=500, **reference)
    ratio = stats.bootstrap(
        (numerators, denominators),
        lambda top, bottom, axis: top.sum(axis=axis) / bottom.sum(axis=axis),
        paired=True,
        batch=500,
        **reference,
    )
    for interval, expected in zip(ours, (mean, ratio), strict=True):
        low, high = expected.confidence_interval
        # One end at 4,000 resamples errs by 0.022 half-widths, at 10,000 by 0.014; four standard errors of both.
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=0.11 * (high - low) / 2)


def test_sign_flip_enumerated() -> None:
    differences = np.random.Generator(np.random.PCG64(19)).normal(0.4, 1.0, size=12)
    reference = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=2**12)
    assert sign_flip(differences.reshape(-1, 1), 1)[0] == pytest.approx(reference.pvalue, rel=1e-12)


def test_sign_flip_sampled() -> None:
    differences = np.random.Generator(np.random.PCG64(23)).normal(0.15, 1.0, size=(150, 1))
    reference = stats.permutation_test(
        (differences[:, 0],),
        np.mean,
        permutation_type="samples",
        n_resamples=10_000,
        batch=1_000,
        rng=np.random.Generator(np.random.PCG64(2)),
    )
    p = reference.pvalue
    # SciPy doubles the smaller tail; both err as binomial shares of 10,000.
    assert sign_flip(differences, 1)[0] == pytest.approx(p, abs=4 * math.sqrt(3 * p / 10_000))
