"""How often tests cry wolf and how often intervals hold the truth, simulated: `make laws` runs this file as a program.

Every simulation draws a world whose truth is known and puts it to the product's own functions. It returns how many
repeats came out as the law wants; a law holds where the limit lies inside or on the good side of Wilson's interval of
that share. Exits with 1 where one fails. `tests/laws/test_simulations.py` runs smaller versions of the same.
"""

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from ragassay.statistics.bootstrap import Fractions, bootstrap_intervals
from ragassay.statistics.corrected import Corrected, Ratio, corrected
from ragassay.statistics.intervals import percentile_interval, wilson
from ragassay.statistics.multiplicity import holm
from ragassay.statistics.paired import mcnemar_exact, newcombe, sign_flip

LEVEL = 0.95
ALPHA = 0.05
ALLOWED = 0.93
"""The coverage that an interval of nominal 95 % must have in every world below."""
WORST_BOOTSTRAP = 0.91
"""The same for percentile intervals, whose shortfall at few and clustered queries is known and stated."""
RESAMPLES = 1_000
METRICS = 4
SURE = 0.999
"""The level of the Monte Carlo interval of a law: dozens are checked at once, and none may fail by chance."""

Generator = np.random.Generator


class Law(NamedTuple):
    """One line of the result. `limit` bounds the share of `hits`: from above for alarms, from below for coverage."""

    name: str
    world: str
    hits: int
    repeats: int
    limit: float
    is_alarm: bool

    @property
    def share(self) -> float:
        return self.hits / self.repeats

    @property
    def ends(self) -> tuple[float, float]:
        return wilson(self.hits, self.repeats, SURE)

    @property
    def holds(self) -> bool:
        low, high = self.ends
        return low <= self.limit if self.is_alarm else high >= self.limit


# Two versions of a system that do not differ.


def binary_alarms(generator: Generator, repeats: int) -> Law:
    """Two runs of one system, a 0/1 metric, 200 queries of which every other one comes out anew."""
    hits = 0
    for _ in range(repeats):
        before, after = _twice(generator, 200, 1, same=0.5)
        hits += mcnemar_exact(int((before > after).sum()), int((before < after).sum())) <= ALPHA
    return Law("McNemar, exact", "200 queries, 0/1", hits, repeats, ALPHA, True)


def mean_alarms(generator: Generator, repeats: int, n: int = 60) -> Law:
    """Two runs of one system, a share of several claims per query."""
    hits = 0
    for repeat in range(repeats):
        before, after = _twice(generator, n, 5)
        hits += sign_flip(after - before, seed=repeat, resamples=RESAMPLES)[0] <= ALPHA
    return Law("sign flip", f"{n} queries, shares", hits, repeats, ALPHA, True)


def holm_alarms(generator: Generator, repeats: int) -> Law:
    """Any of eight metrics that move together, half of them 0/1; an alarm of one is an alarm."""
    hits = 0
    for repeat in range(repeats):
        before, after = _twice(generator, 100, 5, METRICS)
        binary = (before >= 0.8) * 1.0, (after >= 0.8) * 1.0
        counts = [((binary[0] > binary[1])[:, m].sum(), (binary[0] < binary[1])[:, m].sum()) for m in range(METRICS)]
        p_values = [mcnemar_exact(int(b), int(c)) for b, c in counts]
        p_values += sign_flip(after - before, seed=repeat, resamples=RESAMPLES).tolist()
        hits += min(holm(p_values)) <= ALPHA
    return Law("McNemar and sign flip under Holm", f"100 queries, {2 * METRICS} metrics", hits, repeats, ALPHA, True)


def _twice(
    generator: Generator, n: int, claims: int, metrics: int = 1, same: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Two runs, each (n, metrics): queries differ in difficulty, metrics share it, some answers come out the same."""
    chance = np.clip(generator.beta(4, 1, size=(n, 1)) + generator.normal(0, 0.05, size=(n, metrics)), 0, 1)
    first, second = (generator.binomial(claims, chance) / claims for _ in range(2))
    return first, np.where(generator.random((n, 1)) < same, first, second)


# One system, and whether its interval holds the rate that it truly has.


def wilson_coverage(generator: Generator, repeats: int, n: int, rate: float) -> Law:
    values = generator.binomial(n, rate, size=repeats)
    ends = [wilson(int(value), n, LEVEL) for value in values]
    return _coverage("Wilson", f"{n} queries, rate {rate}", ends, rate, ALLOWED)


def bootstrap_coverage(generator: Generator, repeats: int, n: int, aggregation: str) -> Law:
    """Claims of one answer share their fate; answers with more claims do worse, so that macro and micro differ."""
    truth = np.mean([_ratio(*_clustered(generator, 200_000), aggregation) for _ in range(2)])
    ends = []
    for repeat in range(repeats):
        top, bottom = (part[:, None] for part in _clustered(generator, n))
        fractions = Fractions(top, bottom, np.ones_like(top, dtype=np.bool_), (aggregation,), (True,))
        found = bootstrap_intervals(fractions, seed=repeat, resamples=RESAMPLES, level=LEVEL)[0]
        ends.append((found.low, found.high))
    return _coverage(f"bootstrap, {aggregation}", f"{n} queries, clustered claims", ends, float(truth), WORST_BOOTSTRAP)


def newcombe_coverage(generator: Generator, repeats: int, n: int, gain: float) -> Law:
    """Two versions on the same queries, correlated, the second better by `gain`."""
    ends = []
    for _ in range(repeats):
        luck = generator.random((2, n))
        first, second = luck[0] < 0.8, np.where(luck[1] < 0.7, luck[0], generator.random(n)) < 0.8 + gain
        counts = [int((a & b).sum()) for a, b in ((first, second), (first, ~second), (~first, second))]
        ends.append(newcombe(*counts, n - sum(counts), LEVEL))
    return _coverage("Newcombe, paired", f"{n} queries, difference {gain}", ends, gain, ALLOWED)


def paired_coverage(generator: Generator, repeats: int, n: int) -> Law:
    """The mean difference of two shares on the same queries, as `compare` resamples it."""
    ends = []
    for repeat in range(repeats):
        chance = generator.beta(4, 1, size=n)
        first = generator.binomial(5, chance) / 5
        second = generator.binomial(5, 0.95 * chance) / 5
        steps = (second - first)[:, None]
        fractions = Fractions(steps, np.ones_like(steps), np.ones_like(steps, dtype=np.bool_), ("macro",), (False,))
        found = bootstrap_intervals(fractions, seed=repeat, resamples=RESAMPLES, level=LEVEL)[0]
        ends.append((found.low, found.high))
    return _coverage("bootstrap, paired", f"{n} queries, shares", ends, -0.05 * 4 / 5, WORST_BOOTSTRAP)


def percentile_coverage(generator: Generator, repeats: int, n: int, q: float) -> Law:
    """Latencies with a long tail."""
    found = [percentile_interval(generator.lognormal(size=n), q, LEVEL) for _ in range(repeats)]
    ends = [(-np.inf if each.low is None else each.low, np.inf if each.high is None else each.high) for each in found]
    return _coverage("order statistics", f"{n} queries, percentile {100 * q:g}", ends, float(np.exp(ndtri(q))), ALLOWED)


class JudgeWorld(NamedTuple):
    """How many queries are labelled and not, how often the judge sees what is true and what is false, and the rate."""

    labelled: int
    unlabelled: int
    hits: float
    rejects: float
    rate: float
    claims: int = 1


def corrected_coverage(generator: Generator, repeats: int, world: JudgeWorld) -> Law:
    """A judge on all queries, people on a random part. Repeats whose labels are refused as not random count nothing."""
    ends = []
    for _ in range(repeats):
        judge, people, is_labelled = _judged(generator, world)
        found = corrected(judge, people, is_labelled, LEVEL)
        if isinstance(found, Corrected):
            ends.append(found.interval)
    kind = "mean" if world.claims == 1 else "ratio"
    queries = f"{world.labelled:,} of {world.labelled + world.unlabelled:,} labelled"
    named = f"{queries}, judge {world.hits}/{world.rejects}, rate {world.rate}"
    return _coverage(f"corrected, {kind}", named, ends, world.rate, ALLOWED)


def judge_alone_coverage(generator: Generator, repeats: int, world: JudgeWorld) -> float:
    """How often Wilson's interval of what the judge says holds what is true: why judges are corrected at all."""
    hits = 0
    for _ in range(repeats):
        said = _judged(generator, world)[0].numerators
        low, high = wilson(float(said.sum()), len(said), LEVEL)
        hits += low <= world.rate <= high
    return hits / repeats


def _judged(generator: Generator, world: JudgeWorld) -> tuple[Ratio, Ratio, np.ndarray]:
    n = world.labelled + world.unlabelled
    bottom = np.ones(n, dtype=np.int64) if world.claims == 1 else 1 + generator.poisson(world.claims - 1, size=n)
    chance = world.rate if world.claims == 1 else generator.beta(2 * world.rate, 2 * (1 - world.rate), size=n)
    top = generator.binomial(bottom, chance)
    said = generator.binomial(top, world.hits) + generator.binomial(bottom - top, 1 - world.rejects)
    is_labelled = np.zeros(n, dtype=np.bool_)
    is_labelled[generator.permutation(n)[: world.labelled]] = True
    judge, people = (Ratio(part.astype(np.float64), bottom.astype(np.float64)) for part in (said, top))
    return judge, people, is_labelled


def _clustered(generator: Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Supported claims and claims: 1 to about 12 in an answer, whose support correlates with 0.3."""
    bottom = 1 + generator.poisson(4, size=n)
    rate = np.where(bottom > 5, 0.75, 0.88)
    top = generator.binomial(bottom, generator.beta(2.3 * rate, 2.3 * (1 - rate)))
    return top.astype(np.float64), bottom.astype(np.float64)


def _ratio(top: np.ndarray, bottom: np.ndarray, aggregation: str) -> float:
    return float(np.mean(top / bottom)) if aggregation == "macro" else float(top.sum() / bottom.sum())


def _coverage(name: str, world: str, ends: list[tuple[float, float]], truth: float, limit: float) -> Law:
    hits = sum(low <= truth <= high for low, high in ends)
    return Law(name, world, hits, len(ends), limit, False)


JUDGES = (
    *(JudgeWorld(n, 4 * n, 0.95, 0.9, 0.8) for n in (100, 300, 1_000)),
    JudgeWorld(100, 900, 0.85, 0.7, 0.9),
    JudgeWorld(100, 100, 0.6, 0.5, 0.9),
    JudgeWorld(300, 2_700, 0.95, 0.9, 0.97),
    *(JudgeWorld(n, 4 * n, 0.9, 0.8, 0.85, claims=5) for n in (100, 1_000)),
    JudgeWorld(100, 900, 0.9, 0.8, 0.95, claims=5),
)

FLATTERING = JUDGES[3]


def simulations(alarms: int, intervals: int) -> Iterator[tuple[Callable[..., Law], tuple[object, ...], int]]:
    """Every simulation with its arguments and its repeats."""
    yield from ((each, (), alarms) for each in (binary_alarms, mean_alarms, holm_alarms))
    yield from ((wilson_coverage, (n, rate), alarms) for n in (20, 100, 400) for rate in (0.8, 0.95))
    yield from ((bootstrap_coverage, (n, kind), intervals) for n in (50, 200) for kind in ("macro", "micro"))
    yield from ((bootstrap_coverage, (2_500, kind), intervals) for kind in ("macro", "micro"))
    yield from ((percentile_coverage, (n, q), alarms) for n, q in ((60, 0.5), (200, 0.95)))
    yield from ((newcombe_coverage, (n, gain), alarms) for n in (50, 200) for gain in (0.0, 0.1))
    yield from ((paired_coverage, (n,), intervals) for n in (50, 200))
    yield from ((corrected_coverage, (world,), intervals) for world in JUDGES)


def laws(alarms: int, intervals: int) -> Iterator[Law]:
    """The laws one by one, each from a seed of its own, so that one changes no other."""
    for seed, (simulation, arguments, repeats) in enumerate(simulations(alarms, intervals)):
        yield simulation(np.random.Generator(np.random.PCG64([20261, seed])), repeats, *arguments)


def line(law: Law) -> str:
    """A row of the table in docs/statistics.md."""
    low, high = law.ends
    sign = "≤" if law.is_alarm else "≥"
    share = f"{law.share:.4f} [{low:.4f}, {high:.4f}]"
    return f"| {law.name} | {law.world} | {law.repeats:,} | {share} | {sign} {law.limit} |"


def main() -> int:
    sys.stdout.write("| method | world | repeats | share | limit |\n|---|---|---|---|---|\n")
    failed: list[Law] = []
    for law in laws(alarms=10_000, intervals=4_000):
        sys.stdout.write(line(law) + ("" if law.holds else " fails") + "\n")
        sys.stdout.flush()
        failed += [] if law.holds else [law]
    alone = judge_alone_coverage(np.random.Generator(np.random.PCG64(20261)), 1_000, FLATTERING)
    sys.stdout.write(f"\nThe judge alone, {FLATTERING}: its interval holds the truth in {alone:.3f} of repeats.\n")
    sys.stdout.write(f"{len(failed)} laws failed.\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
