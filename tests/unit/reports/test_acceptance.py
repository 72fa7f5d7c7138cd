"""The acceptance report for people and for programs; whatever data holds, it stays data."""

import io
import json
import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace
from rich.console import Console

from ragassay.acceptance import Presented, accept
from ragassay.records.acceptance import Check
from ragassay.reports.acceptance import (
    acceptance_html,
    acceptance_json,
    acceptance_markdown,
    href,
    render_acceptance,
)

HOSTILE = (
    "</p><script>alert(1)</script> [x](https://evil.example) @octocat {{ 7*7 }} [bold]b[/bold] \x1b[5mred a\u202eb"
)


@pytest.fixture(scope="module")
def acceptance(evaluation):
    observed = evaluation.observed
    parts = {"run": evaluation.run, "matrices": evaluation.matrices, "fractions": evaluation.fractions}
    return accept(Presented(**parts, queries=observed.queries, answers=observed.answers))


@pytest.fixture(scope="module")
def hostile(acceptance):
    check = Check(
        name="x", states="s", outcome="not_met", found=HOSTILE, needed=HOSTILE, links=(f"run.json#/{HOSTILE}",)
    )
    first = replace(acceptance.controls[0], checks=(check,), outcome="not_met")
    controls = (first, *acceptance.controls[1:])
    return replace(acceptance, title=HOSTILE, system=HOSTILE, unknowns=(HOSTILE,), controls=controls)


def printed(acceptance, width=80):
    stream = io.StringIO()
    render_acceptance(acceptance, Console(file=stream, width=width, highlight=False, emoji=False))
    return stream.getvalue()


class Page(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.links = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]


def test_every_face_says_every_check_and_its_outcome(acceptance):
    page, text, words = acceptance_html(acceptance), acceptance_markdown(acceptance), printed(acceptance, 400)
    for control in acceptance.controls:
        for check in control.checks:
            assert check.states in page.replace("&#39;", "'")
            assert check.states in words
            assert check.states in text
    assert json.loads(acceptance_json(acceptance))["outcome"] == acceptance.outcome


def test_it_is_readable_at_eighty_columns(acceptance, hostile):
    for each in (acceptance, hostile):
        assert max(map(len, printed(each).splitlines())) <= 80


def test_the_page_works_alone_and_links_stay_inside_the_folder(acceptance, hostile):
    for each in (acceptance, hostile):
        page = acceptance_html(each)
        assert "default-src 'none'" in page
        assert "script" not in Page(page).tags
        assert "img" not in Page(page).tags
        assert all(link.startswith(("./", "#")) for link in Page(page).links)
        assert len(Page(page).links) > 6


@pytest.mark.parametrize("link", ["javascript:alert(1)", "//evil.example", "https://evil.example", 'x" onclick="y'])
def test_no_link_names_another_place(link):
    assert re.fullmatch(r"\./[\w/#@=().~%-]*", href(link))


def test_data_is_neither_markup_nor_control(hostile):
    page, words = acceptance_html(hostile), printed(hostile)
    assert "{{ 7*7 }}" in page
    for text in (page, words):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "[bold]b[/bold]" in re.sub(r"\s+", " ", words)
    html = MarkdownIt("commonmark").enable(["table"]).render(acceptance_markdown(hostile))
    assert "<script" not in html
    assert "href" not in html


def test_the_map_claims_no_conformity(acceptance):
    for text in (acceptance_html(acceptance), acceptance_markdown(acceptance), printed(acceptance, 400)):
        assert "claim no conformity" in text
        assert "MEASURE 2.13" in text
        assert "A.6.2.4" in text


def test_it_is_the_same_for_the_same_evidence(acceptance):
    assert acceptance_html(acceptance) == acceptance_html(acceptance)
    assert acceptance_json(acceptance) == acceptance_json(acceptance)
