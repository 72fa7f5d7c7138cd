"""Curves whose every count was worked out by hand."""

import pytest

from ragassay.trying.sweeping import ENOUGH, Reading, Sweep, curve

FOUR = [
    Reading("a", 0.2, "rightly"),
    Reading("b", 0.4, "rightly"),
    Reading("c", 0.6, "wrongly"),
    Reading("d", 0.8, "rightly"),
    Reading("e", 0.9, "wrongly"),
    Reading("f", 0.5, "unchanged"),
    Reading("g", None, "rightly"),
]


def swept(readings, limit=0.05, *, at_most=False, seed=1):
    return curve(Sweep("score", "similarity", at_most, limit, 0.95, seed), readings)


def test_every_point_by_hand():
    found = swept(FOUR)
    assert (found.n, found.without) == (7, 1)
    assert [(p.threshold, p.stopped, p.prevented.count, p.refused.count) for p in found.points] == [
        (0.2, 1, 1, 0),
        (0.4, 2, 2, 0),
        (0.5, 3, 3, 0),
        (0.6, 4, 3, 0),
        (0.8, 5, 3, 1),
        (0.9, 6, 4, 1),
    ]
    assert {(p.prevented.n, p.refused.n) for p in found.points} == {(4, 2)}


def test_a_distance_is_swept_from_far_to_near():
    mirrored = [each._replace(value=None if each.value is None else round(1 - each.value, 6)) for each in FOUR]
    found, other = swept(mirrored, at_most=True), swept(FOUR)
    assert [point.threshold for point in found.points] == [0.8, 0.6, 0.5, 0.4, 0.2, 0.1]
    assert [point.prevented for point in found.points] == [point.prevented for point in other.points]
    assert [point.refused for point in found.points] == [point.refused for point in other.points]
    assert found.choice.threshold == 0.5


def test_the_choice_prevents_most_within_the_limit_and_is_the_laxest_of_equals():
    assert swept(FOUR).choice.threshold == 0.5
    choice = swept(FOUR, limit=0.5).choice
    assert choice.threshold == 0.9
    assert choice.prevented is not None
    assert choice.prevented.share == 1.0
    assert choice.refused is not None
    assert choice.refused.share == 0.5
    assert not choice.is_held_out
    assert choice.chosen_on == choice.reported_on == 6


@pytest.mark.parametrize(
    ("readings", "reason"),
    [
        ([], "no_values"),
        ([Reading("a", 0.5, "wrongly")], "no_answer_known_to_be_bad"),
        ([Reading("a", 0.5, "rightly"), Reading("b", 0.5, "undetermined")], "no_answer_known_to_be_correct"),
        ([Reading("a", 0.5, "rightly"), Reading("b", None, "wrongly")], "every_threshold_refuses_more"),
        ([Reading("a", 0.5, "rightly"), Reading("b", 0.4, "wrongly")], "no_threshold_prevents_more"),
    ],
)
def test_why_none_is_recommended(readings, reason):
    choice = swept(readings).choice
    assert choice.threshold is None
    assert choice.reason == reason
    assert choice.prevented is choice.refused is None


def many(number):
    bad = [Reading(f"b{n}", n / number, "rightly") for n in range(number)]
    good = [Reading(f"g{n}", 0.5 + n / number, "wrongly") for n in range(number)]
    return [*bad, *good]


def test_enough_queries_are_halved_and_the_halves_do_not_share_any():
    few, enough = swept(many(ENOUGH - 1)).choice, swept(many(ENOUGH)).choice
    assert not few.is_held_out
    assert enough.is_held_out
    assert (enough.chosen_on, enough.reported_on) == (ENOUGH, ENOUGH)
    assert enough.prevented is not None
    assert enough.prevented.n == ENOUGH // 2
    assert enough == swept(list(reversed(many(ENOUGH)))).choice
    assert len({swept(many(ENOUGH), seed=seed).choice.prevented for seed in range(5)}) > 1


def test_what_was_chosen_on_noise_is_not_believed():
    """Values that say nothing of the answers: the half that did not choose shows it."""
    effects = ("rightly", "wrongly")
    noise = [Reading(f"q{n}", (n * 7919 % 1009) / 1009, effects[n % 2]) for n in range(2 * ENOUGH)]
    choices = [swept(noise, limit=0.2, seed=seed).choice for seed in range(30)]
    refuted = [each for each in choices if each.reason == "the_other_half_refuses_more"]
    assert len(refuted) > 3
    for each in refuted:
        assert each.threshold is not None
        assert each.refused is not None
        assert each.refused.share is not None
        assert each.refused.share > 0.2
