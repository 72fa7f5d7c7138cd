"""Time and peak memory of the resampling at 100,000 queries x 6 metrics x 10,000 resamples, against their limits.

Run by `make bench-statistics`. Exits with 1 if a limit is exceeded. Seconds are wall-clock.
"""

import resource
import sys
import time
from collections.abc import Callable

import numpy as np

from ragassay.statistics.bootstrap import Fractions, bootstrap_intervals
from ragassay.statistics.paired import sign_flip

QUERIES, METRICS, RESAMPLES = 100_000, 6, 10_000
BOOTSTRAP_LIMIT_S, SIGN_FLIP_LIMIT_S = 10.0, 3.0


def fractions(generator: np.random.Generator) -> Fractions:
    """Half macro, half micro, each column with its own gaps, no column of 0/1 values, so that all are resampled."""
    denominators = generator.integers(2, 12, size=(QUERIES, METRICS)).astype(np.float64)
    return Fractions(
        numerators=generator.binomial(denominators.astype(np.int64), 0.8).astype(np.float64),
        denominators=denominators,
        defined=generator.random((QUERIES, METRICS)) < 0.9,
        aggregation=("macro", "micro", "macro", "micro", "macro", "micro"),
        bounded=[True] * METRICS,
    )


def differences(generator: np.random.Generator) -> np.ndarray:
    """One pair in five differs, as between two neighbouring versions."""
    changed = generator.random((QUERIES, METRICS)) < 0.2
    return np.where(changed, generator.normal(size=(QUERIES, METRICS)), 0.0)


def within(name: str, work: Callable[[], object], limit_s: float) -> bool:
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    # ru_maxrss is in KiB on Linux and in bytes on macOS.
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    print(f"{name:<12} {seconds:6.2f} s (limit {limit_s:g} s)   peak memory of the process {peak_mb:.0f} MB")
    return seconds <= limit_s


def main() -> int:
    generator = np.random.Generator(np.random.PCG64(1))
    print(f"{QUERIES:,} queries x {METRICS} metrics x {RESAMPLES:,} resamples")
    measured, changes = fractions(generator), differences(generator)
    fast_enough = [
        within("bootstrap", lambda: bootstrap_intervals(measured, seed=1, resamples=RESAMPLES), BOOTSTRAP_LIMIT_S),
        within("sign flip", lambda: sign_flip(changes, seed=1, resamples=RESAMPLES), SIGN_FLIP_LIMIT_S),
    ]
    return 0 if all(fast_enough) else 1


if __name__ == "__main__":
    sys.exit(main())
