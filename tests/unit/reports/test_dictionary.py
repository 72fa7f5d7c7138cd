import io
from pathlib import Path

import pytest
from rich.console import Console

from ragassay.metrics.dictionary import DICTIONARY, find
from ragassay.reports.dictionary import describe, dictionary_page, dictionary_table, facts

PAGE = Path(__file__).parents[3] / "docs" / "metrics.md"


def shown(render):
    page = io.StringIO()
    render(Console(file=page, width=100, no_color=True))
    return " ".join(page.getvalue().split())


def test_the_documentation_says_what_the_code_does():
    remedy = "write it again: python -c 'from ragassay.reports.dictionary import *; print(dictionary_page(), end=\"\")'"
    assert PAGE.read_text(encoding="utf-8") == dictionary_page(), remedy


@pytest.mark.parametrize("metric", DICTIONARY.values(), ids=lambda metric: metric.name)
def test_every_metric_is_in_the_table_and_described(metric):
    table, entry = shown(dictionary_table), shown(lambda console: describe(metric, console))
    assert metric.name in table
    for text in (metric.question, metric.formula, *metric.matrices, *metric.undefined, *metric.aliases):
        assert " ".join(text.split()) in entry


def test_no_source_is_left_as_a_letter():
    assert all(len(source) > 1 for metric in DICTIONARY.values() for source in facts(metric)["source"].split(", "))


def test_a_choice_is_described_under_its_own_name():
    assert "ndcg@10(gain=exp):v1" in shown(lambda console: describe(find("ndcg@10(gain=exp)"), console))


def test_facts_say_how_a_metric_is_aggregated_and_chosen():
    assert facts(DICTIONARY["recall"])["aggregation"] == "macro, micro beside it"
    critical = DICTIONARY["critical_pass_rate"]
    assert facts(critical)["aggregation"] == f"macro; none while any query is {', '.join(critical.voided_by)}"
    assert facts(DICTIONARY["total_latency"])["variants"] == "p: 50, 95, 99 (must be given)"
    assert "gain: linear, exp (default linear)" in facts(DICTIONARY["ndcg"])["variants"]
    assert facts(DICTIONARY["cost"])["bounds"] == "0 and up"
