"""A report as Markdown, for a pull request or a file. Data cannot become a link, a mention, markup or HTML."""

import re

from ragassay.records import Run
from ragassay.records.verdict import Verdict
from ragassay.reports.contents import outline
from ragassay.reports.figures import plural, seconds
from ragassay.reports.outline import Bars, Distribution, Forest, Paragraph, Part, Section, Span, Table, forest_table
from ragassay.text.normalise import visible

_PUNCTUATION = re.compile(r"([\\`*_{}\[\]<>|#~&@$!^=]|:(?=\S))")
_LIVE = re.compile(r"(?<=[@#])(?=\w)|(?<=\bwww)(?=\.)", re.IGNORECASE)
_BREAK = "&#8203;"
BAR = 24


def render_markdown(run: Run, verdict: Verdict | None = None) -> str:
    """The short report of a run, the same values as on a terminal."""
    report = outline(run, is_full=False, verdict=verdict)
    lines = [f"# {escape(report.title)}", "", escape(report.subtitle), ""]
    for paragraph in report.headline:
        lines += [_paragraph(paragraph), ""]
    for section in report.sections:
        lines += [*section_lines(section)]
    return "\n".join(lines).rstrip() + "\n"


def section_lines(section: Section) -> list[str]:
    lines = [f"## {escape(section.title)}", ""]
    for part in section.parts:
        lines += [*_part(part), ""]
    return lines


def _part(part: Part) -> list[str]:
    match part:
        case Paragraph():
            return [_paragraph(part)]
        case Table():
            return table_lines(part)
        case Forest():
            return [*table_lines(forest_table(part)), *(["", escape(part.note)] if part.note else [])]
        case Bars():
            return _bars(part)
        case Distribution():
            return [_distribution(part)]


def _distribution(part: Distribution) -> str:
    stages = [
        f"{escape(stage.name)}, {plural(len(stage.seconds), 'answer', 'answers')}, up to {seconds(stage.seconds[-1])}"
        for stage in part.stages
    ]
    return f"{escape(part.title)}: {'; '.join(stages)}"


def escape(text: str) -> str:
    """Text that renders as itself: one line, nothing in it is markup, a link, a mention or an issue number."""
    pieces = _LIVE.split(visible(text))
    return _BREAK.join(_PUNCTUATION.sub(r"\\\1", piece) for piece in pieces)


def code_span(text: str) -> str:
    """Text between backticks, one more of them than any run inside; pipes are escaped, as tables demand."""
    shown = visible(text).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", shown)), default=0))
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}" if shown.strip() else ""


def _span(span: Span) -> str:
    if span.face == "code":
        return code_span(span.text)
    text = escape(span.text.strip())
    return f"**{text}**" if text and span.tone in ("strong", "bad") else text


def _paragraph(paragraph: Paragraph) -> str:
    return " ".join(_span(span) for span in paragraph.spans)


def table_lines(table: Table) -> list[str]:
    title = [f"**{escape(table.title)}**", ""] if table.title else []
    head = _row([escape(column.name) for column in table.columns])
    rule = _row(["---:" if column.align == "right" else "---" for column in table.columns])
    return [*title, head, rule, *(_row([_span(span) for span in row]) for row in table.rows)]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _bars(part: Bars) -> list[str]:
    top = max((count for _, count in part.bars), default=0)
    lines = [_row(["rank", "needs", ""]), _row(["---:", "---:", "---"])]
    for label, count in part.bars:
        length = max(1, round(count / top * BAR)) if count else 0
        lines.append(_row([escape(label), f"{count:,}", "█" * length]))
    return [f"**{escape(part.title)}**", "", *lines]
