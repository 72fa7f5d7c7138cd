"""Intervals over repetitions cover the truth as often as they say: the noise of repeating is inside them."""

import numpy as np
import pytest

from ragassay.statistics.bootstrap import Fractions, bootstrap_intervals
from ragassay.statistics.repeating import at_least_once, every_time

WORLDS, QUERIES, REPETITIONS = 300, 60, 4
# A query passes with a chance of its own, from a Beta(4, 2): the moments are known.
SHAPE = (4.0, 2.0)
TRUTH = {"mean": 4 / 6, "every of 3": 4 / 6 * 5 / 7 * 6 / 8, "once of 2": 1 - 2 / 6 * 3 / 7}


def intervals(generator):
    chances = generator.beta(*SHAPE, size=QUERIES)
    passed, outcomes = generator.binomial(REPETITIONS, chances), np.full(QUERIES, REPETITIONS)
    chosen = every_time(passed, outcomes, 3), at_least_once(passed, outcomes, 2)
    columns = np.column_stack([passed / REPETITIONS, *chosen])
    ones = np.ones_like(columns)
    fractions = Fractions(columns, ones, ones.astype(np.bool_), ["macro"] * 3, [True] * 3)
    return bootstrap_intervals(fractions, seed=1, resamples=400)


def test_they_cover_the_truth():
    generator = np.random.Generator(np.random.PCG64(11))
    found = [intervals(generator) for _ in range(WORLDS)]
    for column, (name, truth) in enumerate(TRUTH.items()):
        covered = np.mean([each[column].low <= truth <= each[column].high for each in found])
        # 0.95 less what a percentile bootstrap of 60 queries lacks, and three standard errors of 300 worlds.
        assert covered == pytest.approx(0.94, abs=0.04), name


def test_one_repetition_hides_what_several_show():
    generator = np.random.Generator(np.random.PCG64(12))
    chances = generator.beta(*SHAPE, size=2_000)
    one = generator.binomial(1, chances)
    # Passing once says nothing of passing three times: a single run of 67 % stands for 36 %.
    assert one.mean() == pytest.approx(TRUTH["mean"], abs=0.04)
    assert every_time(generator.binomial(4, chances), np.full(2_000, 4), 3).mean() == pytest.approx(0.357, abs=0.04)
