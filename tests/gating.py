"""Rows of a metric as a gate sees them: a number, a fraction, `error`, `na`, or `failed`."""

import numpy as np

from ragassay.gates.absolute import absolute
from ragassay.gates.standing import Population, standing
from ragassay.metrics.aggregation import Measured, Sampling
from ragassay.metrics.definition import Fractions
from ragassay.metrics.dictionary import find
from ragassay.records import Gate

ABSENCES = ("answer_incomplete", "no_claims", "error:judge_failed")
STATES = {"failed": 1, "na": 2, "error": 3}


def queries(number):
    return tuple(f"q{index}" for index in range(number))


def fractions(rows):
    """A number counts as itself out of one, a pair as numerator and denominator."""
    pairs = [(0.0, 0.0) if row in STATES else row if isinstance(row, tuple) else (row, 1.0) for row in rows]
    state = np.array([STATES.get(row, 0) if isinstance(row, str) else 0 for row in rows], dtype=np.uint8)
    top, bottom = (np.array([pair[index] for pair in pairs], dtype=np.float64) for index in (0, 1))
    return Fractions(top, bottom, state, ABSENCES)


def people(rows, failed=()):
    """A population in which the rows called `failed`, and those with the given places, have a failed answer."""
    lost = np.array([row == "failed" or place in failed for place, row in enumerate(rows)], dtype=np.bool_)
    nobody = np.zeros(len(rows), dtype=np.bool_)
    return Population(queries(len(rows)), ~nobody, lost, nobody, {})


def stands(metric, rows, failed=()):
    everyone = np.ones(len(rows), dtype=np.bool_)
    return standing(Measured(find(metric), fractions(rows)), people(rows, failed), everyone)


def gated(metric, rows, *, coverage=0.95, failed=(), level=0.95, **limits):
    """The result of one gate on rows of a metric."""
    sampling = Sampling(seed=1, resamples=500, level=level)
    gate = Gate(metric=metric, **limits)
    return absolute(gate, stands(metric, rows, failed), queries(len(rows)), coverage, sampling)
