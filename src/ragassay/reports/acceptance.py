"""The acceptance report: on a terminal, as Markdown, as one HTML file, as JSON."""

from collections import Counter
from typing import NamedTuple
from urllib.parse import quote

import msgspec
from rich.console import Console

from ragassay.records.acceptance import Acceptance, Check, Control, Shown
from ragassay.reports.html import environment
from ragassay.reports.markdown import escape, section_lines
from ragassay.reports.outline import Column, Outline, Paragraph, Section, Span, Table, Tone, code, said
from ragassay.reports.terminal import print_outline

WORDS: dict[Shown, str] = {"met": "met", "not_met": "not met", "not_shown": "not shown"}
SIGNS: dict[Shown, str] = {"met": "●", "not_met": "▼", "not_shown": "○"}
TONES: dict[Shown, Tone] = {"met": "good", "not_met": "bad", "not_shown": "strong"}
SAFE = "/#@=()"
"""What stands in a link as itself, beside letters, digits and `_.-~`."""


class Face(NamedTuple):
    """An outcome as people see it."""

    word: str
    sign: str
    tone: Tone


def render_acceptance(acceptance: Acceptance, console: Console) -> None:
    """Print the report: every control with its checks, below each what was found and what is needed."""
    sections = (*(_listed(control) for control in acceptance.controls), *_rest(acceptance))
    print_outline(_outline(acceptance, sections), console)


def acceptance_markdown(acceptance: Acceptance) -> str:
    """The report with a table for each control. Nothing in it is markup that came from data."""
    report = _outline(acceptance, (*(_tabled(control) for control in acceptance.controls), *_rest(acceptance)))
    lines = [f"# {escape(report.title)}", "", escape(report.subtitle), ""]
    head = Section("In short", (*report.headline, _overview(acceptance)))
    for section in (head, *report.sections):
        lines += section_lines(section)
    return "\n".join(lines).rstrip() + "\n"


def acceptance_json(acceptance: Acceptance) -> bytes:
    """One strict JSON document."""
    return msgspec.json.format(msgspec.json.encode(acceptance, order="sorted"), indent=1)


def acceptance_html(acceptance: Acceptance) -> str:
    """One file: offline, without scripts, for screen and paper; links lead to files beside it."""
    template = environment().get_template("acceptance.html.j2")
    parts = {"frameworks": _frameworks(acceptance), "sentence": _sentence(acceptance), "face": face, "href": href}
    return template.render(report=_outline(acceptance, ()), acceptance=acceptance, **parts)


def face(outcome: Shown) -> Face:
    return Face(WORDS[outcome], SIGNS[outcome], TONES[outcome])


def href(link: str) -> str:
    """A link inside the run folder as an address relative to it: whatever it holds, it names no other place."""
    return "./" + quote(link, safe=SAFE)


def _outline(acceptance: Acceptance, sections: tuple[Section, ...]) -> Outline:
    beside = f", compared with run {acceptance.baseline}" if acceptance.baseline else ""
    return Outline(
        title=f"Acceptance of {acceptance.title}",
        subtitle=f"{acceptance.system or 'system not named'} · run {acceptance.run}{beside}",
        headline=(said(_sentence(acceptance), TONES[acceptance.outcome]),),
        sections=sections,
    )


def _sentence(acceptance: Acceptance) -> str:
    """The outcome, and the controls that stand in its way."""
    if acceptance.outcome == "met":
        return "Met: all six controls are shown."
    open_: tuple[Shown, ...] = ("not_met", "not_shown")
    named: list[tuple[Shown, list[str]]] = [
        (word, [each.name for each in acceptance.controls if each.outcome == word]) for word in open_
    ]
    sentence = "; ".join(f"{WORDS[word]}: {', '.join(names)}" for word, names in named if names)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _listed(control: Control) -> Section:
    """Checks below each other, for narrow places."""
    parts: list[Paragraph] = [said(control.asks, "muted")]
    for check in control.checks:
        parts.append(Paragraph((Span(f"{_signed(check.outcome)}  ", TONES[check.outcome]), Span(check.states))))
        parts.append(Paragraph((Span(check.found),), indent=4))
        if check.needed is not None:
            parts.append(Paragraph((Span(f"needed: {check.needed}", "muted"),), indent=4))
        if check.outcome != "met" and check.links:
            parts.append(Paragraph((Span("see ", "muted"), code(", ".join(check.links))), indent=4))
    return Section(_title(control), tuple(parts))


def _tabled(control: Control) -> Section:
    columns = (Column("outcome"), Column("what is asked"), Column("found"), Column("needed"), Column("see"))
    rows = tuple(_row(check) for check in control.checks)
    return Section(_title(control), (said(control.asks), Table("", columns, rows)))


def _row(check: Check) -> tuple[Span, ...]:
    return (
        Span(_signed(check.outcome), TONES[check.outcome]),
        Span(check.states),
        Span(check.found),
        Span(check.needed or ""),
        code(", ".join(check.links)),
    )


def _signed(outcome: Shown) -> str:
    return f"{SIGNS[outcome]} {WORDS[outcome]}"


def _title(control: Control) -> str:
    return f"{control.name.capitalize()}: {WORDS[control.outcome]}"


def _overview(acceptance: Acceptance) -> Table:
    heads = (Column("control"), Column("outcome"), *(Column(word, "right") for word in WORDS.values()))
    rows = tuple(
        (
            Span(control.name),
            Span(_signed(control.outcome), TONES[control.outcome]),
            *(Span(f"{Counter(check.outcome for check in control.checks)[outcome]:,}") for outcome in WORDS),
        )
        for control in acceptance.controls
    )
    return Table("", heads, rows)


def _rest(acceptance: Acceptance) -> tuple[Section, ...]:
    unknown = tuple(said(text) for text in acceptance.unknowns) or (said("Nothing was noticed."),)
    columns = (Column("framework"), Column("heading"), Column("asks, in our words"), Column("control"))
    rows = tuple(tuple(Span(cell) for cell in row) for row in _frameworks(acceptance))
    return (
        Section("What nobody measured, and what was noticed", unknown),
        Section("Where this evidence belongs", (said(acceptance.map_claims), Table("", columns, rows))),
        Section("What an approval binds to", (Paragraph((code(acceptance.content),)),)),
    )


def _frameworks(acceptance: Acceptance) -> list[tuple[str, str, str, str]]:
    """Framework, number, what it asks, the controls that speak to it; a heading once."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for control in acceptance.controls:
        for heading in control.headings:
            found.setdefault((heading.framework, heading.number, heading.about), []).append(control.name)
    return [(*heading, ", ".join(names)) for heading, names in sorted(found.items())]
