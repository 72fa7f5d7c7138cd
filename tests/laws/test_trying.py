"""A threshold that rises never stops fewer, and a curve counts what the contract itself would stop."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragassay.contract.stages import search_decision
from ragassay.records import Result, SearchTerms
from ragassay.records.trying import Effect
from ragassay.trying.effects import EFFECTS
from ragassay.trying.sweeping import Reading, Sweep, curve

VALUES = st.one_of(st.none(), st.integers(-4, 4).map(lambda n: n / 2), st.floats(-1e6, 1e6))
EFFECT: st.SearchStrategy[Effect] = st.sampled_from(EFFECTS)


@st.composite
def readings(draw):
    rows = draw(st.lists(st.tuples(VALUES, EFFECT), max_size=30))
    return [Reading(f"q{n}", value, effect) for n, (value, effect) in enumerate(rows)]


def swept(found, kind):
    return curve(Sweep("score", kind, kind == "distance", 0.1, 0.95, 7), found)


@given(readings(), st.sampled_from(["similarity", "distance"]))
def test_a_stricter_threshold_never_stops_fewer(found, kind):
    points = swept(found, kind).points
    strictness = [-point.threshold if kind == "distance" else point.threshold for point in points]
    assert strictness == sorted(set(strictness))
    for lax, strict in pairwise(points):
        assert lax.stopped < strict.stopped
        assert lax.prevented.count <= strict.prevented.count
        assert lax.refused.count <= strict.refused.count


@given(readings(), st.sampled_from(["similarity", "distance"]))
def test_every_point_is_what_the_contract_decides(found, kind):
    for point in swept(found, kind).points:
        terms = SearchTerms(thresholds={kind: point.threshold})
        results = [(each, [] if each.value is None else [Result(score=each.value)]) for each in found]
        stopped = [each for each, found_there in results if not search_decision(terms, kind, found_there)[0].proceeds]
        assert point.stopped == len(stopped)
        assert point.prevented.count == sum(each.effect == "rightly" for each in stopped)
        assert point.refused.count == sum(each.effect == "wrongly" for each in stopped)


@given(readings())
def test_a_choice_keeps_its_limit_where_it_was_chosen_and_follows_no_order(found):
    choice = swept(found, "similarity").choice
    assert choice == swept(found[::-1], "similarity").choice
    if choice.threshold is not None and not choice.is_held_out:
        assert choice.refused.share <= choice.limit
        assert choice.prevented.count > 0
