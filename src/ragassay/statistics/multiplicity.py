"""P-values of many tests at once: what remains of each when all are looked at."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted so that the chance of any false alarm among them stays below the level.

    Source: Holm, S. (1979), Scandinavian Journal of Statistics 6:65-70.
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted.tolist()


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted so that the expected share of false alarms among the alarms stays below the level.

    Source: Benjamini, Y. and Hochberg, Y. (1995), J. R. Stat. Soc. B 57:289-300.
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")[::-1]
    shares = len(p) / np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.minimum.accumulate(shares * p[order]), 1.0)
    return adjusted.tolist()


def _checked(p_values: Sequence[float]) -> NDArray[np.float64]:
    p = np.asarray(p_values, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("a p-value lies outside [0, 1]")
    return p
