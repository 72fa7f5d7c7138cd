"""What a report says, whoever renders it."""

import msgspec
import pytest

from ragassay.causes import KINDS
from ragassay.records import Cause, CriticalResult, Estimate, Failed
from ragassay.reports.blocks import headlines, measured, members, not_shown, shown_cutoffs
from ragassay.reports.contents import outline
from ragassay.reports.critical import critical_section, reason
from ragassay.reports.headline import headline
from ragassay.reports.outline import Bars, Forest, Paragraph, Table, forest_table
from ragassay.reports.slices import forest


def estimate(name="recall@5", value=0.5, **changes):
    fields = {
        "metric": name,
        "aggregation": "macro",
        "value": value,
        "interval": None if value is None else (0.25, 0.75),
        "method": "wilson",
        "numerator": 2.0,
        "denominator": 4.0,
        "n": 4,
        "undefined": {},
        "errored": 0,
        "excluded": {},
        "beside": {},
    }
    return Estimate(**(fields | changes))


def changed(run, **changes):
    return msgspec.structs.replace(run, **changes)


def with_metrics(run, metrics, **slices):
    summary = msgspec.structs.replace(run.summary, metrics=metrics, slices={**run.summary.slices, **slices})
    return changed(run, summary=summary)


def with_findings(run, **changes):
    return changed(run, findings=msgspec.structs.replace(run.findings, **changes))


def lines(parts):
    """Every row of every table and every paragraph as lists of texts."""
    found = []
    for part in parts:
        if isinstance(part, Paragraph):
            found.append([span.text for span in part.spans])
        elif isinstance(part, Table):
            found += [[span.text for span in row] for row in part.rows]
    return found


def said(paragraphs):
    return [" ".join(span.text for span in paragraph.spans) for paragraph in paragraphs]


def test_sections_come_in_the_order_of_the_reader(run):
    titles = [section.title for section in outline(run, is_full=False).sections]
    assert titles == [
        "Why answers failed",
        "Retrieval",
        "Citations",
        "Refusal",
        "Effort",
        "Not shown",
        "Critical queries",
        "Slices",
        "What exactly was run",
    ]


@pytest.mark.parametrize(
    ("ks", "shown"), [((1, 3, 5, 10), (5, 10)), ((10, 1), (10,)), ((1, 5, 20), (5, 20)), ((7,), (7,)), ((), ())]
)
def test_a_short_report_shows_the_middle_and_the_largest_cutoff(ks, shown):
    assert shown_cutoffs(ks) == shown


def test_a_full_report_shows_every_cutoff(run):
    short, full = ([row[0] for row in lines(outline(run, is_full=each).sections[1].parts)] for each in (False, True))
    assert "recall@3" in full
    assert set(short) <= set(full)


def test_every_number_stands_with_its_interval_fraction_and_n():
    rows = lines(measured({"recall@5": estimate()}, 0.95))
    assert rows == [["recall@5", "50.0%", "25.0–75.0%", "2 / 4", "4", "0"]]


def test_queries_without_a_value_are_counted_by_reason_beside_the_number():
    absent = estimate(undefined={"must_refuse": 3, "unlabelled": 1}, errored=2, excluded={"under review": 5})
    rows = lines(measured({"recall@5": absent, "recall@10": absent}, 0.95))
    assert [row[-1] for row in rows[:2]] == ["11 a", "11 a"]
    assert rows[2:] == [["a  ", "undefined: must refuse 3, unlabelled 1 · errored: 2 · excluded: under review 5"]]


def test_different_reasons_have_different_notes():
    rows = lines(measured({"recall@5": estimate(errored=1), "mrr": estimate("mrr", undefined={"unlabelled": 1})}, 0.95))
    assert [row[-1] for row in rows] == ["1 a", "1 b", "errored: 1", "undefined: unlabelled 1"]


def test_an_undefined_aggregate_is_a_dash():
    [row, _] = lines(measured({"recall@5": estimate(value=None, undefined={"unlabelled": 1})}, 0.95))
    assert row[1:3] == ["—", "—"]


def test_the_other_aggregation_stands_below():
    rows = lines(measured({"recall@5": estimate(beside={"micro": 0.4})}, 0.95))
    assert rows[1][:2] == ["└ micro", "40.0%"]


def test_lower_is_better_is_marked():
    assert lines(measured({"stale@5": estimate("stale@5")}, 0.95))[0][0] == "stale@5 ↓"


def test_what_no_query_has_a_value_for_is_not_shown_with_its_reasons(run):
    table = not_shown(run, shown_cutoffs(run.card.k))
    rows = {row[0].text: row[1].text for row in table.rows}
    assert next(why for names, why in rows.items() if "grounded_claim_rate" in names).startswith("not judged 6, ")
    assert rows["citation_faults(fault=not_applicable)"].startswith("corpus not given 4, ")
    assert "cost" not in members(run, "effort", None)


def test_a_metric_of_another_dictionary_is_shown_and_not_lost(run):
    strange = with_metrics(run, {**run.summary.metrics, "beauty": estimate("beauty", 0.5)})
    sections = {section.title: section for section in outline(strange, is_full=False).sections}
    assert lines(sections["Other"].parts)[0][:2] == ["beauty", "0.5"]


def failing(query, *names):
    first, *others = (Cause(name=name, stage=KINDS[name].stage, group=KINDS[name].group) for name in names)
    return Failed(query=query, cause=first, others=tuple(others))


def test_the_headline_names_failed_critical_queries_and_why(run):
    reasons = "inadmissible citation 2, forbidden source used 2, revision not in force used 1"
    assert said(headline(run))[0] == f"3 of 3 critical queries failed: {reasons}."


@pytest.mark.parametrize(
    ("results", "start"),
    [
        ((), "No query is marked critical."),
        ((True,), "The one critical query passed."),
        ((True, True), "All 2 critical queries passed."),
        ((True, None), "No critical query failed, but 1 of 2 could not be decided."),
    ],
)
def test_without_failed_critical_queries_the_headline_names_the_commonest_cause(run, results, start):
    critical = tuple(
        CriticalResult(query=f"q{i}", question=None, passed=passed, failed=(), undecided=())
        for i, passed in enumerate(results)
    )
    failed = (failing("q7", "no_answer"), failing("q8", "no_answer"), failing("q1", "incomplete"))
    first = said(headline(with_findings(run, critical=critical, failed=failed)))[0]
    assert first == f"{start} Most often, failed, broke off or said nothing: 2 queries, q7 first."
    first = said(headline(with_findings(run, critical=critical, failed=())))[0]
    assert first == f"{start} Nothing failed as far as can be told."


def test_the_headline_says_what_could_not_be_measured(run):
    second = said(headline(run))[1]
    assert second.startswith("Not measured: context_precision, useful_share, context_recall, ")
    assert second.endswith("Read first: 3 notices at the end.")


def test_errors_reach_the_headline(run):
    broken = with_metrics(run, {"recall@5": estimate(errored=1)})
    assert "1 metric has queries that errored." in said(headline(broken))[1]


def critical_run(run, number):
    results = tuple(
        CriticalResult(query=f"q{i}", question=f"question {i}", passed=False, failed=("correct",), undecided=())
        for i in range(number)
    )
    return with_findings(run, critical=results)


def test_no_critical_query_is_left_out(run):
    crowded = critical_run(run, 30)
    short, full = (lines(critical_section(crowded, is_full=each).parts) for each in (False, True))
    text = " ".join(cell for row in short for cell in row)
    assert all(f"q{i}" in text for i in range(30))
    assert "✗ failed also: q20, q21" in text
    assert ["✗ failed", "q29", "wrong answer or wrong refusal", "question 29"] in full


def test_a_critical_query_says_what_failed_and_what_nobody_decided():
    both = CriticalResult(
        query="q", question=None, passed=False, failed=("nothing_forbidden",), undecided=("correct", "strange_one")
    )
    assert reason(both) == "forbidden source used; not decided: correct, strange one"
    unknown = CriticalResult(query="q", question=None, passed=False, failed=("strange_one",), undecided=())
    assert reason(unknown) == "not strange one"


def sliced(run, **values):
    slices = {label.replace("__", "="): {"recall@5": each} for label, each in values.items()}
    summary = msgspec.structs.replace(run.summary, slices=slices)
    return forest(changed(run, summary=summary), "recall@5", headlines(run)["recall@5"], is_full=False)


def test_the_worst_slices_come_first_and_the_pinned_ones_always(run):
    values = {f"slice__{i}": estimate(value=i / 10) for i in range(9)} | {"critical__yes": estimate(value=1.0)}
    found = sliced(run, **values)
    assert [row.label for row in found.rows] == [*(f"slice={i}" for i in range(6)), "critical=yes"]
    assert found.note == "3 more slices are not worse"


def test_where_lower_is_better_the_highest_slice_is_the_worst(run):
    name = "false_refusal_rate"
    found = forest(run, name, headlines(run)[name], is_full=True)
    values = [row.value for row in found.rows if row.value is not None]
    assert values == sorted(values, reverse=True)


def test_slices_that_do_not_differ_are_not_listed(run):
    found = sliced(run, slice__a=estimate(value=0.5), slice__b=estimate(value=0.5))
    assert (found.rows, found.note) == ((), "2 more slices are not worse")


def test_an_empty_slice_says_why(run):
    empty = estimate(value=None, n=0, undefined={"must_refuse": 4})
    found = sliced(run, slice__a=estimate(value=0.2), critical__yes=empty, slice__b=empty)
    assert found.rows[-1].cells == ("—", "must refuse 4", "", "0")
    assert found.note == "without a value: slice=b"


@pytest.mark.parametrize(
    ("ends", "side"),
    [((0.1, 0.5), "worse"), ((0.1, 0.6), "alike"), ((0.61, 0.9), "better"), ((None, 0.5), "worse"), (None, "unknown")],
)
def test_a_slice_lies_on_a_side_only_with_its_whole_interval(run, ends, side):
    assert run.summary.metrics["recall@5"].value == 0.6
    [row] = sliced(run, critical__yes=estimate(value=0.4, interval=ends)).rows
    assert row.side == side


def test_a_forest_can_be_read_as_a_table(run):
    part = next(p for s in outline(run, is_full=False).sections for p in s.parts if isinstance(p, Forest))
    table = forest_table(part)
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert {row[0].text for row in table.rows} <= {"▼", "▲", "●", "○"}


def test_every_row_of_every_table_is_as_wide_as_its_head(run):
    for is_full in (False, True):
        for section in outline(run, is_full=is_full).sections:
            for part in section.parts:
                if isinstance(part, Table):
                    assert all(len(row) == len(part.columns) for row in part.rows), section.title


def bars(run, ranks):
    sections = outline(with_findings(run, first_ranks=ranks), is_full=False).sections
    return next((p.bars for s in sections for p in s.parts if isinstance(p, Bars)), None)


def test_ranks_are_grouped_and_every_need_is_counted_once(run):
    ranks = {"1": 5, "4": 1, "5": 2, "11": 1, "30": 1, "250": 4, "not found": 7}
    found = bars(run, ranks)
    assert sum(count for _, count in found) == sum(ranks.values())
    assert dict(found)["4–5"] == 3
    assert dict(found)["over 100"] == 4
    assert found[-1] == ("not found", 7)


def test_ranks_below_the_last_hit_have_no_bars(run):
    assert bars(run, {"1": 5, "2": 1, "not found": 0}) == (("1", 5), ("2", 1), ("not found", 0))


def test_without_needs_there_are_no_bars(run):
    assert bars(run, {"not found": 0}) is None


def test_long_labelling_rules_are_whole_only_in_a_full_report(run):
    card = msgspec.structs.replace(run.card, labelling_rules="rule one.\n  rule two. " + "x" * 300)
    short, full = (
        next(
            row[1]
            for row in lines(outline(changed(run, card=card), is_full=each).sections[-1].parts)
            if row[0] == "labelling rules"
        )
        for each in (False, True)
    )
    assert full == "rule one. rule two. " + "x" * 300
    assert short.startswith("rule one. rule two. x")
    assert short.endswith("…")
