import math

import numpy as np
import pytest

from ragassay.statistics.byte_tables import TwoPoint, weighted_sums

GOLDEN = (1 + math.sqrt(5)) / 2
MAMMEN = TwoPoint(low=2 - GOLDEN, high=1 + GOLDEN, chance=(math.sqrt(5) - 1) / (2 * math.sqrt(5)))
SIGN = TwoPoint(low=-1.0, high=1.0, chance=0.5)


def weights(n: int, weight: TwoPoint, resamples: int) -> np.ndarray:
    """Identity columns make each sum the weight of one row."""
    return weighted_sums(np.eye(n), weight, resamples, np.random.Generator(np.random.PCG64(3)))


@pytest.mark.parametrize("n", [1, 7, 8, 9, 521])
def test_every_row_has_a_weight_of_its_own(n: int) -> None:
    drawn = weights(n, SIGN, 64)
    assert drawn.shape == (64, n)
    assert np.all(np.abs(drawn) == 1.0)
    assert len(np.unique(drawn, axis=1).T) == n
    assert np.all(np.abs(drawn.sum(axis=0)) < 64)


def test_mammen_weights_have_mean_variance_and_skewness_one() -> None:
    drawn = weights(8, MAMMEN, 400_000)
    deviation = drawn - 1.0
    # Monte-Carlo standard errors at 400,000 draws: 0.0016, 0.0018 and 0.005.
    assert drawn.mean(axis=0) == pytest.approx(np.ones(8), abs=0.008)
    assert (deviation**2).mean(axis=0) == pytest.approx(np.ones(8), abs=0.009)
    assert (deviation**3).mean(axis=0) == pytest.approx(np.ones(8), abs=0.025)
    assert np.cov(drawn.T) == pytest.approx(np.eye(8), abs=0.009)


def test_sums_are_those_of_the_weights() -> None:
    generator = np.random.Generator(np.random.PCG64(5))
    columns = generator.normal(size=(19, 3))
    expected = weights(19, MAMMEN, 50) @ columns
    actual = weighted_sums(columns, MAMMEN, 50, np.random.Generator(np.random.PCG64(3)))
    assert actual == pytest.approx(expected, abs=1e-12)
