"""Why answers failed, as a report shows it."""

from io import StringIO

import msgspec
from rich.console import Console

from ragassay.causes import KINDS
from ragassay.records import Cause, Failed
from ragassay.reports.causes import by_cause, cause_lines, causes_section
from ragassay.reports.html import render_html
from ragassay.reports.markdown import render_markdown
from ragassay.reports.terminal import print_section


def failing(query, *names, detail=None):
    first, *others = (
        Cause(name=name, stage=KINDS[name].stage, group=KINDS[name].group, detail=detail) for name in names
    )
    return Failed(query=query, cause=first, others=tuple(others))


def with_failed(run, *failed):
    return msgspec.structs.replace(run, findings=msgspec.structs.replace(run.findings, failed=failed))


def shown(run, *, is_full=False):
    page = StringIO()
    print_section(causes_section(run, is_full=is_full), Console(file=page, width=80, no_color=True, highlight=False))
    return page.getvalue()


def rows(section, title):
    table = next(part for part in section.parts if getattr(part, "title", "").startswith(title))
    return [[span.text for span in row] for row in table.rows]


FAILED = (
    failing("q9", "not_retrieved", "false_refusal"),
    failing("q1", "misled_by_noise", detail="d1#2: It is 70."),
    failing("q2", "not_retrieved"),
    failing("q3", "false_refusal"),
    failing("q4", "citation_missing"),
)


def test_causes_stand_in_their_groups_with_the_stage_to_mend(run):
    section = causes_section(with_failed(run, *FAILED), is_full=False)
    titles = [part.title for part in section.parts if hasattr(part, "title")]
    assert titles == ["Found nothing: 2", "Found too much: 1", "Found it and still missed: 1", "Other: 1"]
    assert rows(section, "Found nothing") == [["2", "0", "not retrieved", "embedder", "q9, q2"]]
    assert rows(section, "Found it") == [["1", "1", "false refusal", "prompt, refusal policy", "q3"]]


def test_a_cause_that_is_never_the_first_is_shown_all_the_same(run):
    section = causes_section(with_failed(run, failing("q5", "not_retrieved", "citation_dangling")), is_full=False)
    assert rows(section, "Other: 0") == [["0", "1", "citation dangling", "citation step", "q5"]]


def test_many_queries_are_named_and_counted(run):
    many = with_failed(run, *(failing(f"q{number:03}", "incomplete") for number in range(300)))
    short, full = (causes_section(many, is_full=each) for each in (False, True))
    assert rows(short, "Found it")[0][-1] == "q000, q001, q002, q003, q004, q005 +294"
    assert rows(full, "Found it")[0][4].endswith("q199 +100")
    assert len(rows(full, "The first 200")) == 200


def test_a_full_report_lists_which_passage_it_was(run):
    section = causes_section(with_failed(run, *FAILED), is_full=True)
    assert ["q1", "misled by noise", "d1#2: It is 70.", ""] in rows(section, "The first 5")
    assert ["q9", "not retrieved", "", "false refusal"] in rows(section, "The first 5")


def test_it_fits_eighty_columns_and_says_when_nothing_failed(run):
    text = shown(with_failed(run, *FAILED))
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "Nothing failed as far as can be told." in shown(with_failed(run))


def test_what_comes_from_data_is_escaped_everywhere(run):
    hostile = with_failed(run, failing("<b>q|1</b>", "misled_by_noise", detail="<script>alert(1)</script> | `x`\n# no"))
    page = render_html(hostile)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "<script>alert" not in render_markdown(hostile)


def test_a_cause_of_another_version_is_shown_by_its_name(run):
    strange = Failed(query="q1", cause=Cause(name="bad_weather", stage="sky", group="other"))
    assert "bad weather" in shown(with_failed(run, strange, *FAILED))
    assert list(by_cause([strange, *FAILED]))[-1] == "bad_weather"


def test_one_query_says_its_primary_cause_first():
    first, second = cause_lines(failing("q9", "not_retrieved", "false_refusal", detail="TI-204"))
    assert "".join(span.text for span in first.spans) == (
        "not retrieved: a source that is needed was not found \u2013 TI-204 \u00b7 mend: embedder"
    )
    assert "".join(span.text for span in second.spans).startswith("also false refusal: ")
