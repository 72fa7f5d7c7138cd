"""One metric on the same queries twice."""

from typing import NamedTuple

import numpy as np

from ragassay.metrics.aggregation import Measured
from ragassay.metrics.definition import Choice, Fractions
from ragassay.metrics.ranking import Bools, Floats

_ROUNDING = 1e-12


class Pairs(NamedTuple):
    """`defined`: both runs have a value. `gain` is how much better the candidate is, 0 where it is not defined."""

    choice: Choice
    before: Fractions
    after: Fractions
    defined: Bools
    gain: Floats


def paired(before: Measured, after: Measured) -> Pairs:
    """The two measurements of one metric, query by query."""
    defined = before.fractions.defined & after.fractions.defined & (before.fractions.denominator > 0)
    defined &= after.fractions.denominator > 0
    step = np.where(defined, values(after.fractions) - values(before.fractions), 0.0)
    step[np.abs(step) <= _ROUNDING] = 0.0
    gain = step if after.choice.metric.direction == "higher" else -step
    return Pairs(after.choice, before.fractions, after.fractions, defined, gain)


def values(fractions: Fractions) -> Floats:
    """Numerator by denominator; 0 where there is no value."""
    return np.divide(
        fractions.numerator, fractions.denominator, out=np.zeros(len(fractions.state)), where=fractions.denominator > 0
    )
