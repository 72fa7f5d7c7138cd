"""Sums under many random two-point weightings of the rows, eight rows to one table look-up.

The weighted sum of eight rows has only 256 possible values. They are tabulated once per eight rows, and each resample
then picks one by a random pattern instead of multiplying and adding eight times.
"""

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

_ROWS = 8
_PATTERNS = 1 << _ROWS
_DRAWS = 1 << 16
_TABLES_AT_ONCE = 64


class TwoPoint(msgspec.Struct, frozen=True):
    """The distribution of one row's weight: `high` with probability `chance`, else `low`."""

    low: float
    high: float
    chance: float


def weighted_sums(
    columns: NDArray[np.float64], weight: TwoPoint, resamples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Sums of weight * row over the rows, with fresh independent weights in each resample.

    columns: (n, c), finite. Returns (resamples, c). All columns of a row share its weight. A column's sums depend on
    that column, n and the generator alone, to the last bit, whatever other columns stand beside it.
    Pattern probabilities are kept to 1/65536; memory is about 2 * resamples * c floats and does not grow with n.
    """
    patterns = _patterns(weight.chance)
    sums = np.zeros((resamples, columns.shape[1]))
    picked = np.empty_like(sums)
    for table in _tables(columns, weight):
        draws = generator.integers(0, _DRAWS, size=resamples, dtype=np.uint16)
        # mode="clip" lets numpy write into `out` unbuffered; every pattern is in range.
        np.take(table, patterns[draws], axis=0, out=picked, mode="clip")
        sums += picked
    return sums


def _patterns(chance: float) -> NDArray[np.intp]:
    """(65536,): the pattern of eight weights that a uniform 16-bit number stands for; a set bit is a high weight."""
    high = np.bitwise_count(np.arange(_PATTERNS)).astype(np.float64)
    cumulative = np.cumsum(chance**high * (1 - chance) ** (_ROWS - high))
    ends = np.rint(cumulative / cumulative[-1] * _DRAWS).astype(np.intp)
    return np.repeat(np.arange(_PATTERNS, dtype=np.intp), np.diff(ends, prepend=0))


def _tables(columns: NDArray[np.float64], weight: TwoPoint) -> Iterator[NDArray[np.float64]]:
    """Yields (256, c) for each eight rows: the weighted sum under every pattern, bit j for row j."""
    step = _ROWS * _TABLES_AT_ONCE
    for start in range(0, len(columns), step):
        block = columns[start : start + step]
        padded = np.pad(block, ((0, -len(block) % _ROWS), (0, 0)))
        groups = padded.reshape(-1, _ROWS, 1, block.shape[1])
        tables = np.zeros((len(groups), 1, block.shape[1]))
        for row in range(_ROWS):
            tables = np.concatenate(
                [tables + weight.low * groups[:, row], tables + weight.high * groups[:, row]], axis=1
            )
        yield from tables
