"""How far two sets of labels agree: an instrument against people, or people with one another.

Labels are class numbers 0 to k - 1. Everything but the ranking and calibration figures is a function of sums over
items, so that intervals resample clusters of items (claims beside one passage), never single correlated ones.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.statistics.intervals import Interval, check_level, wilson

Ints = NDArray[np.intp]
Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]

MISSING = -1
RESAMPLED_FROM = 20
"""Clusters below which, and where every resample agrees, a percentile interval would claim too much."""
_DEFINED_SHARE = 0.9
_CELLS_AT_ONCE = 1 << 22
_NONE = Interval(None, None, "none")


class Bin(NamedTuple):
    """One bar of a calibration picture: items with a probability in [low, high), the last bin closed."""

    low: float
    high: float
    n: int
    mean: float
    rate: float


class Sampling(NamedTuple):
    """How intervals are made."""

    seed: int = 20261
    resamples: int = 2_000
    level: float = 0.95


USUAL = Sampling()


def confusion(truth: ArrayLike, judged: ArrayLike, classes: int) -> Ints:
    """Counts, (k, k): row the true class, column the judged one.

    truth, judged: (n,) class numbers. Raises ValueError for unequal lengths or a number outside 0 to k - 1.
    """
    rows, columns = _classes(truth, classes), _classes(judged, classes)
    if rows.shape != columns.shape:
        raise ValueError(f"{len(rows)} true and {len(columns)} judged labels; give one of each per item")
    counts: Ints = np.bincount(rows * classes + columns, minlength=classes * classes)
    return counts.reshape(classes, classes)


def balanced_accuracy(counts: ArrayLike) -> float | None:
    """The mean recall of all classes; None where a class has no item, since its recall is undefined.

    counts: (k, k) as from `confusion`. Source: Brodersen, K. H. et al. (2010), ICPR 3121-3124.
    """
    return _defined(_balanced(_floats(counts)))


def cohen_kappa(counts: ArrayLike) -> float | None:
    """Agreement beyond chance, -1 to 1; None without items or where chance alone agrees always.

    counts: (k, k). Source: Cohen, J. (1960), Educational and Psychological Measurement 20:37-46.
    """
    return _defined(_kappa(_floats(counts)))


def recalls(counts: ArrayLike) -> list[float | None]:
    """Per class the share of its items that were judged so; None for a class without items."""
    matrix = _floats(counts)
    return [_defined(value) for value in _ratio(np.diagonal(matrix), matrix.sum(axis=1))]


def precisions(counts: ArrayLike) -> list[float | None]:
    """Per class the share of true items among those judged so; None for a class never given."""
    matrix = _floats(counts)
    return [_defined(value) for value in _ratio(np.diagonal(matrix), matrix.sum(axis=0))]


def krippendorff_alpha(ratings: ArrayLike, classes: int) -> float | None:
    """Agreement of any number of raters on nominal classes; 1 is perfect, 0 is chance.

    ratings: (raters, items), -1 where a rater gave none; items with one rating are not pairable and count nothing. None
    without pairable items, or where only one class was ever given.
    Source: Krippendorff, K. (2011), Computing Krippendorff's Alpha-Reliability.
    """
    return _defined(_alpha(_coincidences(ratings, classes).sum(axis=0)))


def auc(positive: ArrayLike, scores: ArrayLike) -> float | None:
    """The chance that a positive item scores above a negative one, ties counting half; None where a class is missing.

    positive: (n,) bool; scores: (n,) finite. Source: Hanley, J. and McNeil, B. (1982), Radiology 143:29-36.
    """
    is_positive, values = _scored(positive, scores)
    ups = int(is_positive.sum())
    downs = len(is_positive) - ups
    if not ups or not downs:
        return None
    _, place, repeats = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(repeats) - (repeats - 1) / 2
    return float((ranks[place][is_positive].sum() - ups * (ups + 1) / 2) / (ups * downs))


def brier(positive: ArrayLike, probabilities: ArrayLike) -> float | None:
    """The mean squared distance of probability and outcome, 0 the best; None without items.

    Source: Brier, G. W. (1950), Monthly Weather Review 78:1-3.
    """
    is_positive, values = _scored(positive, probabilities)
    return float(np.mean((values - is_positive) ** 2)) if len(values) else None


def reliability(positive: ArrayLike, probabilities: ArrayLike, bins: int = 10) -> list[Bin]:
    """The calibration picture: bins of equal width over [0, 1] that hold any item, in order.

    Raises ValueError for a probability outside [0, 1].
    """
    is_positive, values = _scored(positive, probabilities)
    if len(values) and (values.min() < 0 or values.max() > 1):
        raise ValueError(f"probabilities range from {values.min()} to {values.max()}, expected 0 to 1")
    place = np.minimum((values * bins).astype(np.intp), bins - 1)
    members = [(number, place == number) for number in range(bins)]
    return [
        Bin(number / bins, (number + 1) / bins, int(m.sum()), float(values[m].mean()), float(is_positive[m].mean()))
        for number, m in members
        if m.any()
    ]


def expected_calibration_error(bins: list[Bin]) -> float | None:
    """The mean distance of said and true share over the items, 0 the best; None without items.

    Source: Naeini, M. P. et al. (2015), AAAI 2901-2907.
    """
    total = sum(each.n for each in bins)
    return sum(each.n * abs(each.mean - each.rate) for each in bins) / total if total else None


def balanced_accuracy_interval(
    truth: ArrayLike, judged: ArrayLike, clusters: ArrayLike, sampling: Sampling = USUAL
) -> Interval:
    """The interval of a balanced accuracy over two classes; clusters are resampled.

    truth, judged, clusters: (n,). With fewer than 20 clusters, or where every resample says the same, it is made of
    Wilson's intervals of the two recalls with n = clusters that hold the class: wide, but honest.
    """
    tables = _by_cluster(truth, judged, clusters, 2)
    found = _resampled(_balanced, tables, sampling)
    if found is not None or balanced_accuracy(tables.sum(axis=0)) is None:
        return found or _NONE
    ends = [_wilson_of(tables[:, number, number], tables[:, number].sum(axis=1), sampling.level) for number in (0, 1)]
    return Interval(sum(low for low, _ in ends) / 2, sum(high for _, high in ends) / 2, "wilson")


def kappa_interval(truth: ArrayLike, judged: ArrayLike, clusters: ArrayLike, sampling: Sampling = USUAL) -> Interval:
    """The interval of Cohen's kappa over two classes; without ends where there are few clusters or no spread."""
    return _resampled(_kappa, _by_cluster(truth, judged, clusters, 2), sampling) or _NONE


def alpha_interval(ratings: ArrayLike, classes: int, sampling: Sampling = USUAL) -> Interval:
    """The interval of Krippendorff's alpha; items are resampled."""
    return _resampled(_alpha, _coincidences(ratings, classes), sampling) or _NONE


def _resampled(statistic: Statistic, tables: Floats, sampling: Sampling) -> Interval | None:
    """The percentile interval of a statistic of summed tables (clusters, k, k); None where it would be degenerate."""
    check_level(sampling.level)
    clusters = len(tables)
    estimate = _defined(statistic(tables.sum(axis=0)))
    if estimate is None or clusters < RESAMPLED_FROM:
        return None
    generator = np.random.Generator(np.random.PCG64([sampling.seed, clusters]))
    flat = tables.reshape(clusters, -1)
    values: list[Floats] = []
    step = max(1, _CELLS_AT_ONCE // clusters)
    for start in range(0, sampling.resamples, step):
        size = min(step, sampling.resamples - start)
        weights = generator.multinomial(clusters, np.full(clusters, 1 / clusters), size=size)
        values.append(statistic((weights @ flat).reshape(size, *tables.shape[1:])))
    every = np.concatenate(values)
    known = every[np.isfinite(every)]
    if len(known) < _DEFINED_SHARE * len(every) or np.ptp(known) <= 1e-12:
        return None
    tail = (1 - sampling.level) / 2
    low, high = (float(end) for end in np.quantile(known, [tail, 1 - tail]))
    return Interval(min(low, estimate), max(high, estimate), "bootstrap")


def _by_cluster(truth: ArrayLike, judged: ArrayLike, clusters: ArrayLike, classes: int) -> Floats:
    """A confusion matrix for each cluster: (clusters, k, k)."""
    rows, columns = _classes(truth, classes), _classes(judged, classes)
    _, place = np.unique(clusters, return_inverse=True)
    count = int(place.max()) + 1 if len(place) else 0
    cells = (place * classes + rows) * classes + columns
    return np.bincount(cells, minlength=count * classes**2).reshape(count, classes, classes).astype(np.float64)


def _wilson_of(right: Floats, members: Floats, level: float) -> tuple[float, float]:
    holding = int(np.count_nonzero(members))
    return wilson(float(right.sum() / members.sum()) * holding, holding, level)


def _coincidences(ratings: ArrayLike, classes: int) -> Floats:
    """Per item its coincidence matrix: (items, k, k)."""
    given = np.asarray(ratings, dtype=np.intp)
    if given.ndim != 2:
        raise ValueError(f"ratings have shape {given.shape}, expected (raters, items)")
    _classes(given[given != MISSING], classes)
    counts = np.stack([(given == number).sum(axis=0) for number in range(classes)], axis=1).astype(np.float64)
    raters = counts.sum(axis=1)
    counts, raters = counts[raters > 1], raters[raters > 1]
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, range(classes), range(classes)] -= counts
    return pairs / (raters - 1)[:, None, None]


def _balanced(counts: Floats) -> Floats:
    return _ratio(np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(axis=-1)).mean(axis=-1)


def _kappa(counts: Floats) -> Floats:
    total = counts.sum(axis=(-2, -1))
    seen = _ratio(np.trace(counts, axis1=-2, axis2=-1), total)
    chance = _ratio((counts.sum(axis=-1) * counts.sum(axis=-2)).sum(axis=-1), total**2)
    return _ratio(seen - chance, 1 - chance)


def _alpha(coincidences: Floats) -> Floats:
    marginals = coincidences.sum(axis=-1)
    total = marginals.sum(axis=-1)
    seen = total - np.trace(coincidences, axis1=-2, axis2=-1)
    expected = total**2 - (marginals**2).sum(axis=-1)
    return 1 - _ratio((total - 1) * seen, expected)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """The quotient, NaN inside this module alone where nothing divides."""
    top, bottom = np.asarray(top, dtype=np.float64), np.asarray(bottom, dtype=np.float64)
    return np.divide(top, bottom, out=np.full(np.shape(bottom), np.nan), where=bottom > 0)


def _defined(value: Floats) -> float | None:
    return float(value) if np.isfinite(value) else None


def _floats(counts: ArrayLike) -> Floats:
    matrix = np.asarray(counts, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"counts have shape {matrix.shape}, expected (k, k)")
    return matrix


def _classes(labels: ArrayLike, classes: int) -> Ints:
    numbers = np.asarray(labels, dtype=np.intp)
    if numbers.size and (numbers.min() < 0 or numbers.max() >= classes):
        raise ValueError(f"labels range from {numbers.min()} to {numbers.max()}, expected 0 to {classes - 1}")
    return numbers


def _scored(positive: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], Floats]:
    is_positive, values = np.asarray(positive, dtype=np.bool_), np.asarray(scores, dtype=np.float64)
    if is_positive.shape != values.shape:
        raise ValueError(f"{len(is_positive)} labels and {len(values)} scores; give one of each per item")
    if not np.all(np.isfinite(values)):
        raise ValueError("a score is not finite; leave items without a score out and count them")
    return is_positive, values
