"""A trial as people read it: at 80 columns, with every number that it rests on, and no word of the data obeyed."""

import json
from io import StringIO

from msgspec.structs import replace
from rich.console import Console
from trials import Row, recorded, trial

from ragassay.records import SearchTerms, Terms
from ragassay.reports.trying import ROWS, render_trial, trial_json

TERMS = Terms(name="t", search=SearchTerms(thresholds={"similarity": 0.7}))


def many(number):
    bad = [Row(f"b{n:03}", "must", (n / number,), (n / number, 0.9)) for n in range(number)]
    good = [Row(f"g{n:03}", "right", (0.5 + n / number / 2,), (0.9, 0.9)) for n in range(number)]
    return recorded(*bad, *good)


def printed(found):
    console = Console(width=80, highlight=False, emoji=False, record=True, file=StringIO())
    render_trial(found, console)
    return console.export_text()


def test_it_is_readable_at_80_columns():
    text = printed(trial(many(100), "search", "context_sufficiency", terms=TERMS))
    assert max(map(len, text.splitlines())) <= 80
    for words in (
        "bad prevented (100)",
        "70: 70.0% (60–78)",
        "40: 40.0% (31–50)",
        "110 of 200",
        "Threshold of score (similarity)",
        "Recommended: at least",
        "by the upper bound",
        "these figures are of the other",
        "and 72 more",
    ):
        assert words in " ".join(text.split()), words
    assert sum("●" in line and "·" in line for line in text.splitlines()) == 2 * ROWS


def test_few_queries_are_called_optimistic():
    text = " ".join(printed(trial(many(10), "search", terms=TERMS)).split())
    assert "too few to keep half apart, so it looks better than it is" in text


def test_what_is_missing_is_said_with_its_remedy():
    text = " ".join(printed(trial(recorded(Row("q1", "open", (0.9,), kind="unknown")), "search", terms=TERMS)).split())
    assert "score kind unknown; record `score_kind` with every answer" in text
    assert "context not judged; `--judge embedded` grades it now" in text
    assert "No curve of search" in text
    assert "Too little is known of the answers" in text


def test_a_threshold_that_the_other_half_refutes_is_not_recommended():
    found = trial(many(100), "search", terms=TERMS)
    (curve,) = found.curves
    refuted = replace(curve, choice=replace(curve.choice, reason="the_other_half_refuses_more"))
    text = " ".join(printed(replace(found, curves=(refuted,))).split())
    assert "Not recommended, because the other half refuses more: at least" in text


def test_no_recommendation_says_why():
    text = " ".join(printed(trial(recorded(Row("q1", "right", (0.9,))), "search", terms=TERMS)).split())
    assert "No threshold is recommended" in text
    assert "no answer known to be bad" in text


def test_data_is_shown_and_not_obeyed():
    stored = recorded(Row("[red]q1[/red]\x1b[2J", "must", (0.1,)))
    found = trial(stored, terms=replace(TERMS, name="[bold]\x1b]0;t\x07"))
    text = printed(found)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[red]q1[/red]" in text
    assert "[bold]" in text


def test_the_document_is_strict_and_whole():
    found = trial(many(100), "search", terms=TERMS)
    document = json.loads(trial_json(found), parse_constant=lambda constant: 1 / 0)
    assert len(document["curves"][0]["points"]) == len(found.curves[0].points) > ROWS
    assert len(document["stages"][0]["queries"]["rightly"]) == 70
    assert document["curves"][0]["choice"]["is_held_out"] is True
