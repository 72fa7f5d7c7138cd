import html
import re

import pytest
from markdown_it import MarkdownIt

from ragassay.reports.markdown import code_span, escape, table_lines
from ragassay.reports.outline import Column, Span, Table, code

TEXTS = [
    "plain words, nothing else.",
    "Каков момент затяжки болта М12 — 80 Н·м?",
    "a | b || c",
    "`one` ``two`` ```three",
    "*b* _i_ ~~s~~ <b>&amp; [l](http://x) ![i](x) #1 @me $x$ a^b x=y {z} \\",
    "https://evil.example www.evil.example me@evil.example",
    "`",
    "\\|",
]


def render(text):
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)


def text_of(page):
    return html.unescape(re.sub("<[^>]+>", "", page)).replace("\u200b", "").strip()


@pytest.mark.parametrize("text", TEXTS)
def test_escaped_text_renders_as_itself(text):
    page = render(f"x {escape(text)}")
    assert text_of(page) == f"x {text}"
    assert set(re.findall(r"<(\w+)", page)) == {"p"}


@pytest.mark.parametrize("text", [text for text in TEXTS if "|" not in text])
def test_code_renders_as_itself(text):
    page = render(f"x {code_span(text)}")
    assert text_of(page) == f"x {text}"
    assert set(re.findall(r"<(\w+)", page)) == {"p", "code"}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("make", [Span, code])
def test_a_table_keeps_its_cells(text, make):
    table = Table("t", (Column("a"), Column("b", "right")), ((make(text), Span("last")),))
    cells = re.findall("<td.*?>(.*?)</td>", render("\n".join(table_lines(table))), re.DOTALL)
    assert len(cells) == 2
    assert cells[1] == "last"


@pytest.mark.parametrize(
    "text", ["@octocat", "mail me@example.org", "owner/repo#12", "WWW.example.org", "https://x.org"]
)
def test_nothing_is_left_for_a_forge_to_link(text):
    """Forges look for mentions, numbers and addresses in the text of the rendered page."""
    page = html.unescape(render(escape(text)))
    assert not re.search(r"[@#]\w|www\.", page, re.IGNORECASE)
    assert "s://" not in escape(text)


def test_emphasis_marks_what_matters_and_nothing_empty():
    table = Table("", (Column("a"), Column("b")), ((Span("5", "bad"), Span("", "strong")),))
    assert table_lines(table)[-1] == "| **5** |  |"


def test_control_characters_become_visible():
    assert escape("a\x1b[31m\nb\u202e") == r"a\\x1b\[31m\\nb\\u202e"
