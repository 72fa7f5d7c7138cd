"""Whatever a system answers and whoever labelled it: the report is drawn up, and it never says more than was shown."""

from hypothesis import given, settings
from worlds import worlds

from ragassay.acceptance import Presented, accept
from ragassay.acceptance.rederiving import departures
from ragassay.records import FaultyInput
from ragassay.runner import Settings, measure


def presented(world):
    try:
        evaluation = measure(world, Settings(resamples=20))
    except FaultyInput:
        return None
    return Presented(
        run=evaluation.run,
        matrices=evaluation.matrices,
        fractions=evaluation.fractions,
        queries=world.queries,
        answers=world.answers,
    )


@settings(max_examples=25, deadline=None)
@given(worlds())
def test_every_run_follows_from_its_matrices(world):
    given_in = presented(world)
    if given_in is not None:
        assert departures(given_in.run, given_in.matrices, given_in.fractions) == []


@settings(max_examples=25, deadline=None)
@given(worlds())
def test_without_policy_baseline_and_judge_nothing_is_accepted(world):
    given_in = presented(world)
    if given_in is not None:
        acceptance = accept(given_in)
        outcomes = {control.name: control.outcome for control in acceptance.controls}
        assert acceptance.outcome != "met"
        assert "met" not in (outcomes["evidence"], outcomes["quality"], outcomes["release"])
