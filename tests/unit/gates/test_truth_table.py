"""The truth table of a gate, row by row: estimate or bound, what failed, what could not be judged, what is missing."""

import math

import pytest
from cases import case
from gating import gated, stands

from ragassay.statistics.intervals import wilson

MACRO, LOWER, RATE = "recall@10", "false_refusal_rate", "grounded_claim_rate"
WIDE = [1.0] * 12 + [0.0] * 8


@pytest.mark.parametrize(
    ("metric", "rows", "limits", "outcome", "reason"),
    [
        pytest.param(MACRO, [1, 1, 0, 1], {"at_least": 0.7}, "passed", None, id="estimate reaches"),
        pytest.param(MACRO, [1, 1, 0, 0], {"at_least": 0.7}, "breached", None, id="estimate misses"),
        pytest.param(LOWER, [0, 0, 0, 1], {"at_most": 0.3}, "passed", None, id="less is better, reaches"),
        pytest.param(LOWER, [0, 0, 1, 1], {"at_most": 0.3}, "breached", None, id="less is better, misses"),
        pytest.param(MACRO, [1] * 100, {"at_least": 0.95, "on": "bound"}, "passed", None, id="lower bound reaches"),
        pytest.param(MACRO, WIDE, {"at_least": 0.9, "on": "bound"}, "breached", None, id="upper bound misses"),
        pytest.param(
            MACRO, WIDE, {"at_least": 0.5, "on": "bound"}, "undecided", "too_uncertain", id="between the bounds"
        ),
        pytest.param(
            LOWER, [0] * 100, {"at_most": 0.05, "on": "bound"}, "passed", None, id="upper bound of a fault rate"
        ),
        pytest.param(
            LOWER, [0] * 10, {"at_most": 0.05, "on": "bound"}, "undecided", "too_uncertain", id="ten are too few"
        ),
        pytest.param(MACRO, [1, 1, "error"], {"at_least": 0.6}, "passed", None, id="holds with the error at its worst"),
        pytest.param(
            MACRO, [0, 0, "error"], {"at_least": 0.6}, "breached", None, id="misses with the error at its best"
        ),
        pytest.param(MACRO, [1, 0, "error"], {"at_least": 0.6}, "undecided", "errors_decide", id="the error decides"),
        pytest.param(LOWER, [0, 1, "error"], {"at_most": 0.6}, "undecided", "errors_decide", id="either end of less"),
        pytest.param(MACRO, [1, 1, "failed"], {"at_least": 0.7}, "breached", None, id="a failure counts 0"),
        pytest.param(MACRO, [1, 1, "failed"], {"at_least": 0.6}, "passed", None, id="and is made up for by others"),
        pytest.param(MACRO, [1, 1, "na"], {"at_least": 1.0}, "passed", None, id="undefined does not count"),
        pytest.param(MACRO, [], {"at_least": 0.8}, "undecided", "no_rows", id="no rows"),
        pytest.param(MACRO, ["error"] * 2, {"at_least": 0.8}, "undecided", "all_errors", id="all errors"),
        pytest.param(MACRO, ["na"] * 2, {"at_least": 0.8}, "undecided", "all_undefined", id="all undefined"),
        pytest.param(MACRO, ["failed"] * 2, {"at_least": 0.8}, "undecided", "all_undefined", id="nothing but failures"),
        pytest.param(MACRO, [math.nan, 1], {"at_least": 0.8}, "undecided", "not_a_number", id="not a number"),
        pytest.param(
            "total_latency(p=95)", [1] * 99 + ["failed"], {"at_most": 2}, "passed", None, id="one in 100 is slow"
        ),
        pytest.param(
            "total_latency(p=95)", [1] * 9 + ["failed"], {"at_most": 2}, "breached", None, id="one in ten never ends"
        ),
        pytest.param("uncited_claims", [0, 0], {"at_most": 0}, "passed", None, id="a counter at zero"),
        pytest.param("uncited_claims", [0, 1], {"at_most": 0}, "breached", None, id="a counter above"),
        pytest.param(
            "uncited_claims", [0, "failed"], {"at_most": 0}, "undecided", "failures_decide", id="nobody knows the count"
        ),
        pytest.param("uncited_claims", [1, "failed"], {"at_most": 0}, "breached", None, id="one is too many already"),
        pytest.param(RATE, [(9, 10), (10, 10)], {"at_least": 0.95}, "passed", None, id="claims, not answers"),
        pytest.param(RATE, [(1, 1), (0, 9)], {"at_least": 0.5}, "breached", None, id="ten claims, one holds"),
        pytest.param(
            RATE, [(9, 9), "failed"], {"at_least": 0.8}, "undecided", "failures_decide", id="how many claims lost"
        ),
        pytest.param(
            RATE, [(5, 5)] * 50 + ["failed"], {"at_least": 0.9}, "passed", None, id="at most twenty claims lost"
        ),
    ],
)
def test_row(metric, rows, limits, outcome, reason):
    result = gated(metric, rows, coverage=0.0, **limits)
    assert (result.outcome, result.reason) == (outcome, reason)


def test_below_the_coverage_floor_it_is_undecided_whatever_the_value():
    for rows in ([1] * 9 + ["error"], [0] * 9 + ["error"]):
        assert gated(MACRO, rows, at_least=0.5).reason == "low_coverage"
    assert gated(MACRO, [1] * 19 + ["error"], at_least=0.5).outcome == "passed"


def test_a_failed_answer_that_looks_good_does_not_count_as_good():
    assert gated(LOWER, [0, 0, 0, 0], at_most=0.1, failed=(3,)).outcome == "undecided"
    assert gated(LOWER, [0, 0, 0, 0], at_most=0.1).outcome == "passed"
    assert gated("broken_off", [0, 0, 0, 1], at_most=1, failed=(3,)).outcome == "passed"


def test_one_long_answer_does_not_decide_a_rate_by_being_lost():
    """200 bad claims of one answer breach; with that answer gone, the others make up for the heaviest there may be."""
    good = [(5, 5)] * 10
    assert gated(RATE, [*good, (0, 200)], at_least=0.75).outcome == "breached"
    assert gated(RATE, [*good, "failed"], at_least=0.75).outcome == "undecided"
    assert gated(RATE, [*good, "failed"], at_least=0.7).outcome == "passed"
    assert gated(RATE, [*good, (0, 200)], at_least=0.7).reason == "long_answers_decide"
    assert gated(RATE, [*good, (200, 200)], at_least=0.7).outcome == "passed"


def test_errors_are_shown_at_both_ends_and_lower_the_coverage():
    given, expected = case("C44")
    rows = given["rows"]
    result = gated(MACRO, rows, at_least=given["gate"]["metric_mean_at_least"])
    assert result.value == pytest.approx(expected["mean"])
    assert result.outcome == "undecided"
    assert result.coverage == pytest.approx(expected["coverage"], abs=1e-6)
    unfloored = gated(MACRO, rows, coverage=0.0, at_least=0.7)
    assert unfloored.worst == pytest.approx(expected["worst_case_mean"])
    assert unfloored.best == pytest.approx(expected["best_case_mean"], abs=1e-6)
    assert stands(MACRO, rows).errored == expected["n_error"]


def test_a_gate_passes_on_positive_evidence_only_and_says_what_is_missing():
    given, expected = case("C45")
    words = {"all_na": "all_undefined"}
    for row, answer in zip(given, expected, strict=True):
        rows = row.get("rows", [math.nan])
        reason = answer.removeprefix("inconclusive:")
        assert gated(MACRO, rows, at_least=0.8).reason == words.get(reason, reason)


def test_three_of_three_show_little_and_twenty_of_twenty_enough():
    given, expected = case("C86")
    for row, answer in zip(given[:2], expected[:2], strict=True):
        assert wilson(row["passes"], row["n"])[0] == pytest.approx(answer["wilson_lower"], abs=1e-6)
        result = gated(MACRO, [1] * row["n"], at_least=0.8, on="bound")
        assert result.outcome == {"inconclusive": "undecided", "pass": "passed"}[answer["gate"]]


def test_fifty_nine_of_fifty_nine_show_95_percent():
    assert gated(MACRO, [1] * 59, at_least=0.95, on="bound").outcome == "passed"
    assert gated(MACRO, [1] * 58, at_least=0.95, on="bound").outcome == "undecided"
    assert gated(LOWER, [0] * 59, at_most=0.05, on="bound").outcome == "passed"
    assert gated(LOWER, [0] * 58, at_most=0.05, on="bound").outcome == "undecided"


def test_the_boundary_counts_as_reached_and_the_digits_show_the_difference():
    given, _ = case("C87")
    for row in given[:2]:
        assert gated(MACRO, row["rows"], at_least=row["at_least"]).outcome == "passed"
    mean, limit = given[2]["mean"], given[2]["at_least"]
    result = gated(MACRO, [mean], at_least=limit)
    assert result.outcome == "breached"
    assert result.message.startswith("0.7966 < 0.80")


def test_digits_are_added_until_the_difference_shows():
    assert "0.7999997 < 0.80" in gated(MACRO, [0.7999997], at_least=0.8).message


def test_reaching_the_gate_is_not_reaching_the_target():
    result = gated(MACRO, [1, 1, 1, 0], at_least=0.7, target=0.9)
    assert (result.outcome, result.target_reached) == ("passed", False)
    assert "target 0.90 is not reached" in result.message
    assert gated(MACRO, [1, 1, 1, 1], at_least=0.7, target=0.9).target_reached is True
    assert gated(MACRO, [1, 1, 1, 0], target=0.9).outcome == "breached"


def test_the_worst_queries_are_named_first():
    assert gated(MACRO, [1, 0.5, 0, 1], at_least=0.9).queries == ("q2", "q1")
    assert gated(LOWER, [0, 1, 0, 1], at_most=0.1).queries == ("q1", "q3")
