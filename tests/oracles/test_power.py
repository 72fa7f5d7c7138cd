"""The same numbers as statsmodels, and the power that the tests of a comparison really have."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from ragassay.statistics.power import mcnemar_queries, paired_queries


@pytest.mark.parametrize("effect", [0.05, 0.1, 0.2, 0.5, 0.8])
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.05, 0.95), (0.01, 0.9)])
def test_paired_differences(effect: float, alpha: float, power: float) -> None:
    reference = TTestPower().solve_power(effect_size=effect, alpha=alpha, power=power)
    assert abs(paired_queries(effect, 1.0, alpha, power) - np.ceil(reference)) <= 1


def exact_power(n: int, difference: float, discordance: float, alpha: float) -> float:
    """The chance that the exact McNemar test rejects, summed over every number of discordant queries."""
    differing = np.arange(n + 1)
    favoured = (discordance + difference) / (2 * discordance)
    # The largest number of losses that is still significant: 2 * P(X <= x) <= alpha under a fair coin.
    limit = stats.binom.ppf(alpha / 2, differing, 0.5)
    limit = np.where(2 * stats.binom.cdf(limit, differing, 0.5) <= alpha, limit, limit - 1)
    rejects = stats.binom.cdf(limit, differing, 1 - favoured) + stats.binom.cdf(limit, differing, favoured)
    return float(np.sum(stats.binom.pmf(differing, n, discordance) * rejects))


@pytest.mark.parametrize(
    ("difference", "discordance"), [(0.03, 0.1), (0.03, 0.3), (0.05, 0.1), (0.05, 0.3), (0.1, 0.2), (0.1, 0.3)]
)
def test_the_exact_test_has_nearly_the_power_that_was_planned(difference: float, discordance: float) -> None:
    n = mcnemar_queries(difference, discordance)
    assert 0.76 < exact_power(n, difference, discordance, 0.05) < 0.80
    # A tenth more queries more than make up for it.
    assert exact_power(round(1.1 * n), difference, discordance, 0.05) > 0.8
