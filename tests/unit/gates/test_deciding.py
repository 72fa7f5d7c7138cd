"""A policy and a run to a verdict: critical queries, stages, what is required, the baseline, what a reader is told."""

import msgspec
import polars as pl
import pytest
from cases import case
from gating import fractions, people
from golden.reports.example import bundle
from hypothesis import given
from hypothesis import strategies as st

from ragassay.gates import decide
from ragassay.gates.relative import relative
from ragassay.gates.standing import standing
from ragassay.metrics.aggregation import Measured
from ragassay.metrics.dictionary import find
from ragassay.records import CriticalResult, Gate, Policy
from ragassay.records.comparison import Comparison, Difference, Mismatch
from ragassay.runner import Settings, measure

RECALL = "recall@1"


@pytest.fixture(scope="module")
def measured():
    return measure(
        bundle(), Settings(resamples=50, metrics=(RECALL, "mrr", "withheld_rate", "total_latency(p=95)", "cost"))
    )


@pytest.fixture
def verdict(measured):
    """Decide on the example; `critical` replaces what came of its critical queries."""

    def decided(*gates, critical=(), comparison=None, table=None, **policy):
        findings = msgspec.structs.replace(measured.run.findings, critical=critical)
        run = msgspec.structs.replace(measured.run, findings=findings)
        rule = Policy(name="test", gates=gates, coverage=0.0, **policy)
        return decide(rule, run, measured.fractions if table is None else table, measured.matrices, comparison)

    return decided


def result(query, passed, failed=()):
    return CriticalResult(query=query, question=None, passed=passed, failed=failed, undecided=())


GOOD, BAD = Gate(metric=RECALL, at_least=0.0), Gate(metric=RECALL, at_least=1.0)


def test_the_example_is_neither_perfect_nor_empty(measured):
    assert 0 < measured.run.summary.metrics[RECALL].value < 1


def test_a_verdict_is_breached_before_undecided_before_passed(verdict):
    unknown = Gate(metric="context_recall", at_least=0.5)
    assert verdict(GOOD).outcome == "passed"
    assert verdict(GOOD, unknown).outcome == "undecided"
    assert verdict(GOOD, unknown, BAD).outcome == "breached"


def test_nothing_passes_for_want_of_gates(verdict):
    assert verdict().outcome == "undecided"


def test_one_critical_query_that_fails_blocks_whatever_the_means_say(verdict):
    many = [result(f"q{number}", True) for number in range(99)]
    failed = verdict(GOOD, critical=(*many, result("q99", False, ("nothing_forbidden",))))
    assert failed.outcome == "breached"
    assert failed.gates[0].queries == ("q99",)
    assert "1 of 100 critical queries failed: nothing_forbidden 1" in failed.gates[0].message
    assert verdict(GOOD, critical=(*many, result("q99", None))).outcome == "undecided"
    passed = verdict(GOOD, critical=tuple(many[:59]))
    assert passed.outcome == "passed"
    assert "at least 0.95" in passed.gates[0].message


def test_critical_queries_can_be_let_go_and_the_policy_is_flagged(measured):
    policy = Policy(name="test", gates=(GOOD,), critical=False)
    decided = decide(policy, measured.run, measured.fractions, measured.matrices)
    assert decided.outcome == "passed"
    assert any("one by one" in flag for flag in decided.flags)


@pytest.mark.parametrize("metric", ["context_recall", "recall@7", "recal@1", "recall@1:v9"])
def test_a_metric_that_was_not_measured_is_never_passed(verdict, metric):
    (gate,) = verdict(Gate(metric=metric, at_least=0.0)).gates
    assert gate.outcome == "undecided"
    assert gate.reason in ("not_shown", "unknown_metric")


def test_what_is_required_and_missing_leaves_the_verdict_undecided(verdict):
    assert verdict(GOOD, require=(RECALL,)).outcome == "passed"
    missing = verdict(GOOD, require=("grounded_claim_rate",))
    assert (missing.outcome, missing.gates[0].reason) == ("undecided", "not_shown")


def test_an_empty_or_unknown_slice_has_no_rows(verdict):
    (gate,) = verdict(Gate(metric=RECALL, at_least=0.0, slice="language=xx")).gates
    assert (gate.outcome, gate.reason) == ("undecided", "no_rows")


def test_a_later_stage_waits_for_the_earlier_one(verdict):
    first = Gate(metric=RECALL, at_least=1.0, stage="retrieval")
    second = Gate(metric="mrr", at_least=0.0, stage="answers")
    stages = ("retrieval", "answers")
    held = verdict(second, first, stages=stages)
    assert [(gate.gate.stage, gate.outcome) for gate in held.gates] == [
        ("retrieval", "breached"),
        ("answers", "not_evaluated"),
    ]
    ready = verdict(second, msgspec.structs.replace(first, at_least=0.0), stages=stages)
    assert ready.outcome == "passed"


def test_a_stage_that_is_undecided_holds_the_next_one_too(verdict):
    first = Gate(metric="context_recall", at_least=0.5, stage="a")
    held = verdict(first, Gate(metric="mrr", at_least=0.0, stage="b"), stages=("a", "b"))
    assert (held.outcome, held.gates[1].outcome) == ("undecided", "not_evaluated")


def test_money_is_asked_after_quality_passed(verdict):
    cost = Gate(metric="cost", at_most=1e9)
    assert verdict(cost, BAD).gates[-1].reason == "quality_first"
    assert verdict(cost, GOOD).gates[-1].outcome != "not_evaluated"


def test_rows_that_a_table_lost_are_errors(verdict, measured):
    recall = pl.col("metric") == f"{RECALL}:v1"
    gone = measured.fractions.filter(~recall | (pl.col("numerator") > 0))
    (gate,) = verdict(Gate(metric=RECALL, at_least=0.9), table=gone).gates
    assert gate.value == 1.0
    assert gate.outcome != "passed"
    twice = pl.concat([measured.fractions, measured.fractions])
    assert verdict(GOOD, table=twice).gates[0].reason == "all_errors"
    old = measured.fractions.with_columns(pl.col("metric").str.replace(":v1", ":v0"))
    assert verdict(GOOD, table=old).gates[0].reason == "not_shown"
    empty = measured.fractions.clear()
    assert verdict(GOOD, table=empty).gates[0].reason == "not_shown"


def test_the_hash_of_a_policy_is_that_of_all_it_says(verdict):
    assert verdict(GOOD).policy_hash == verdict(GOOD).policy_hash
    assert verdict(GOOD).policy_hash != verdict(BAD).policy_hash


def compared(difference=0.0, interval=(-0.01, 0.02), n=100, mismatches=(), override=None, metric=RECALL):
    found = Difference(
        metric=metric,
        slice=None,
        baseline=0.5,
        candidate=0.5,
        difference=difference,
        interval=interval,
        test="sign_flip",
        p=0.5,
        adjusted=0.5,
        gates=True,
        n=n,
        wins=0,
        ties=n,
        losses=0,
    )
    return Comparison(
        baseline="b",
        candidate="c",
        mismatches=mismatches,
        override=override,
        differences=(found,),
        regressed=(),
        improved=(),
    )


def against(comparison, rows=(1.0,) * 10, metric=RECALL, failed=(), coverage=0.0):
    everyone = people(rows, failed)
    stands = standing(Measured(find(metric), fractions(rows)), everyone, everyone.included)
    return relative(Gate(metric=metric, no_worse_by=0.02), stands, everyone, comparison, coverage)


@pytest.mark.parametrize(
    ("interval", "outcome"),
    [
        ((-0.01, 0.03), "passed"),
        ((-0.02, 0.03), "undecided"),
        ((-0.05, 0.03), "undecided"),
        ((-0.3, -0.1), "breached"),
        ((None, 0.1), "undecided"),
        (None, "undecided"),
    ],
)
def test_not_worse_means_that_the_lower_bound_lies_above_the_margin(interval, outcome):
    assert against(compared(interval=interval)).outcome == outcome


def test_where_less_is_better_the_difference_is_turned():
    assert against(compared(interval=(-0.3, -0.1), metric="withheld_rate"), metric="withheld_rate").outcome == "passed"
    assert against(compared(interval=(0.1, 0.3), metric="withheld_rate"), metric="withheld_rate").outcome == "breached"


def test_without_a_baseline_or_with_another_dataset_nothing_is_decided():
    other = Mismatch(field="dataset_hash", baseline="a", candidate="b", refuses=True, message="another dataset")
    elsewhere = msgspec.structs.replace(other, metrics=("mrr",))
    flagged = msgspec.structs.replace(other, refuses=False)
    assert against(None).reason == "no_baseline"
    assert against(compared(mismatches=(other,))).reason == "not_comparable"
    assert against(compared(mismatches=(elsewhere, flagged))).outcome == "passed"
    assert against(compared(mismatches=(other,), override="labels were corrected")).outcome == "passed"
    assert against(compared(n=0)).reason == "no_shared_queries"


def test_queries_that_the_candidate_could_not_be_judged_on_are_not_simply_gone():
    given, expected = case("C84")
    pairs = given[1]
    paired = compared(difference=expected[1]["paired_delta"], interval=(0.0, 0.0), n=expected[1]["n_pairs"])
    rows = tuple(pairs["candidate"].values())
    assert against(paired, rows, coverage=0.95).reason == "low_coverage"
    assert against(paired, rows).outcome == "undecided"
    assert expected[0]["code"] == "no_shared_rows"
    assert against(compared(difference=None, interval=None, n=0)).reason == "no_shared_queries"


def test_an_override_is_said_aloud(verdict):
    other = Mismatch(field="dataset_hash", baseline="a", candidate="b", refuses=True, message="another dataset")
    decided = verdict(GOOD, comparison=compared(mismatches=(other,), override="labels were corrected"))
    assert any("dataset_hash" in flag and "labels were corrected" in flag for flag in decided.flags)


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=40),
    st.integers(1, 3),
    st.sampled_from(["failed", "error"]),
    st.floats(0, 0.2),
)
def test_losing_the_pairs_that_got_worse_never_passes_what_was_breached(differences, lost, how, width):
    """The pairs vanish from the comparison; the gate reckons with the worst that they can have been."""
    differences.sort()
    kept = differences[lost:] or differences[-1:]
    gone = len(differences) - len(kept)

    def interval(values):
        mean = sum(values) / len(values)
        return {"difference": mean, "interval": (mean - width, mean + width), "n": len(values)}

    before = against(compared(**interval(differences)), rows=(1.0,) * len(differences))
    after = against(compared(**interval(kept)), rows=(*(1.0,) * len(kept), *(how,) * gone))
    assert (before.outcome, after.outcome) != ("breached", "passed")
