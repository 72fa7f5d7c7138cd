import polars as pl
import pytest
from msgspec.structs import replace

from ragassay.decision import compared, decided
from ragassay.records import Errored, Gate, Measured, Policy, Undefined
from ragassay.reports.notebook import ChangeView, RunView, VerdictView

HOSTILE = "<script>alert(1)</script>\x1b[31m"


@pytest.fixture
def run(evaluation):
    return evaluation.run


@pytest.fixture
def view(evaluation):
    return RunView(evaluation)


def test_an_estimate_is_found_by_its_name(view):
    assert view["recall@5"].value == 0.6
    assert view["recall@5"].n == 5
    assert len(view["recall@5"].interval) == 2


def test_aliases_and_versions_name_the_same_estimate(view):
    assert view["rr"] == view["mrr"]
    assert view["recall@5:v1"] == view["recall@5"]


def test_an_unknown_name_gets_the_nearest(view):
    with pytest.raises(KeyError, match="did you mean recall"):
        view["recal@5"]


def test_a_metric_that_was_not_measured_is_told_from_one_that_does_not_exist(view):
    with pytest.raises(KeyError, match="recall@7 was not measured in this run"):
        view["recall@7"]


def measurement(frame, query):
    return frame.row(by_predicate=(pl.col("query") == query) & (pl.col("metric") == "mrr"), named=True)


def test_queries_are_a_frame_of_values_and_reasons(view, run):
    frame = view.queries()
    assert len(frame) == 8 * len(run.summary.metrics)
    row = measurement(frame, "q4")
    assert (row["numerator"], row["denominator"], row["value"]) == (0.5, 1.0, 0.5)
    undefined = measurement(frame, "q3")
    assert (undefined["value"], undefined["undefined"]) == (None, "must_refuse")


def test_it_shows_itself(view):
    assert "recall@5" in repr(view)
    assert "60.0%" in repr(view)
    assert repr(view).startswith("3 of 3 critical queries failed")
    assert "<td>recall@5</td><td>60.0%</td>" in view._repr_html_()
    assert "<td>cost</td><td>—</td>" in view._repr_html_()


def test_one_metric_of_one_query_is_measured_undefined_or_errored(evaluation):
    view = RunView(evaluation)
    assert view.query("q4", "mrr") == Measured(0.5, 1.0)
    assert view.query("q3", "rr") == Undefined("must_refuse")
    with pytest.raises(KeyError, match="q99"):
        view.query("q99", "mrr")
    with pytest.raises(KeyError, match="did you mean recall"):
        view.query("q4", "recal@5")
    broken = pl.when((pl.col("metric") == "mrr:v1") & (pl.col("query") == "q4"))
    columns = [broken.then(None).otherwise(pl.col(name)).alias(name) for name in ("numerator", "denominator")]
    reason = broken.then(pl.lit("judge_failed")).otherwise("errored").alias("errored")
    errored = replace(evaluation, fractions=evaluation.fractions.with_columns(*columns, reason))
    assert RunView(errored).query("q4", "mrr") == Errored("judge_failed")


def test_a_change_and_a_verdict_show_themselves(evaluation):
    change = ChangeView(compared(evaluation, evaluation, override=HOSTILE), evaluation, evaluation)
    gates = (Gate(metric="recall@5", at_least=0.9), Gate(metric="mrr", at_least=0.9, slice=f"slice={HOSTILE}"))
    policy = Policy(name=HOSTILE, gates=gates)
    verdict = VerdictView(decided(policy, evaluation, evaluation, HOSTILE), evaluation.run)
    assert "agree in everything" in repr(change)
    assert "recall@5" in repr(verdict) and "Breached" in repr(verdict)
    assert "agree in everything" in change._repr_html_()
    assert "<td>recall@5</td>" in verdict._repr_html_()
    for shown in (change, verdict):
        assert "\x1b" not in repr(shown) + shown._repr_html_()
        assert "<script" not in shown._repr_html_()
    assert "&lt;script&gt;" in verdict._repr_html_()
