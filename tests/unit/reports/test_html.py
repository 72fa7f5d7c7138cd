import re

from ragassay.reports.charts import bars_chart, distribution_chart, forest_chart
from ragassay.reports.html import render_html
from ragassay.reports.outline import Bars, Column, Distribution, Forest, ForestRow, Stage


def test_the_page_works_alone(run):
    page = render_html(run)
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in page
    assert not re.search(r"<script|<link|src=|url\(|@import|https?:", page)


def test_every_metric_of_the_run_is_on_the_page(run):
    page = render_html(run)
    assert all(name in page for name in [*run.summary.metrics, *run.not_shown])


def test_charts_say_in_words_what_they_draw(run):
    page = render_html(run)
    labels = re.findall(r'<svg [^>]*role="img" aria-label="([^"]+)"', page)
    assert len(labels) == page.count("<svg ")
    assert any("1: 1; 2: 1; 3: 1; not found: 2" in label for label in labels)
    assert any("total, 6 answers: p50 900 ms" in label for label in labels)
    assert page.count('data-testid="forest"') == 4


def test_nobody_guesses_the_language_of_data(run):
    page = render_html(run)
    assert set(re.findall(r'lang="([^"]*)"', page)) == {"en", ""}


def row(side, value=0.5, interval=(0.4, 0.6)):
    return ForestRow(label=f"slice={side}", value=value, interval=interval, side=side, cells=("50%", "", "", "4"))


def forest(*rows):
    return forest_chart(Forest(title="t", whole=0.5, columns=(Column("value"),), rows=rows, note=""))


def test_sides_differ_in_shape_as_well_as_colour():
    worse, better, alike = (str(forest(row(side))) for side in ("worse", "better", "alike"))
    points = [re.findall('points="([^"]+)"', drawn) for drawn in (worse, better)]
    assert points[0] != points[1]
    assert all(points)
    assert "<circle" in alike
    assert "<polygon" not in alike


def test_a_slice_without_a_value_has_no_mark():
    drawn = str(forest(row("unknown", value=None, interval=None)))
    assert "mark" not in drawn
    assert "slice=unknown" in drawn


def test_an_open_interval_reaches_the_end_of_the_axis():
    drawn = str(forest(row("alike", interval=(None, None))))
    assert 'x1="220" x2="560"' in drawn


def test_a_count_of_none_has_a_bar_of_no_length():
    drawn = str(bars_chart(Bars("t", (("1", 0), ("not found", 3)))))
    assert 'width="0"' in drawn
    assert 'class="bar missed"' in drawn
    assert 'width="0"' in str(bars_chart(Bars("t", (("1", 0),))))


def test_a_long_label_is_cut_and_whole_in_its_tooltip():
    label = "slice=" + "x" * 60
    drawn = str(bars_chart(Bars("t", ((label, 1),))))
    assert f"<title>{label}</title>" in drawn
    assert f"{label[:29]}…" in drawn


def test_a_distribution_draws_each_stage_and_its_percentiles():
    stage = Stage("total", (0.0, 1.0, 2.0), (("p50", 1.0), ("p95", 2.0)))
    drawn = str(distribution_chart(Distribution("t", (stage, Stage("retrieval", (0.0,), ())))))
    assert "p50 1.00 s" in drawn
    assert drawn.count('class="axis"') == 2
    assert drawn.count('class="bar"') == 4
