"""A verdict for people and for programs: on a terminal, for a pull request, as JSON."""

import msgspec
from rich.console import Console

from ragassay.records.verdict import Verdict
from ragassay.reports.gates import sentence, verdict_section
from ragassay.reports.markdown import section_lines
from ragassay.reports.terminal import print_section

LONGEST = 60_000
"""Characters of a comment; GitHub takes 65,536 and GitLab more."""


def render_verdict(verdict: Verdict, console: Console) -> None:
    """Print the verdict: the sentence and every gate."""
    section = verdict_section(verdict)
    print_section(section._replace(parts=(sentence(verdict), *section.parts)), console)


def verdict_markdown(verdict: Verdict) -> str:
    """A comment for a pull request: nothing in it is markup, a link or a mention that came from data; cut to a length
    that forges accept.
    """
    section = verdict_section(verdict)
    lines = section_lines(section._replace(parts=(sentence(verdict), *section.parts)))
    kept: list[str] = []
    size = 0
    for index, line in enumerate(lines):
        size += len(line) + 1
        if size > LONGEST:
            kept += ["", f"{len(lines) - index:,} more lines are in verdict.json beside the run."]
            break
        kept.append(line)
    return "\n".join(kept).rstrip() + "\n"


def verdict_json(verdict: Verdict) -> bytes:
    """One strict JSON document."""
    return msgspec.json.format(msgspec.json.encode(verdict, order="sorted"), indent=1)
