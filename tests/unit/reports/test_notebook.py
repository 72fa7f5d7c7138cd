import polars as pl
import pytest

from ragassay.reports.notebook import RunView


@pytest.fixture
def view(run, fractions):
    return RunView(run, fractions)


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
