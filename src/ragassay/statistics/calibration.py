"""From labelled probabilities to a threshold, a band of doubt and a map that lets probabilities mean what they say."""

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

TOLERATED = 0.1
"""The share of wrong verdicts beyond the band of doubt that is accepted on either side of it."""
_EDGE = 1e-6
_STEPS = 100
_CLOSE = 1e-10


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """What was fitted: a probability p becomes q = 1 / (1 + exp(-(slope · logit p + intercept))).

    The claim is supported where q >= `threshold`; where `low` <= q < `high`, people decide. `judge` is whose
    probabilities these are, `n` the labelled claims it was fitted on, `contexts` the beginnings of the hashes of their
    contexts: figures on those would flatter.
    """

    judge: str
    n: int
    slope: float
    intercept: float
    threshold: float
    low: float
    high: float
    contexts: tuple[str, ...] = ()

    def probability(self, raw: ArrayLike) -> Floats:
        """The calibrated probabilities; (n,) in, (n,) out, each in [0, 1]."""
        return 1 / (1 + np.exp(-(self.slope * _logit(raw) + self.intercept)))


def fit(judge: str, positive: ArrayLike, probabilities: ArrayLike) -> Calibration:
    """Fit map, threshold and band to labelled probabilities.

    positive: (n,) bool, whether people call the claim supported; probabilities: (n,) in [0, 1].
    Raises ValueError where a class is missing, or where the probabilities do not rise with the labels.
    """
    is_positive = np.asarray(positive, dtype=np.bool_)
    if is_positive.all() or not is_positive.any():
        raise ValueError("the labels are all of one kind, expected claims that are supported and claims that are not")
    slope, intercept = platt(is_positive, probabilities)
    if slope <= 0:
        raise ValueError("the judge's probabilities do not rise with the labels, so that no threshold can help")
    whole = Calibration(
        judge=judge, n=len(is_positive), slope=slope, intercept=intercept, threshold=0.5, low=0.5, high=0.5
    )
    mapped = whole.probability(probabilities)
    threshold = best_threshold(is_positive, mapped)
    low, high = grey_band(is_positive, mapped, threshold)
    return msgspec.structs.replace(whole, threshold=threshold, low=low, high=high)


def platt(positive: ArrayLike, probabilities: ArrayLike) -> tuple[float, float]:
    """Slope and intercept of the logistic map on the logit, by Newton's method on smoothed targets.

    Source: Platt, J. (1999), Advances in Large Margin Classifiers 61-74; Lin, H.-T. et al. (2007), Mach. Learn. 68:267.
    """
    is_positive, x = np.asarray(positive, dtype=np.bool_), _logit(probabilities)
    ups, downs = int(is_positive.sum()), int((~is_positive).sum())
    target = np.where(is_positive, (ups + 1) / (ups + 2), 1 / (downs + 2))
    design = np.column_stack([x, np.ones(len(x))])
    weights = np.zeros(2)
    for _ in range(_STEPS):
        said = 1 / (1 + np.exp(-design @ weights))
        spread = (said * (1 - said))[:, None]
        hessian = design.T @ (design * spread) + 1e-9 * np.eye(2)
        step = np.linalg.solve(hessian, design.T @ (target - said))
        weights += step * min(1.0, 5 / (np.abs(step).max() + _EDGE))
        if np.abs(step).max() < _CLOSE:
            break
    return float(weights[0]), float(weights[1])


def best_threshold(positive: ArrayLike, scores: ArrayLike) -> float:
    """The cut with the highest balanced accuracy when scores at or above it count as positive.

    It lies half-way between two scores; of equally good cuts the middle one is taken. With one class missing: 0.5.
    """
    is_positive, values = np.asarray(positive, dtype=np.bool_), np.asarray(scores, dtype=np.float64)
    ups, downs = int(is_positive.sum()), int((~is_positive).sum())
    distinct = np.unique(values)
    if not ups or not downs or len(distinct) == 1:
        return 0.5 if len(distinct) != 1 else float(distinct[0])
    cuts = (distinct[1:] + distinct[:-1]) / 2
    found = 1 - np.searchsorted(np.sort(values[is_positive]), cuts) / ups
    refused = np.searchsorted(np.sort(values[~is_positive]), cuts) / downs
    quality = found + refused
    best = cuts[quality >= quality.max() - 1e-12]
    return float(best[(len(best) - 1) // 2])


def grey_band(
    positive: ArrayLike, scores: ArrayLike, threshold: float, tolerated: float = TOLERATED
) -> tuple[float, float]:
    """The narrowest [low, high) around the threshold beyond which at most a tolerated share of verdicts is wrong.

    Shares are smoothed by one wrong and one right verdict more, so that few labels make a wide band. Where no cut
    keeps the promise, the band reaches the end: 0, or just above 1.
    """
    is_positive, values = np.asarray(positive, dtype=np.bool_), np.asarray(scores, dtype=np.float64)
    cuts = np.unique(np.concatenate([values, [threshold]]))
    lows = [float(cut) for cut in cuts[cuts <= threshold] if _wrong(is_positive[values < cut]) <= tolerated]
    highs = [float(cut) for cut in cuts[cuts >= threshold] if _wrong(~is_positive[values >= cut]) <= tolerated]
    return max(lows, default=0.0), min(highs, default=float(np.nextafter(1.0, 2.0)))


def _wrong(misses: Bools) -> float:
    return (int(misses.sum()) + 1) / (len(misses) + 2)


def _logit(probabilities: ArrayLike) -> Floats:
    inside = np.clip(np.asarray(probabilities, dtype=np.float64), _EDGE, 1 - _EDGE)
    return np.log(inside / (1 - inside))
