"""The message of a failed assertion: every number that one needs, and nothing that obeys the data."""

from ragassay.records import Gate, GateResult, Summary
from ragassay.records.verdict import Verdict
from ragassay.reports.assertion import NAMED, reasons

NOTHING = Summary(metrics={}, slices={})


def told(gate, outcome, summary=NOTHING, **more):
    result = GateResult(gate=gate, outcome=outcome, **{"message": "m", "n": 40} | more)
    verdict = Verdict(policy="p 1", policy_hash="h", run="r", baseline=None, outcome=outcome, gates=(result,))
    return reasons(verdict, summary)


def test_each_kind_of_gate_says_what_it_needed():
    assert "needs: at least 80.0%" in told(Gate(metric="recall@5", at_least=0.8), "breached", value=0.5)
    assert "needs: at most 5.0%" in told(Gate(metric="withheld_rate", at_most=0.05), "breached", value=0.5)
    assert "needs: at most 5.0%" in told(Gate(metric="withheld_rate", target=0.05), "breached", value=0.5)
    assert "needs: at least 80.0% on the bound" in told(Gate(metric="mrr", at_least=0.8, on="bound"), "breached")
    assert "by more than 2.0%" in told(Gate(metric="mrr", no_worse_by=0.02), "breached")
    assert "needs: to be measured" in told(Gate(metric="mrr"), "undecided", reason="not_shown")


def test_the_slice_the_number_the_interval_and_the_worst_queries_are_there():
    queries = tuple(f"q{number}" for number in range(NAMED + 3))
    gate = Gate(metric="recall@5", at_least=0.8, slice="language=ru")
    message = told(gate, "breached", value=0.5, interval=(0.4, 0.6), queries=queries, message="0.50 < 0.80")
    assert "- recall@5 on language=ru: breached: 50.0%, interval 40.0–60.0%, n = 40; needs: at least 80.0%" in message
    assert "0.50 < 0.80" in message
    assert "q0, q1" in message and "and 3 more" in message and f"q{NAMED}," not in message


def test_a_gate_on_the_estimate_has_the_interval_of_the_run(evaluation):
    summary = evaluation.run.summary
    assert "interval" in told(Gate(metric="recall@5", at_least=0.9), "breached", summary, value=0.6)
    on_a_slice = Gate(metric="recall@5", at_least=0.9, slice="language=ru")
    assert "interval" in told(on_a_slice, "breached", summary, value=0.6)
    nowhere = Gate(metric="recall@5", at_least=0.9, slice="language=xx")
    assert "interval" not in told(nowhere, "undecided", summary, reason="no_rows")
    assert "interval" not in told(Gate(metric="mrr", no_worse_by=0.1), "undecided", summary, reason="no_baseline")


def test_undecided_says_why_and_an_empty_policy_too():
    assert "undecided (low coverage)" in told(Gate(metric="mrr", at_least=0.5), "undecided", reason="low_coverage")
    assert "undecided (unknown metric)" in told(Gate(metric="nope"), "undecided", reason="unknown_metric")
    empty = Verdict(policy="p 1", policy_hash="h", run="r", baseline="b", outcome="undecided", gates=(), flags=("f",))
    assert reasons(empty, NOTHING) == "undecided: nothing was gated; policy p 1, run r, baseline b\nf"


def test_nothing_in_it_controls_a_terminal():
    message = told(Gate(metric="mrr", at_least=0.5), "breached", queries=("a\x1b[31m\nb\u202e",), message="x\r\ny")
    assert len(message.splitlines()) == 4
    assert not {"\x1b", "\r", "\u202e"} & set(message)
