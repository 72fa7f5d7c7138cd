"""A verdict in one sentence and as a table: every gate with its number, and what a reader of the policy must know."""

from collections import Counter

from ragassay.records import Gate, GateResult
from ragassay.records.verdict import Verdict
from ragassay.reports.figures import plural, words
from ragassay.reports.outline import Column, Paragraph, Part, Section, Span, Table, Tone, code, said

NAMED = 3
"""How many queries stand beside a gate; JSON has more."""

TONES: dict[str, Tone] = {"passed": "good", "breached": "bad", "undecided": "strong", "not_evaluated": "muted"}
SIGNS = {"passed": "●", "breached": "▼", "undecided": "○", "not_evaluated": "–"}
ORDER = ("breached", "undecided", "passed", "not_evaluated")
MARKS = {
    "uncorrected_judge": "rests on a judge that no human label corrects",
    "screening_judge": "rests on a judge that only screens",
    "few_labels": "fewer than 100 queries are labelled in full, too few to correct the judge",
    "labels_not_at_random": "the labelled queries are not a random part of all, so that they cannot correct the judge",
}


def sentence(verdict: Verdict) -> Paragraph:
    """The outcome, and the gate that decided it with its number."""
    worst = min(verdict.gates, key=lambda result: ORDER.index(result.outcome), default=None)
    if worst is None:
        why = "nothing was gated"
    elif verdict.outcome == "passed":
        why = plural(len(verdict.gates), "gate", "gates")
    else:
        counts = Counter(result.outcome for result in verdict.gates)
        of_all = f"{counts[worst.outcome]:,} of {plural(len(verdict.gates), 'gate', 'gates')}"
        why = f"{of_all}; {name(worst.gate)}: {worst.message}"
    return said(f"{verdict.outcome.capitalize()}: {why}.", TONES[verdict.outcome])


def name(gate: Gate) -> str:
    """`recall@10 on language=ru, against the baseline`."""
    on = f" on {gate.slice}" if gate.slice else ""
    return f"{gate.metric}{on}{', against the baseline' if gate.no_worse_by is not None else ''}"


def verdict_section(verdict: Verdict) -> Section:
    """Every gate, breached ones first, then what a reader must know about the policy."""
    results = sorted(verdict.gates, key=lambda result: ORDER.index(result.outcome))
    columns = (Column(""), Column("gate"), Column("what decided"), Column("look at"))
    parts: list[Part] = [Table("", columns, tuple(_row(result) for result in results))] if results else []
    marks = Counter(mark for result in results for mark in result.marks)
    parts += [
        said(f"{plural(n, 'gate', 'gates')}: {MARKS.get(mark, words(mark))}.", "strong") for mark, n in marks.items()
    ]
    parts += [said(f"{flag[:1].upper()}{flag[1:]}.", "strong") for flag in verdict.flags]
    beside = f", baseline {verdict.baseline}" if verdict.baseline else ""
    parts.append(said(f"Policy {verdict.policy} ({verdict.policy_hash}), run {verdict.run}{beside}.", "muted"))
    return Section("Verdict", tuple(parts))


def _row(result: GateResult) -> tuple[Span, ...]:
    tone = TONES[result.outcome]
    reason = f" ({words(result.reason)})" if result.reason and result.outcome == "undecided" else ""
    rest = len(result.queries) - NAMED
    more = f" +{rest:,}" if rest > 0 else ""
    return (
        Span(f"{SIGNS[result.outcome]} {words(result.outcome)}", tone),
        Span(name(result.gate)),
        Span(result.message + reason),
        code(", ".join(result.queries[:NAMED]) + more),
    )
