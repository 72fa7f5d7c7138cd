"""Everything that a data file holds may be an attack on whoever reads the report."""

import io
import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import msgspec
import polars as pl
import pytest
from golden.reports.example import bundle
from markdown_it import MarkdownIt
from rich.console import Console

from ragassay.records import Estimate, Fault, Run
from ragassay.reports.document import render_json
from ragassay.reports.explain import explanation, render_explanation
from ragassay.reports.faults import faults_json, render_faults
from ragassay.reports.html import render_html
from ragassay.reports.markdown import render_markdown
from ragassay.reports.notebook import RunView
from ragassay.reports.terminal import render_beside, render_terminal
from ragassay.runner import Settings, measure

PAYLOADS = {
    "script": "<script>alert(1)</script>",
    "image": "\"'><img src=x onerror=alert(1)>",
    "svg": "</title></text></svg><svg onload=alert(1)>",
    "template": "{{ 7*7 }}{% raw %}${7*7}",
    "colour": "\x1b[5;45mred\x1b[0m",
    "terminal link": "\x1b]8;;https://evil.example\x07click\x1b]8;;\x07",
    "single byte": "\x9b5;45m\x07\x08\x7f",
    "bidi": "abc\u202egnp.exe\u202c\u2066x\u2069",
    "invisible": "a\u200bb\ufeffc\u2028d",
    "rich": "[bold red]loud[/bold red] [link=https://evil.example]here[/link] :smile:",
    "markdown": "[x](https://evil.example) ![y](https://evil.example/p.png) **b** | `c` ``d``",
    "mention": "@octocat #12 https://evil.example www.evil.example",
    "lines": "one\n\n# heading\n```\nfence\n```\r\n| a | b |",
}
FIXED = {"aggregation", "unit", "ties", "as_of"}
ALLOWED_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "section", "nav", "figure", "figcaption"),
    *("p", "h1", "h2", "a", "bdi", "span", "code", "div", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("details", "summary", "svg", "rect", "line", "circle", "polygon", "text"),
}


def hostile(value, payload, path=()):
    """A run with the payload in every field. Fields of records keep their names, keys of tables do not."""
    if isinstance(value, str):
        return value if path[-1] in FIXED else value + payload
    if isinstance(value, list):
        return [hostile(each, payload, path) for each in value]
    if isinstance(value, dict):
        tables = {"undefined", "excluded", "origins", "latencies", "not_shown", "slices", "beside", "citation_faults"}
        is_table = path[-1:] and (path[-1] in tables or path[-1] == "refusals" or path[-2:-1] == ("refusals",))
        return {
            f"{key}{payload}" if is_table else key: hostile(each, payload, (*path, key)) for key, each in value.items()
        }
    return value


def poisoned_run(run, payload):
    raw = msgspec.to_builtins(run)
    poisoned = msgspec.convert(hostile(raw, payload), Run)
    strange = Estimate(**{**msgspec.structs.asdict(run.summary.metrics["recall@5"]), "undefined": {payload: 1}})
    metrics = {**run.summary.metrics, f"strange{payload}": strange}
    summary = msgspec.structs.replace(poisoned.summary, metrics=metrics)
    return msgspec.structs.replace(poisoned, summary=summary)


@pytest.fixture(scope="module", params=PAYLOADS.values(), ids=PAYLOADS.keys())
def payload(request):
    return request.param


@pytest.fixture(scope="module")
def victim(run, payload):
    return poisoned_run(run, payload)


def page(render, **options):
    output = io.StringIO()
    render(Console(file=output, width=4000, highlight=False, **options))
    return output.getvalue()


def is_dangerous(character):
    return character != "\n" and not character.isprintable()


def assert_plain(text):
    assert not {character for character in text if is_dangerous(character)}


def test_the_poison_reaches_every_part_of_the_report(run):
    text = page(lambda console: render_terminal(poisoned_run(run, "~P~"), console))
    assert text.count("~P~") > 80
    assert page(lambda console: render_terminal(run, console)).count("~P~") == 0


def test_a_terminal_obeys_nothing_that_data_says(victim, payload):
    text = page(lambda console: render_terminal(victim, console))
    assert_plain(text)
    for literal in ("[bold red]loud[/bold red]", ":smile:"):
        if literal in payload:
            assert literal in text


def test_a_colour_terminal_obeys_only_our_colours(victim):
    text = page(lambda console: render_terminal(victim, console), force_terminal=True, color_system="standard")
    assert_plain(re.sub(r"\x1b\[[0-9;]*m", "", text))
    assert "\x1b[5;45m" not in text


def test_side_by_side_is_as_safe(victim, payload):
    assert_plain(page(lambda console: render_beside({f"one{payload}": victim, "two": victim}, console)))


class Tags(HTMLParser):
    """The tags and attributes that a browser would see, and whether every tag is closed."""

    VOID = ("meta", "rect", "line", "circle", "polygon")

    def __init__(self):
        super().__init__()
        self.seen, self.attributes, self.open = set(), [], []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def read_html(text):
    tags = Tags()
    tags.feed(text)
    tags.close()
    assert tags.open == []
    return tags


def test_html_holds_only_our_own_elements(victim):
    text = render_html(victim)
    tags = read_html(text)
    assert tags.seen <= ALLOWED_TAGS
    names = {name for name, _ in tags.attributes}
    assert not {name for name in names if name.startswith("on") or name in {"src", "style", "srcset"}}
    assert all(value.startswith("#s") for name, value in tags.attributes if name == "href")
    assert_plain(text)


def test_markdown_renders_as_text(victim):
    text = render_markdown(victim)
    assert_plain(text)
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    seen = read_html(re.sub(r"<(br|hr|img)[^>]*>", "", html)).seen
    assert seen <= {"h1", "h2", "p", "strong", "code", "table", "thead", "tbody", "tr", "th", "td"}
    assert "<img" not in html
    assert not re.search(r"[@#]\w", re.sub(r"<code>.*?</code>", "", html).replace("&#", ""))


def test_tables_of_markdown_keep_their_columns(run, victim):
    def widths(text):
        html = MarkdownIt("commonmark").enable("table").render(text)
        return [len(re.findall("<t[hd]", row)) for row in re.findall("<tr>.*?</tr>", html, re.DOTALL)]

    assert set(widths(render_markdown(victim))) == set(widths(render_markdown(run)))


def test_json_stays_json(victim, fractions, payload):
    document = json.loads(render_json(victim, fractions.with_columns(pl.col("query") + payload)))
    assert document["card"]["dataset"].endswith(payload)


def test_a_notebook_shows_text(victim, fractions):
    view = RunView(SimpleNamespace(run=victim, fractions=fractions, matrices=None))
    assert read_html(view._repr_html_()).seen == {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert_plain(repr(view))


def test_an_explanation_is_safe(payload):
    observed = hostile_bundle(payload)
    measured = measure(observed, Settings(resamples=10))
    query = observed.queries[0].id
    known = explanation(
        query, measured.matrices, measured.fractions, observed.queries, observed.answers, measured.run.findings
    )
    assert_plain(page(lambda console: render_explanation(known, console)))


def hostile_bundle(payload):
    """The example's queries and answers with the payload wherever a file may hold text."""
    words = {
        "id",
        "query",
        "document",
        "passage",
        "question",
        "answer",
        "text",
        "marker",
        "reference",
        "source",
        "error",
    }

    def spread(value, key=""):
        if isinstance(value, str):
            return value + payload if key in words else value
        if isinstance(value, dict):
            return {name: spread(each, name) for name, each in value.items()}
        return [spread(each, key) for each in value] if isinstance(value, list) else value

    plain = bundle()
    return msgspec.convert(spread(msgspec.to_builtins(plain)), type(plain))


def test_faults_are_shown_as_text(payload):
    fault = Fault(**dict.fromkeys(("code", "message", "file", "field", "value", "expected", "remedy"), payload))
    assert_plain(page(lambda console: render_faults([fault], console)))
    assert json.loads(faults_json([fault]))["errors"][0]["value"] == payload
