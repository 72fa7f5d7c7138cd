"""Retrieval: did the system find what it needed, how high, and what else did it drag in?

R is the set of needs of a query that have a relevant id, readable by the requester and in force. T_k holds the
distinct ids among the first k results. A query with an empty R has nothing to find: it is undefined for one of four
named reasons.
"""

from collections.abc import Callable

import numpy as np

from ragassay.metrics.definition import Choice, Fractions, Metric, fractions
from ragassay.metrics.evidence import Evidence
from ragassay.metrics.ranking import Events, Floats, Ints, Ranking

EMPTY_R = ("must_refuse", "unlabelled", "no_relevant", "no_readable_evidence", "retrieval_not_recorded")


def recall(ranking: Ranking, k: int) -> Fractions:
    """Needs of R met in T_k / |R|."""
    return fractions(total(ranking.needs, ranking.n, k), ranking.need_count, ranking.absent)


def precision(ranking: Ranking, k: int) -> Fractions:
    """|R ∩ T_k| / k, counting ids."""
    return fractions(total(ranking.ids, ranking.n, k), float(k), ranking.absent)


def hit_rate(ranking: Ranking, k: int) -> Fractions:
    """1 if R ∩ T_k is not empty / 1."""
    return fractions(total(ranking.first, ranking.n, k), 1.0, ranking.absent)


def mrr(ranking: Ranking, k: int | None) -> Fractions:
    """1 / rank of the first relevant result, 0 without one / 1."""
    return fractions(total(ranking.first, ranking.n, k, 1.0 / ranking.first.rank), 1.0, ranking.absent)


def ndcg(ranking: Ranking, k: int, *, exponential: bool) -> Fractions:
    """Σ gain / log2(rank + 1) over the needs met / the same sum of the ideal order."""
    found = total(ranking.needs, ranking.n, k, discounted(ranking.needs, exponential))
    best = total(ranking.ideal, ranking.n, k, discounted(ranking.ideal, exponential))
    return fractions(found, best, ranking.absent)


def average_precision(ranking: Ranking, k: int) -> Fractions:
    """Σ over the needs met in the first k of the precision at that rank / |R|."""
    return fractions(total(ranking.precision, ranking.n, k), ranking.need_count, ranking.absent)


def f1(ranking: Ranking, k: int) -> Fractions:
    """2PR / (P + R) of the query's precision@k and recall@k; 0 where both are 0."""
    p, r = (
        total(ranking.ids, ranking.n, k) / k,
        total(ranking.needs, ranking.n, k) / np.maximum(ranking.need_count, 1.0),
    )
    both = p + r
    return fractions(np.divide(2 * p * r, both, out=np.zeros_like(both), where=both > 0), 1.0, ranking.absent)


def total(events: Events, n: int, k: int | None, worth: Floats | float = 1.0) -> Floats:
    """Σ weight · worth over the events of each query within the first k ranks; shape (n,)."""
    weight = events.weight * worth
    return sums(events.query, weight if k is None else weight * (events.rank <= k), n)


def sums(query: Ints, weights: Floats, n: int) -> Floats:
    """The weights of each query added up; shape (n,)."""
    return np.bincount(query, weights=weights, minlength=n).astype(np.float64, copy=False)


def discounted(events: Events, exponential: bool) -> Floats:
    gain = np.exp2(events.grade) - 1.0 if exponential else events.grade
    return gain / np.log2(events.rank + 1.0)


Counted = Callable[[Ranking, Choice], Fractions]

FORMULAS: dict[str, Counted] = {
    "recall": lambda ranking, choice: recall(ranking, choice.k or 0),
    "precision": lambda ranking, choice: precision(ranking, choice.k or 0),
    "hit_rate": lambda ranking, choice: hit_rate(ranking, choice.k or 0),
    "mrr": lambda ranking, choice: mrr(ranking, choice.k),
    "ndcg": lambda ranking, choice: ndcg(ranking, choice.k or 0, exponential=choice.variant["gain"] == "exp"),
    "map": lambda ranking, choice: average_precision(ranking, choice.k or 0),
    "f1": lambda ranking, choice: f1(ranking, choice.k or 0),
}
"""The metrics that need nothing but a ranking."""


def count(ranking: Ranking, choice: Choice) -> Fractions:
    """A retrieval metric on a ranking, with the formula of its name."""
    return FORMULAS[choice.metric.name](ranking, choice)


def _measure(evidence: Evidence, choice: Choice) -> Fractions:
    return count(evidence.condensed if choice.variant["results"] == "condensed" else evidence.ranking, choice)


RESULTS = {"results": ("all", "condensed")}


def _define(name: str, question: str, formula: str, source: str) -> Metric:
    return Metric(
        name=name,
        question=question,
        unit="query",
        formula=formula,
        matrices=("retrieval", "gold"),
        undefined=EMPTY_R,
        aggregation="macro",
        direction="higher",
        bounds=(0.0, 1.0),
        source=source,
        measure=_measure,
        cutoff="optional" if name == "mrr" else "required",
        variants={**RESULTS, "gain": ("linear", "exp")} if name == "ndcg" else RESULTS,
        beside=name == "recall",
        aliases={"mrr": ("rr",), "map": ("ap",)}.get(name, ()),
    )


METRICS = (
    _define("recall", "How much of what is needed was found?", "needs of R met in T_k / |R|", "A"),
    _define("precision", "How much of the first k is relevant?", "|R ∩ T_k| / k", "A, T"),
    _define("hit_rate", "Was anything relevant found?", "1 if R ∩ T_k is not empty / 1", "B"),
    _define("mrr", "How high does the first relevant result stand?", "1 / rank of the first relevant result / 1", "B"),
    _define(
        "ndcg",
        "How close is the order to the best one?",
        "Σ gain / log2(rank + 1) over needs met / the same of the ideal order; gain is the grade, or 2^grade - 1",
        "B, T",
    ),
    _define("map", "How early does each need come?", "Σ_{i≤k} rel_i · precision@i / |R|", "T"),
    _define("f1", "Are precision and recall both high?", "2PR / (P + R) of precision@k and recall@k / 1", "A"),
)
