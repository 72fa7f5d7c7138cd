"""The two ends of a judged metric at a gate, corrected by what people labelled."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri  # pyright: ignore[reportMissingTypeStubs]  SciPy has none

from ragassay.gates.ends import Aggregate, Ends
from ragassay.gates.standing import HEAVIEST, Standing, capped
from ragassay.metrics.definition import Choice, Fractions
from ragassay.metrics.ranking import Bools, Floats
from ragassay.metrics.sides import Sides, is_correctable
from ragassay.records.measurement import Corrected
from ragassay.statistics.corrected import Ratio, Uncorrected, corrected


class Correction(NamedTuple):
    """The ends with the corrected estimate in place of what the judge says, and that estimate at its worst."""

    ends: Ends
    found: Corrected


class _End(NamedTuple):
    """One end: the aggregate of all queries, and the corrected estimate of those that a judge decided."""

    aggregate: Aggregate
    found: Corrected


def correct(
    standing: Standing, sides: Sides | None, level: float, *, on_bound: bool
) -> Correction | Uncorrected | None:
    """The correction of a metric at a gate, why there is none, or None where nobody labelled or nothing is judged.

    What a judge decided is corrected. The rest of the queries have values that no judge gave, or stand at their worst
    or best; both parts are weighed as they are in the metric itself. A labelled query that failed stays a label.
    """
    choice = standing.choice
    if sides is None or not is_correctable(choice.metric):
        return None
    measured = standing.plain.defined & ~standing.doubtful
    judged = standing.worst.defined & sides.judged & (measured | sides.by_people)
    sides = sides._replace(judged=judged)
    if not (judged & sides.by_people).any():
        return None
    low, high = (_end(choice, end, sides, level) for end in (standing.worst, standing.best))
    if isinstance(low, Uncorrected) or isinstance(high, Uncorrected):
        return low if isinstance(low, Uncorrected) else high if isinstance(high, Uncorrected) else None
    worst, best = [low.aggregate], [high.aggregate]
    if choice.metric.aggregation == "micro" and (standing.worst.denominator[standing.worst.defined] > HEAVIEST).any():
        light = sides._replace(**_light(sides))
        ends = (_end(choice, capped(end), light, level) for end in (standing.worst, standing.best))
        for found, end in zip((worst, best), ends, strict=True):
            if isinstance(end, Uncorrected):
                return end
            found.append(end.aggregate)
    higher = choice.metric.direction == "higher"
    both = _extreme(worst, lowest=higher), _extreme(best, lowest=not higher)
    return Correction(Ends(*both, higher, on_bound), low.found)


def _end(choice: Choice, end: Fractions, sides: Sides, level: float) -> _End | Uncorrected:
    judged = sides.judged
    judge = Ratio(*_weighed(choice, sides.numerator[judged], sides.denominator[judged]))
    people = Ratio(*_weighed(choice, end.numerator[judged], end.denominator[judged]))
    found = corrected(judge, people, sides.by_people[judged], level)
    if isinstance(found, Uncorrected):
        return found
    return _End(_mixed(choice, end, judged, found, level), found)


def _mixed(choice: Choice, end: Fractions, judged: Bools, found: Corrected, level: float) -> Aggregate:
    """The corrected part and the rest as one ratio, their spreads added as Newcombe adds those of two rates."""
    top, bottom = _weighed(choice, end.numerator[end.defined], end.denominator[end.defined])
    inside = judged[end.defined]
    share = float(bottom[inside].sum() / bottom.sum())
    filled = np.where(inside, found.value * bottom, top)
    value = float(filled.sum() / bottom.sum())
    spread = 0.0
    if share < 1:
        moves = (filled - value * bottom) / bottom.mean()
        spread = float(ndtri(0.5 + level / 2)) ** 2 * float(np.var(moves, ddof=1)) / len(moves)
    low, high = found.interval
    below, above = (math.sqrt((share * reach) ** 2 + spread) for reach in (found.value - low, high - found.value))
    return Aggregate(value, max(0.0, value - below), min(1.0, value + above))


def _weighed(choice: Choice, top: Floats, bottom: Floats) -> tuple[Floats, Floats]:
    """The parts of a ratio of sums; those of a mean are the values and ones."""
    return (top, bottom) if choice.metric.aggregation == "micro" else (top / bottom, np.ones_like(bottom))


def _light(sides: Sides) -> dict[str, Floats]:
    """The judge's numbers with no answer weighing more than `HEAVIEST`."""
    share = HEAVIEST / np.maximum(sides.denominator, HEAVIEST)
    return {"numerator": sides.numerator * share, "denominator": sides.denominator * share}


def _extreme(found: list[Aggregate], *, lowest: bool) -> Aggregate:
    pick = min if lowest else max
    return Aggregate(*(pick(value for value in values if value is not None) for values in zip(*found, strict=True)))
