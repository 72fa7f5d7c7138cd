import pytest

from ragassay.metrics.dictionary import DICTIONARY
from ragassay.records import Estimate
from ragassay.reports.figures import (
    EXCERPT,
    amount,
    counted,
    excerpt,
    figure,
    histogram,
    interval,
    percent,
    ratio,
    seconds,
)

RECALL, COST, FAULTS = DICTIONARY["recall"], DICTIONARY["cost"], DICTIONARY["citation_faults"]
LATENCY = DICTIONARY["total_latency"]


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.815, "81.5%"), (0.0, "0.0%"), (1.0, "100.0%"), (0.99999, ">99.9%"), (0.0001, "<0.1%"), (0.0005, "0.1%")],
)
def test_all_and_nothing_are_said_only_of_all_and_nothing(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("duration", "text"), [(0.041, "41 ms"), (0.000437, "0.437 ms"), (1.24, "1.24 s"), (1234.0, "1,234 s")]
)
def test_seconds(duration, text):
    assert seconds(duration) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (163.0, "163"),
        (34.99999999999999, "35"),
        (1234567, "1,234,567"),
        (101.73, "101.7"),
        (1.5, "1.50"),
        (0.0021, "0.0021"),
    ],
)
def test_amounts(number, text):
    assert amount(number) == text


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [(RECALL, 0.5, "50.0%"), (COST, 0.5, "0.5"), (FAULTS, 3.0, "3"), (LATENCY, 0.5, "500 ms"), (None, 0.5, "0.5")],
)
def test_a_value_is_written_in_the_unit_of_its_metric(metric, value, text):
    assert figure(metric, value) == text


@pytest.mark.parametrize("metric", [RECALL, COST, FAULTS, LATENCY, None])
def test_what_is_undefined_is_never_a_zero(metric):
    assert figure(metric, None) == interval(metric, None) == "—"


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.77, 0.86), "77.0–86.0%"),
        ((None, 0.86), "≤ 86.0%"),
        ((0.77, None), "≥ 77.0%"),
        ((None, None), "n too small"),
        ((0.0001, 0.02), "<0.1–2.0%"),
    ],
)
def test_an_interval_has_its_unit_once_and_may_be_open(ends, text):
    assert interval(RECALL, ends) == text


def test_an_interval_over_two_units_keeps_both():
    assert interval(LATENCY, (0.9, 1.5)) == "900 ms–1.50 s"


def test_a_percentile_and_an_absent_value_divide_nothing():
    numbers = {"interval": None, "method": None, "numerator": 9.0, "denominator": 3.0, "n": 3}
    rest = {"undefined": {}, "errored": 0, "excluded": {}, "beside": {}}
    assert ratio(Estimate(metric="m", aggregation="percentile", value=1.0, **numbers, **rest)) == ""
    assert ratio(Estimate(metric="m", aggregation="macro", value=None, **numbers, **rest)) == ""
    assert ratio(Estimate(metric="m", aggregation="macro", value=3.0, **numbers, **rest)) == "9 / 3"


def test_reasons_come_with_the_commonest_first():
    assert counted({"no_relevant": 2, "must_refuse": 30}) == "must refuse 30, no relevant 2"


@pytest.mark.parametrize(
    ("values", "counts"),
    [((), [0, 0]), ((0.0, 0.0), [2, 0]), ((1.0, 2.0), [0, 2]), ((0.5, 2.0), [1, 1])],
)
def test_a_histogram_counts_every_value_once(values, counts):
    assert histogram(values, 2) == counts


def test_an_excerpt_is_one_line_that_says_when_it_was_cut():
    assert excerpt("a\n\n b\tc") == "a b c"
    assert excerpt("x" * EXCERPT) == "x" * EXCERPT
    assert excerpt("x" * (EXCERPT + 1)) == "x" * (EXCERPT - 1) + "…"
