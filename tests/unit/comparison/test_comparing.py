"""Differences on shared queries, with everything left out of them named."""

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace
from scipy.stats import binomtest

from ragassay.comparison import Side, compare
from ragassay.formats.bundle import Bundle
from ragassay.metrics.aggregation import Sampling
from ragassay.records import Answer, DatasetCard, JudgeCard, Query, Relevance, Result
from ragassay.runner import Settings, measure

SAMPLING = Sampling(seed=7, resamples=2_000, level=0.95)
SETTINGS = Settings(metrics=("hit_rate@1", "recall@3", "stale@3", "duplicate@3"), resamples=100)


def run_of(found, size=40, **card):
    """A run in which query n has `found(n)` of its two relevant documents at the top of three results."""
    queries, answers = [], []
    for number in range(size):
        relevant = tuple(Relevance(document=f"d{number}.{each}") for each in range(2))
        queries.append(
            Query(id=f"q{number:03}", question="?", relevant=relevant, language="ru" if number % 2 else "en")
        )
        ids = [*(f"d{number}.{each}" for each in range(found(number))), "x", "y", "z"][:3]
        retrieved = tuple(Result(passage=f"{each}#1", document=each) for each in ids)
        answers.append(Answer(query=f"q{number:03}", answer="It is so.", retrieved=retrieved))
    bundle = Bundle(queries=tuple(queries), answers=tuple(answers), card=DatasetCard(k=(1, 3), **card))
    return side(measure(bundle, SETTINGS))


def side(evaluation):
    return Side(evaluation.run, evaluation.fractions, evaluation.matrices.queries)


def difference(comparison, metric, label=None):
    return next(each for each in comparison.differences if (each.metric, each.slice) == (metric, label))


BEFORE, AFTER = run_of(lambda n: n % 2), run_of(lambda n: 1 if n % 5 else 0)


def test_a_rate_is_compared_by_mcnemar_on_its_pairs():
    found = difference(compare(BEFORE, AFTER, SAMPLING), "hit_rate@1")
    assert (found.baseline, found.candidate) == (0.5, 0.8)
    assert (found.n, found.wins, found.ties, found.losses) == (40, 16, 20, 4)
    assert found.p == pytest.approx(binomtest(4, 20).pvalue)
    assert found.interval[0] < 0.3 < found.interval[1]
    assert found.test == "mcnemar"


def test_other_values_are_compared_by_sign_flips():
    found = difference(compare(BEFORE, AFTER, SAMPLING), "recall@3")
    assert found.difference == pytest.approx(0.15)
    assert found.test == "sign_flip"
    assert 0 < found.p < 0.05
    assert 0 < found.interval[0] < 0.15 < found.interval[1]


def test_slices_are_compared_apart():
    comparison = compare(BEFORE, AFTER, SAMPLING)
    english, russian = (difference(comparison, "hit_rate@1", f"language={each}") for each in ("en", "ru"))
    assert (english.n, russian.n) == (20, 20)
    assert english.difference == pytest.approx(0.8)
    assert russian.difference == pytest.approx(-0.2)


def test_a_run_beside_itself_differs_in_nothing():
    comparison = compare(AFTER, AFTER, SAMPLING)
    assert not comparison.mismatches
    assert {each.difference for each in comparison.differences} <= {0.0, None}
    assert all(each.p is None or each.p == 1.0 for each in comparison.differences)
    assert comparison.regressed == comparison.improved == ()


def test_the_other_way_round_is_the_same_with_the_other_sign():
    there, back = compare(BEFORE, AFTER, SAMPLING), compare(AFTER, BEFORE, SAMPLING)
    for one, other in zip(there.differences, back.differences, strict=True):
        assert one.difference == (None if other.difference is None else pytest.approx(-other.difference))
        assert one.p == (None if other.p is None else pytest.approx(other.p))
        assert (one.wins, one.losses) == (other.losses, other.wins)
    assert [each.query for each in there.regressed] == [each.query for each in back.improved]


def test_those_that_lost_most_come_first():
    regressed = compare(BEFORE, AFTER, SAMPLING).regressed
    assert [each.query for each in regressed] == ["q005", "q015", "q025", "q035"]
    assert {(each.baseline, each.candidate) for each in regressed} == {(1.0, 0.0)}


def test_gating_differences_are_adjusted_among_themselves():
    comparison = compare(BEFORE, AFTER, SAMPLING, gating=[("hit_rate@1", None), ("recall@3", None)])
    one, other = (difference(comparison, name) for name in ("hit_rate@1", "recall@3"))
    assert one.gates and other.gates
    assert min(one.adjusted, other.adjusted) == pytest.approx(2 * min(one.p, other.p))
    assert all(each.adjusted is None or each.adjusted >= each.p for each in comparison.differences)


def test_without_a_shared_query_nothing_is_said():
    """Case C84."""
    queries = AFTER.queries.with_columns(("r" + pl.col("query")).alias("query"))
    other = AFTER._replace(
        queries=queries, fractions=AFTER.fractions.with_columns(("r" + pl.col("query")).alias("query"))
    )
    found = difference(compare(BEFORE, other, SAMPLING), "hit_rate@1")
    assert (found.difference, found.p, found.n) == (None, None, 0)
    assert found.unpaired == {"only in the baseline": 40, "only in the candidate": 40}


def test_a_query_that_errored_is_left_out_and_named():
    """Case C84."""
    is_third = (pl.col("query") == "q003") & pl.col("metric").str.starts_with("hit_rate")
    fractions = AFTER.fractions.with_columns(
        pl.when(is_third).then(None).otherwise(pl.col("numerator")).alias("numerator"),
        pl.when(is_third).then(None).otherwise(pl.col("denominator")).alias("denominator"),
        pl.when(is_third).then(pl.lit("judge_timeout")).otherwise(pl.col("errored")).alias("errored"),
    )
    found = difference(compare(BEFORE, AFTER._replace(fractions=fractions), SAMPLING), "hit_rate@1")
    assert found.n == 39
    assert found.unpaired == {"candidate: error:judge_timeout": 1}


def changed(run, **card):
    return run._replace(run=replace(run.run, card=replace(run.run.card, **card)))


@pytest.mark.parametrize(
    ("card", "field"),
    [
        ({"dataset_hash": "other"}, "dataset_hash"),
        ({"unit": "passage"}, "unit"),
        ({"labelling_rules": "other"}, "labelling_rules"),
        ({"ties": "trec"}, "ties"),
    ],
)
def test_what_refuses_is_named_and_nothing_is_compared(card, field):
    other = changed(AFTER, **card)
    comparison = compare(BEFORE, other, SAMPLING)
    assert [each.field for each in comparison.mismatches if each.refuses] == [field]
    assert comparison.differences == ()
    overridden = compare(BEFORE, other, SAMPLING, override="the labels were only renamed")
    assert overridden.differences
    assert overridden.override == "the labels were only renamed"


def test_another_judge_refuses_only_what_is_judged():
    judge = JudgeCard(name="m", kind="llm", version="1", screens=False)
    (mismatch,) = compare(BEFORE, changed(AFTER, judge=judge), SAMPLING).mismatches
    assert mismatch.field == "judge"
    assert "recall@3" not in mismatch.metrics


def test_another_version_of_a_metric_refuses_that_metric():
    metrics = tuple(each.replace("recall@3:v1", "recall@3:v2") for each in AFTER.run.card.metrics)
    comparison = compare(BEFORE, changed(AFTER, metrics=metrics), SAMPLING)
    assert [each.metrics for each in comparison.mismatches] == [("recall@3",)]
    assert {each.metric for each in comparison.differences}.isdisjoint({"recall@3"})


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Paired 0/1 values of known rates; each run is 60 queries."""
    chance, held, tests = np.random.default_rng(20_261_130), 0, 150
    from ragassay.statistics.paired import mcnemar_exact, newcombe

    alarms = 0
    for _ in range(tests * 10):
        shared = chance.random(60) < 0.5
        one, other = (np.where(chance.random(60) < 0.3, chance.random(60) < 0.6, shared) for _ in range(2))
        counts = [int(((one == a) & (other == b)).sum()) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
        low, high = newcombe(*counts)
        held += low <= 0 <= high
        alarms += mcnemar_exact(counts[1], counts[2]) <= 0.05
    assert held / (tests * 10) >= 0.94
    assert alarms / (tests * 10) <= 0.05
