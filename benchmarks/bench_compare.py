"""Seconds to compare two stored runs of 10,000 queries, 20 metrics and 10 slices, against their limit.

Run by `make bench-compare`: from the two folders to the JSON document, as `ragassay compare` does it. Exits with 1
beyond the limit. Seconds are wall-clock; the shares of the stages come from a second, profiled comparison.
"""

import cProfile
import pstats
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from ragassay.decision import compared
from ragassay.formats.bundle import Bundle
from ragassay.formats.runs import StoredRun, read_run, write_run
from ragassay.metrics.aggregation import Measured
from ragassay.metrics.definition import fractions
from ragassay.metrics.dictionary import find
from ragassay.metrics.slices import slices
from ragassay.metrics.table import fractions_table
from ragassay.records import Answer, Query
from ragassay.reports.comparison import comparison_json
from ragassay.runner import Evaluation, Settings, measure

QUERIES, SLICES, LIMIT_S = 10_000, 10, 10.0
RATES = ("hit_rate@1", "hit_rate@3", "hit_rate@10", "judged@1", "stale@1", "precision@1", "correct_abstention")
MEANS = ("recall@3", "recall@10", "precision@10", "mrr", "ndcg@3", "ndcg@10", "map@10", "f1@10", "stale@10")
RATIOS = ("grounded_claim_rate", "unverified_claim_rate", "citation_precision", "citation_recall")
STAGES = ("read_run", "aligned", "bootstrap_intervals", "sign_flip", "comparison_json")


def asked() -> Evaluation:
    """Queries in ten slices: critical, answerable or not, two languages, five of the dataset's own."""
    asked = tuple(
        Query(
            id=f"q{number:05}",
            question=f"What is {number}?",
            answerable=number % 7 != 0,
            critical=number % 10 == 0,
            language=("en", "ru")[number % 2],
            slices=(f"s{number % 5}",),
        )
        for number in range(QUERIES)
    )
    answers = tuple(Answer(query=query.id, answer="It is so.") for query in asked)
    return measure(Bundle(queries=asked, answers=answers), Settings(metrics=()))


def measured(generator: np.random.Generator) -> list[Measured]:
    """Every metric has gaps of its own, and no two queries weigh the same in a ratio."""
    found: list[Measured] = []
    for names, most in ((RATES, 2), (MEANS, 11), (RATIOS, 9)):
        for name in names:
            size = generator.integers(1, most, size=QUERIES).astype(np.float64)
            top = generator.binomial(size.astype(np.int64), 0.8).astype(np.float64)
            bottom = size if names is RATIOS else np.ones(QUERIES)
            values = top if names is RATIOS else top / size
            gaps = generator.random(QUERIES) < 0.1
            found.append(Measured(find(name), fractions(values, bottom, {"unlabelled": gaps})))
    return found


def stored(evaluation: Evaluation, folder: Path, seed: int) -> Path:
    table = fractions_table(measured(np.random.Generator(np.random.PCG64(seed))), evaluation.matrices.queries["query"])
    run = StoredRun(run=evaluation.run, matrices=evaluation.matrices, fractions=table, queries=(), answers=())
    write_run(folder, run, {})
    return folder


def compare(before: Path, after: Path) -> int:
    """The differences that the document holds."""
    comparison = compared(read_run(before), read_run(after))
    comparison_json(comparison)
    return len(comparison.differences)


def shares(before: Path, after: Path) -> dict[str, float]:
    """Stage → its share of a profiled comparison."""
    profile = cProfile.Profile()
    profile.runcall(compare, before, after)
    spent = pstats.Stats(profile).get_stats_profile()
    named = spent.func_profiles
    return {stage: named[stage].cumtime / spent.total_tt if stage in named else 0.0 for stage in STAGES}


def main() -> int:
    evaluation = asked()
    labels = slices(evaluation.matrices.queries)
    metrics = len(RATES) + len(MEANS) + len(RATIOS)
    if (len(labels), metrics) != (SLICES, 20):
        raise SystemExit(f"the data has {len(labels)} slices and {metrics} metrics")
    with tempfile.TemporaryDirectory() as place:
        before, after = (stored(evaluation, Path(place) / str(seed), seed) for seed in (1, 2))
        start = time.perf_counter()
        differences = compare(before, after)
        seconds = time.perf_counter() - start
        parts = shares(before, after)
    print(f"{QUERIES:,} queries x {metrics} metrics x {SLICES} slices and the whole: {differences} differences")
    print(f"{seconds:.2f} s (limit {LIMIT_S:g} s), {evaluation.run.card.resamples:,} resamples")
    for stage, share in parts.items():
        print(f"  {stage:<20} {share:4.0%}")
    print(f"  {'other':<20} {1 - sum(parts.values()):4.0%}")
    return 0 if seconds <= LIMIT_S and differences == metrics * (SLICES + 1) else 1


if __name__ == "__main__":
    sys.exit(main())
