"""The corrected estimate as ppi-python 0.2.3 has it, up to the cross-fit and the interval's shape."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from ragassay.statistics.corrected import Corrected, Ratio, corrected

SCRIPT = Path(__file__).with_name("ppi_python.py")
RECORDED = (
    (0.6913319948483493, 0.6557697815195201, 0.7268942081771784),
    (0.8767215363031319, 0.845897071760805, 0.9075460008454588),
    (0.5929267971148727, 0.5448063157828014, 0.6410472784469441),
    (0.9143203967224212, 0.8964476871886963, 0.932193106256146),
)
"""What the script prints: estimate and interval at 95 %."""


def ours(seed):
    specification = importlib.util.spec_from_file_location("ppi_python", SCRIPT)
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    truth, said = script.judged(seed)
    ones = np.ones(script.QUERIES)
    found = corrected(Ratio(said, ones), Ratio(truth, ones), np.arange(script.QUERIES) < script.LABELLED)
    assert isinstance(found, Corrected)
    return found


@pytest.mark.parametrize("seed", range(len(RECORDED)))
def test_estimate_and_width_are_those_of_ppi_python(seed):
    value, low, high = RECORDED[seed]
    found = ours(seed)
    assert found.method == "ppi++"
    # The weight is fitted without the query that it weighs: this moves the estimate by a small part of the interval.
    assert found.value == pytest.approx(value, abs=(high - low) / 30)
    # Student's quantile and Wilson's shape: a little narrower in the middle, wider the nearer to 1 the rate is.
    assert 0.99 < (found.interval[1] - found.interval[0]) / (high - low) < 1.04


def test_a_judge_that_knows_nothing_is_worth_no_label_and_a_fine_one_is_worth_many():
    assert ours(2).effective == pytest.approx(400, rel=0.03)
    assert ours(3).effective > 700
