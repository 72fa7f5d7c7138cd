"""The mean or ratio that people would find on all queries, from a judge on all of them and people on some.

A judge errs, and an interval of its verdicts says nothing about that. Where people labelled a random part, what they
say there corrects what the judge says everywhere: prediction-powered inference with a tuned weight (PPI++).
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit  # pyright: ignore[reportMissingTypeStubs]  SciPy has none

from ragassay.records.measurement import Corrected
from ragassay.statistics.intervals import check_level

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FEWEST_LABELS = 100
"""Labelled queries below which the interval would not hold what it promises."""
FOLDS = 10
_LOT = 20261
_CHOSEN_BELOW = 0.001
"""How unlikely the judge's difference between labelled and other queries must be for the choice not to be random."""


class Ratio(NamedTuple):
    """Per-query parts of a ratio of sums in [0, 1], each (n,); a mean is the ratio of values to ones."""

    numerators: Floats
    denominators: Floats


class Uncorrected(NamedTuple):
    """Why there is no corrected estimate: `few_labels`, or `labels_not_at_random`."""

    reason: Literal["few_labels", "labels_not_at_random"]
    labelled: int


def corrected(judge: Ratio, people: Ratio, is_labelled: Bools, level: float = 0.95) -> Corrected | Uncorrected:
    """The corrected ratio over all n queries, or why there is none.

    judge: on every query. people: on the labelled ones; the rest is not read. All are (n,), with denominators above 0
    where they are read. The labelled queries must be a random part of all: with fewer than 100, or where the judge
    finds them so different from the rest that chance hardly explains it, nothing is corrected.

    Ratios are linearised: a query counts by how much it moves the ratio, which for a mean is its value. The weight of
    the judge is fitted on nine tenths of the labels and used on the tenth one, variances divide by n - 1, and the
    interval is Wilson's with the effective number of queries and Student's quantile, whose degrees of freedom are fewer
    where a few queries make most of the variance.
    Raises ValueError for unequal lengths, values outside [0, 1], a denominator not above 0, or a level outside (0, 1).
    Source: Angelopoulos, A., Duchi, J. and Zrnic, T. (2023), arXiv:2311.01453; Zrnic, T. and Candès, E. (2024), PNAS
    121(15), for the cross-fit; Korn, E. and Graubard, B. (1998), Survey Methodology 24:193-201, for the interval;
    O'Neill, B. (2014), The American Statistician 68:282-296, for the degrees of freedom.
    """
    check_level(level)
    _check(judge, people, is_labelled)
    labelled = int(is_labelled.sum())
    if labelled < FEWEST_LABELS:
        return Uncorrected("few_labels", labelled)
    said = _moves(judge, _ratio(judge))
    if _is_chosen(said[is_labelled], said[~is_labelled]):
        return Uncorrected("labels_not_at_random", labelled)
    truth = Ratio(people.numerators[is_labelled], people.denominators[is_labelled])
    return _estimated(truth, said[is_labelled], said[~is_labelled], level)


def _estimated(truth: Ratio, inside: Floats, outside: Floats, level: float) -> Corrected:
    """The estimate from what people say, and by how much the judge says that queries with and without labels move."""
    alone, labelled = _ratio(truth), len(inside)
    moves = _moves(truth, alone)
    found = _combined(moves, inside, outside)
    value = alone + found.shift
    if found.weight == 0 or found.variance >= found.alone or not 0 < value < 1:
        found, value = found._replace(weight=0.0, variance=found.alone), alone
    return Corrected(
        value=value,
        interval=_score_interval(value, found.variance, _freedom(truth, moves), level),
        variance=found.variance,
        method="ppi++" if found.weight else "labels",
        correlation=_correlation(moves, inside),
        weight=found.weight,
        effective=labelled * found.alone / found.variance if found.variance > 0 else float(labelled),
        labelled=labelled,
        unlabelled=len(outside),
    )


def _score_interval(value: float, variance: float, freedom: float, level: float) -> tuple[float, float]:
    """Wilson's interval of a rate with as many queries as its variance speaks for; all of them where all are equal."""
    quantile = float(stdtrit(freedom, 0.5 + level / 2))
    effective = value * (1 - value) / variance if variance > 0 and 0 < value < 1 else freedom + 1
    spread = quantile * quantile / effective
    centre = (value + spread / 2) / (1 + spread)
    half = quantile * math.sqrt(value * (1 - value) / effective + spread / (4 * effective)) / (1 + spread)
    return min(value, max(0.0, centre - half)), max(value, min(1.0, centre + half))


def _freedom(truth: Ratio, moves: Floats) -> float:
    """Degrees of freedom of the variance: n - 1, fewer where the queries' moves have heavy tails.

    Of one equally weighted 0/1 value per query the variance follows from the mean, and Wilson's interval knows that.
    """
    n = len(moves)
    spread = float(moves.var())
    values = truth.numerators / truth.denominators
    if spread <= 0 or (np.ptp(truth.denominators) == 0 and bool(np.isin(values, (0.0, 1.0)).all())):
        return n - 1.0
    kurtosis = float((moves**4).mean()) / spread**2
    return min(n - 1.0, 2 * n / (kurtosis - (n - 3) / (n - 1)))


class _Combination(NamedTuple):
    """How far the judge moves the labels' estimate, with the weight, and the variances with and without the judge."""

    shift: float
    weight: float
    variance: float
    alone: float


def _combined(truth: Floats, inside: Floats, outside: Floats) -> _Combination:
    n, others = len(truth), len(outside)
    alone = float(np.var(truth, ddof=1)) / n
    if others < 2:
        return _Combination(0.0, 0.0, alone, alone)
    spread = float(np.var(np.concatenate([inside, outside]), ddof=1)) * (1 + n / others)
    weights = _cross_fitted(truth, inside, spread)
    weight = float(weights.mean())
    shift = weight * float(outside.mean()) - float((weights * inside).mean())
    rest = float(np.var(truth - weights * inside, ddof=1)) / n
    return _Combination(shift, weight, rest + weight**2 * float(np.var(outside, ddof=1)) / others, alone)


def _cross_fitted(truth: Floats, inside: Floats, spread: float) -> Floats:
    """(n,): for each labelled query the weight that the other folds ask for."""
    # By lot: queries that repeat in a pattern would otherwise share a fold, and their weight would depend on it.
    generator = np.random.Generator(np.random.PCG64([_LOT, len(truth)]))
    folds = generator.permutation(len(truth)) % FOLDS
    weights = np.zeros(len(truth))
    if spread > 0:
        for fold in range(FOLDS):
            rest = folds != fold
            slope = float(np.cov(truth[rest], inside[rest], ddof=1)[0, 1]) / spread
            weights[~rest] = min(max(slope, 0.0), 1.0)
    return weights


def _is_chosen(inside: Floats, outside: Floats) -> bool:
    """Whether the judge finds the labelled queries another kind than the rest."""
    if len(outside) < 2:
        return False
    variance = float(np.var(inside, ddof=1)) / len(inside) + float(np.var(outside, ddof=1)) / len(outside)
    gap = abs(float(inside.mean()) - float(outside.mean()))
    return gap > 0 and (variance == 0 or 2 * float(ndtr(-gap / math.sqrt(variance))) < _CHOSEN_BELOW)


def _ratio(parts: Ratio) -> float:
    return float(parts.numerators.sum() / parts.denominators.sum())


def _moves(parts: Ratio, ratio: float) -> Floats:
    """By how much each query moves the ratio, to first order; a mean less itself where denominators are equal."""
    return (parts.numerators - ratio * parts.denominators) / parts.denominators.mean()


def _correlation(first: Floats, second: Floats) -> float | None:
    if np.ptp(first) <= 1e-12 or np.ptp(second) <= 1e-12:
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _check(judge: Ratio, people: Ratio, is_labelled: Bools) -> None:
    lengths = {len(part) for part in (*judge, *people, is_labelled)}
    if len(lengths) != 1:
        raise ValueError(f"the arrays have lengths {sorted(lengths)}, expected one value per query in each")
    for name, parts, read in (("judge", judge, np.ones_like(is_labelled)), ("people", people, is_labelled)):
        top, bottom = parts.numerators[read], parts.denominators[read]
        fits = (bottom > 0) & (top >= -1e-9) & (top <= bottom * (1 + 1e-9))
        if not fits.all():
            at = int(np.flatnonzero(~fits)[0])
            count = int((~fits).sum())
            raise ValueError(
                f"{count} fractions of {name} lie outside [0, 1], the first, {top[at]} / {bottom[at]}, in row {at};"
                " leave undefined queries out and count them"
            )
