"""A threshold swept over its observed values: bad answers prevented against false refusals."""

from bisect import bisect_left
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from ragassay.records import ScoreKind
from ragassay.records.trying import Choice, Curve, Effect, Part, Point
from ragassay.trying.effects import part

ENOUGH = 40
"""Bad and good answers, each, from which a threshold is chosen on one half and reported on the other."""


class Reading(NamedTuple):
    """What a threshold compares for one query; None: nothing was found, and every threshold stops it."""

    query: str
    value: float | None
    effect: Effect


class Sweep(NamedTuple):
    """What is swept, in which direction, and what a choice may cost."""

    name: str
    kind: ScoreKind | None
    at_most: bool
    limit: float
    level: float
    seed: int


def curve(sweep: Sweep, readings: Sequence[Reading]) -> Curve:
    """The trade-off, with the threshold to take. `readings` hold values as recorded: low is good under `at_most`."""
    upward = [_upward(each) for each in readings] if sweep.at_most else list(readings)
    return Curve(
        name=sweep.name,
        kind=sweep.kind,
        at_most=sweep.at_most,
        n=len(upward),
        without=sum(each.value is None for each in upward),
        points=tuple(_points(sweep, upward, _thresholds(upward))),
        choice=_choice(sweep, upward),
    )


def _upward(reading: Reading) -> Reading:
    return reading if reading.value is None else reading._replace(value=-reading.value)


def _thresholds(readings: Sequence[Reading]) -> list[float]:
    return sorted({each.value for each in readings if each.value is not None})


def _points(sweep: Sweep, readings: Sequence[Reading], thresholds: Sequence[float]) -> list[Point]:
    every, bad, good = (_values(readings, effect) for effect in (None, "rightly", "wrongly"))
    return [
        Point(
            threshold=-threshold + 0.0 if sweep.at_most else threshold,
            stopped=bisect_left(every, threshold),
            prevented=part(bisect_left(bad, threshold), len(bad), sweep.level),
            refused=part(bisect_left(good, threshold), len(good), sweep.level),
        )
        for threshold in thresholds
    ]


def _values(readings: Sequence[Reading], effect: Effect | None) -> list[float]:
    chosen = (each.value for each in readings if effect is None or each.effect == effect)
    return sorted(-float("inf") if value is None else value for value in chosen)


def _choice(sweep: Sweep, readings: Sequence[Reading]) -> Choice:
    bad, good = ([each for each in readings if each.effect == effect] for effect in ("rightly", "wrongly"))
    is_held_out = min(len(bad), len(good)) >= ENOUGH
    (bad_here, bad_there), (good_here, good_there) = (
        _halves(each, sweep.seed) if is_held_out else (each, each) for each in (bad, good)
    )
    here, there = [*bad_here, *good_here], [*bad_there, *good_there]
    best, reason = _best(_points(sweep, here, _thresholds(readings)), sweep.limit)
    prevented, refused = (None, None) if best is None else _at(sweep, there, best)
    if refused is not None and refused.share is not None and refused.share > sweep.limit:
        reason = "the_other_half_refuses_more"
    return Choice(
        limit=sweep.limit,
        threshold=None if best is None else best.threshold,
        reason=reason,
        is_held_out=is_held_out,
        chosen_on=len(here),
        reported_on=len(there),
        prevented=prevented,
        refused=refused,
    )


def _best(points: Sequence[Point], limit: float) -> tuple[Point | None, str | None]:
    """The point that prevents most within the limit, of equals the laxest."""
    if not points:
        return None, "no_values"
    if not points[0].prevented.n or not points[0].refused.n:
        return None, "no_answer_known_to_be_bad" if not points[0].prevented.n else "no_answer_known_to_be_correct"
    allowed = [each for each in points if each.refused.share is not None and each.refused.share <= limit]
    if not allowed:
        return None, "every_threshold_refuses_more"
    best = max(allowed, key=lambda each: each.prevented.count)
    return (best, None) if best.prevented.count > allowed[0].prevented.count else (None, "no_threshold_prevents_more")


def _at(sweep: Sweep, readings: Sequence[Reading], point: Point) -> tuple[Part, Part]:
    threshold = -point.threshold if sweep.at_most else point.threshold
    (found,) = _points(sweep, readings, [threshold])
    return found.prevented, found.refused


def _halves(readings: Sequence[Reading], seed: int) -> tuple[list[Reading], list[Reading]]:
    """Two halves that depend on the seed and the ids alone."""
    ordered = sorted(readings, key=lambda each: sha256(f"{seed} {each.query}".encode()).digest())
    return ordered[::2], ordered[1::2]
