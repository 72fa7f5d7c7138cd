"""Chances of passing k times, against every choice written out."""

from itertools import combinations

import numpy as np
import pytest

from ragassay.statistics.repeating import at_least_once, every_time

CASES = [(passed, outcomes, k) for outcomes in range(1, 7) for passed in range(outcomes + 1) for k in range(1, 7)]


@pytest.mark.parametrize(("passed", "outcomes", "k"), CASES)
def test_every_choice_of_k_outcomes_counts(passed, outcomes, k):
    results = [True] * passed + [False] * (outcomes - passed)
    choices = list(combinations(results, k))
    every = sum(all(each) for each in choices) / len(choices) if choices else 0.0
    once = sum(any(each) for each in choices) / len(choices) if choices else 0.0
    assert every_time([passed], [outcomes], k) == pytest.approx([every])
    assert at_least_once([passed], [outcomes], k) == pytest.approx([once])


def test_estimates_are_unbiased():
    generator = np.random.Generator(np.random.PCG64(3))
    passed, outcomes = generator.binomial(5, 0.7, size=200_000), np.full(200_000, 5)
    # Four Monte-Carlo standard errors of means over 200,000 queries.
    assert every_time(passed, outcomes, 3).mean() == pytest.approx(0.7**3, abs=0.003)
    assert at_least_once(passed, outcomes, 3).mean() == pytest.approx(1 - 0.3**3, abs=0.002)


@pytest.mark.parametrize("wrong", [([3], [2], 1), ([-1], [2], 1), ([1], [2], 0), ([1, 1], [2], 1)])
def test_what_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match="expected"):
        every_time(*wrong)
