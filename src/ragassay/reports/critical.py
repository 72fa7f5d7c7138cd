"""Critical queries, one by one."""

from ragassay.records import CriticalResult, Run
from ragassay.reports.blocks import measured, members
from ragassay.reports.figures import excerpt, words
from ragassay.reports.outline import Column, Part, Section, Span, Table, Tone, code, said

SHORT = 20
"""How many critical queries a short report shows as rows of their own; the rest are named by id."""

MARKS: dict[bool | None, tuple[str, Tone]] = {
    False: ("✗ failed", "bad"),
    None: ("? undecided", "plain"),
    True: ("✓ passed", "good"),
}


def critical_section(run: Run, *, is_full: bool) -> Section:
    results = run.findings.critical
    if not results:
        return Section("Critical queries", (said("No query is marked critical."),))
    shown = results if is_full else results[:SHORT]
    columns = (Column("verdict"), Column("query"), Column("why"), Column("question"))
    parts: list[Part] = [
        *measured(members(run, "critical", None), run.card.level),
        Table("", columns, tuple(_row(result, is_full=is_full) for result in shown)),
        *(said(line, "muted") for line in _rest(results[len(shown) :])),
    ]
    return Section("Critical queries", tuple(parts))


def _row(result: CriticalResult, *, is_full: bool) -> tuple[Span, ...]:
    mark, tone = MARKS[result.passed]
    question = result.question or ""
    shown = question if is_full else excerpt(question)
    return Span(mark, tone), code(result.query), Span(reason(result)), Span(shown)


def reason(result: CriticalResult) -> str:
    """Which conditions failed, and which nobody decided."""
    failed = ", ".join(failure(name) for name in result.failed)
    undecided = ", ".join(words(name) for name in result.undecided)
    parts = [failed, f"not decided: {undecided}" if undecided else ""]
    return "; ".join(part for part in parts if part)


def failure(condition: str) -> str:
    """What it means that a condition failed."""
    return FAILURES.get(condition, f"not {words(condition)}")


FAILURES = {
    "correct": "wrong answer or wrong refusal",
    "revisions_in_force": "revision not in force used",
    "citations_admissible": "inadmissible citation",
    "nothing_forbidden": "forbidden source used",
}


def _rest(results: tuple[CriticalResult, ...]) -> list[str]:
    lines: list[str] = []
    for passed, (mark, _) in MARKS.items():
        names = [result.query for result in results if result.passed is passed]
        if names:
            lines.append(f"{mark} also: {', '.join(names)}")
    return lines
