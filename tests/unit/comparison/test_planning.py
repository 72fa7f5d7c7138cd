"""How many queries the next comparison needs."""

import math

import numpy as np
import pytest
from msgspec.structs import replace

from ragassay.comparison import Side
from ragassay.comparison.planning import plan
from ragassay.formats.bundle import Bundle
from ragassay.records import Answer, DatasetCard, FaultyInput, Query, Relevance, Result
from ragassay.records.planning import Wanted
from ragassay.runner import Settings, measure
from ragassay.statistics.power import independent_discordance, mcnemar_queries, paired_queries

METRICS = ("hit_rate@1", "recall@3", "stale@3", "forbidden@3", "total_latency(p=50)", "input_tokens", "mrr")
SETTINGS = Settings(metrics=METRICS, resamples=100)
WANTED = Wanted(difference=0.1, power=0.8, alpha=0.05)


def run_of(found, size=40, **settings):
    """A run in which query n has `found(n)` of its two relevant documents at the top of three results."""
    queries, answers = [], []
    for number in range(size):
        relevant = tuple(Relevance(document=f"d{number}.{each}") for each in range(2))
        language = "ru" if number % 4 else "en"
        queries.append(
            Query(id=f"q{number:03}", question="?", relevant=relevant, language=language, critical=number < 5)
        )
        ids = [*(f"d{number}.{each}" for each in range(found(number))), "x", "y", "z"][:3]
        retrieved = tuple(Result(passage=f"{each}#1", document=each) for each in ids)
        answers.append(
            Answer(query=f"q{number:03}", answer="So.", retrieved=retrieved, total_ms=9, input_tokens=10 + number)
        )
    bundle = Bundle(queries=tuple(queries), answers=tuple(answers), card=DatasetCard(k=(1, 3)))
    evaluation = measure(bundle, replace(SETTINGS, **settings))
    return Side(evaluation.run, evaluation.fractions, evaluation.matrices.queries)


def need(found, metric, label=None):
    return next(each for each in found.needs if (each.metric, each.slice) == (metric, label))


BEFORE, AFTER = run_of(lambda n: n % 2), run_of(lambda n: 2 if n % 5 else 0)


def test_a_rate_is_planned_by_its_observed_discordance():
    found = need(plan([BEFORE, AFTER], WANTED), "hit_rate@1")
    # Before: the 20 odd ones; after: the 32 not divisible by five. 16 + 4 of 40 differ.
    assert (found.method, found.n, found.discordance, found.deviation) == ("mcnemar", 40, 0.5, None)
    assert found.needed == mcnemar_queries(0.1, 0.5)
    assert mcnemar_queries(found.detectable, 0.5) <= 40 < mcnemar_queries(found.detectable * 0.999, 0.5)


def test_other_values_are_planned_by_the_spread_of_their_differences():
    found = need(plan([BEFORE, AFTER], WANTED), "recall@3")
    steps = [(1.0 if n % 5 else 0.0) - 0.5 * (n % 2) for n in range(40)]
    assert found.method == "paired"
    assert found.deviation == pytest.approx(np.std(steps, ddof=1))
    assert found.needed == paired_queries(0.1, found.deviation)


def test_one_run_assumes_a_second_that_has_nothing_to_do_with_it():
    found = plan([BEFORE], WANTED)
    rate, mean = need(found, "hit_rate@1"), need(found, "recall@3")
    assert rate.discordance == pytest.approx(independent_discordance(0.5, 0.1))
    assert mean.deviation == pytest.approx(math.sqrt(2) * np.std([0.5 * (n % 2) for n in range(40)], ddof=1))
    assert found.runs == (BEFORE.run.id,)


def test_what_one_run_assumes_needs_more_than_the_pairs_of_versions_that_fail_together():
    nearly = run_of(lambda n: 0 if n == 1 else n % 2)
    assert need(plan([BEFORE], WANTED), "hit_rate@1").needed > need(plan([BEFORE, nearly], WANTED), "hit_rate@1").needed


def test_slices_are_planned_where_they_are_asked_for():
    assert {each.slice for each in plan([BEFORE, AFTER], WANTED).needs} == {None}
    found = plan([BEFORE, AFTER], WANTED, by=("language", "critical=yes"))
    assert {each.slice for each in found.needs} == {None, "language=en", "language=ru", "critical=yes"}
    assert [need(found, "mrr", label).n for label in ("language=en", "language=ru", "critical=yes")] == [10, 30, 5]


def test_nothing_is_left_out_without_a_reason():
    found = plan([BEFORE, AFTER], WANTED)
    assert {each.metric for each in found.needs} == set(METRICS)
    reasons = {each.metric: each.reason for each in found.needs if each.needed is None}
    assert set(reasons) == {"stale@3", "forbidden@3", "total_latency(p=50)", "input_tokens"}
    assert "corpus_not_given" in reasons["stale@3"]
    assert "total" in reasons["forbidden@3"]
    assert "percentiles" in reasons["total_latency(p=50)"]
    assert "--metric" in reasons["input_tokens"]


def test_a_metric_that_is_no_share_is_planned_in_its_unit_when_named():
    found = need(plan([BEFORE], Wanted(difference=5, power=0.8, alpha=0.05), ["input_tokens"]), "input_tokens")
    deviation = math.sqrt(2) * np.std(np.arange(40), ddof=1)
    assert found.needed == paired_queries(5, deviation)
    assert paired_queries(found.detectable, deviation) <= 40


def test_shares_do_not_differ_by_more_than_one():
    found = plan([BEFORE], Wanted(difference=5, power=0.8, alpha=0.05), ["hit_rate@1", "mrr"])
    assert all("more than 1" in each.reason for each in found.needs)


def test_critical_queries_show_so_much_at_best():
    found = plan([BEFORE], WANTED).critical
    assert (found.n, found.needed) == (5, {"0.9": 29, "0.95": 59, "0.99": 299})
    assert found.shows == pytest.approx(0.05 ** (1 / 5))
    assert plan([run_of(lambda _: 1, size=0)], WANTED).critical.shows is None


def test_what_cannot_be_compared_is_not_planned():
    other = AFTER._replace(run=replace(AFTER.run, card=replace(AFTER.run.card, dataset_hash="sha256:other")))
    found = plan([BEFORE, other], WANTED)
    assert [each.field for each in found.mismatches if each.refuses] == ["dataset_hash"]
    assert all(each.needed is None and "comparable" in each.reason for each in found.needs)


def test_what_only_one_run_measured_is_said():
    fewer = run_of(lambda n: n % 2, metrics=("hit_rate@1",))
    assert "only one" in need(plan([BEFORE, fewer], WANTED), "mrr").reason


def test_unknown_metrics_and_slices_are_named_at_once():
    with pytest.raises(FaultyInput) as raised:
        plan([BEFORE], WANTED, ["recall@7"], ["colour"])
    assert [(each.field, each.value) for each in raised.value.faults] == [("--metric", "recall@7"), ("--by", "colour")]
