"""Adjusted p-values and paired rates as in reference implementations and tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from ragassay.statistics.multiplicity import benjamini_hochberg, holm
from ragassay.statistics.paired import mcnemar_exact, newcombe

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(P_VALUES)
def test_holm_and_benjamini_hochberg_agree_with_statsmodels(p_values):
    np.testing.assert_allclose(holm(p_values), multipletests(p_values, method="holm")[1], atol=1e-12)
    np.testing.assert_allclose(benjamini_hochberg(p_values), multipletests(p_values, method="fdr_bh")[1], atol=1e-12)


def test_nothing_to_adjust_is_nothing():
    assert holm([]) == benjamini_hochberg([]) == []


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_agrees_with_statsmodels(b, c):
    expected = mcnemar([[3, b], [c, 5]], exact=True).pvalue
    assert mcnemar_exact(b, c) == pytest.approx(min(1.0, expected), abs=1e-12)


def test_the_interval_of_a_paired_difference_is_newcombes():
    """The worked example of Newcombe (1998), method 10, which is of the first rate less the second."""
    assert newcombe(36, 2, 12, 0) == pytest.approx((0.0569, 0.3404), abs=5e-5)


@given(st.tuples(*[st.integers(0, 30)] * 4).filter(any))
def test_the_interval_turns_with_its_sides_and_holds_the_difference(counts):
    both, first, second, neither = counts
    low, high = newcombe(both, first, second, neither)
    assert newcombe(both, second, first, neither) == pytest.approx((-high, -low))
    assert low - 1e-12 <= (second - first) / sum(counts) <= high + 1e-12
