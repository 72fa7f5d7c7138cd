from itertools import chain

import pytest
from golden.reports.example import bundle
from msgspec.structs import replace

from ragassay.acceptance import Presented
from ragassay.acceptance.control import control
from ragassay.acceptance.data import data
from ragassay.acceptance.judging import evidence
from ragassay.acceptance.quality import quality
from ragassay.acceptance.release import release
from ragassay.acceptance.scope import scope
from ragassay.runner import Settings, measure


@pytest.fixture(scope="package")
def evaluation():
    return measure(bundle(), Settings(resamples=50))


@pytest.fixture
def presented(evaluation):
    """The example as it is stored; `card`, `findings` and anything else replace what it says."""

    def given(*, card=None, findings=None, notices=None, **other):
        run = evaluation.run
        run = replace(run, card=replace(run.card, **card or {}), findings=replace(run.findings, **findings or {}))
        run = run if notices is None else replace(run, notices=notices)
        parts = {
            "run": run,
            "matrices": evaluation.matrices,
            "fractions": evaluation.fractions,
            "queries": evaluation.observed.queries,
            "answers": evaluation.observed.answers,
        }
        return Presented(**parts | other)

    return given


@pytest.fixture
def outcome(presented):
    """The outcome of one check, by name, and what was found."""

    def told(name, **changes):
        given = presented(**changes)
        made = chain.from_iterable(controls(given) for controls in (scope, data, control, quality, release, evidence))
        check = next(each for each in made if each.name == name)
        return check.outcome, check.found

    return told
