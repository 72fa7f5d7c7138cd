"""One query explained: what was asked, found, said and cited, its numbers, and what failed."""

from collections.abc import Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any

import polars as pl
from msgspec import Struct
from rich.console import Console

from ragassay.matrices import Matrices
from ragassay.matrices.retrieval import packed_results
from ragassay.metrics.citations import FAULTS as ADMISSIBILITY
from ragassay.metrics.citations import JUDGED_FAULTS
from ragassay.metrics.claims import claim_table
from ragassay.metrics.definition import Metric
from ragassay.metrics.dictionary import DICTIONARY
from ragassay.metrics.nearest import claim_findings, nearest
from ragassay.records import Answer, ClaimFinding, Errored, Failed, Findings, Measured, Measurement, Query, Undefined
from ragassay.reports.blocks import shown_cutoffs
from ragassay.reports.causes import NOTHING_FAILED, cause_lines
from ragassay.reports.claims import claim_parts
from ragassay.reports.document import unversioned
from ragassay.reports.figures import UNDEFINED, amount, cutoff, definition, excerpt, figure, words
from ragassay.reports.outline import Column, Paragraph, Part, Section, Span, Table, Tone, code, said
from ragassay.reports.terminal import print_section

FAULTS = (*ADMISSIBILITY, *JUDGED_FAULTS)


class Needed(Struct, frozen=True, kw_only=True):
    """One gold id. None is unknown."""

    need: str
    id: str
    grade: float
    in_force: bool | None
    readable: bool | None


class Found(Struct, frozen=True, kw_only=True):
    """One retrieved result; `rank` None where only scores exist, `grade` None where nobody judged it."""

    rank: int | None
    id: str | None
    passage: str | None
    revision: str | None
    score: float | None
    score_kind: str | None
    grade: float | None
    in_force: bool | None
    readable: bool | None
    is_packed: bool | None
    text: str | None


class Cited(Struct, frozen=True, kw_only=True):
    """One statement with its citation. `faults` are certain, `unknown` could not be checked."""

    statement: str | None
    marker: str | None
    source: str | None
    revision: str | None
    faults: tuple[str, ...]
    unknown: tuple[str, ...]
    supports: bool | None


class Explanation(Struct, frozen=True, kw_only=True):
    """Everything about one query in one run. `failure` says why it failed, `conditions` which conditions of a critical
    query did not hold.
    """

    query: str
    question: str | None
    groups: tuple[str, ...] | None
    as_of: date | None
    critical: bool
    excluded: str | None
    expected: str | None
    observed: str | None
    reference: str | None
    answer: str | None
    error: str | None
    needed: tuple[Needed, ...]
    found: tuple[Found, ...]
    packed: tuple[str, ...] | None
    citations: tuple[Cited, ...]
    claims: tuple[ClaimFinding, ...]
    context: tuple[str | None, ...]
    measurements: dict[str, Measurement]
    failure: Failed | None
    conditions: tuple[str, ...]


def explanation(
    query_id: str,
    matrices: Matrices,
    fractions: pl.DataFrame,
    queries: Sequence[Query],
    answers: Sequence[Answer],
    findings: Findings | None = None,
) -> Explanation:
    """Gather what a run knows about one query. Raises ValueError naming the nearest id where it holds no such query.

    Without `findings` nothing is said to have failed.
    """
    query = _query(query_id, queries)
    answer = next((each for each in answers if each.query == query_id), None)
    state, abstention = _rows(matrices.queries, query_id), _rows(matrices.abstention, query_id)
    return Explanation(
        query=query_id,
        question=query.question,
        groups=None if query.requester is None else query.requester.groups,
        as_of=state[0]["as_of"] if state else query.as_of,
        critical=query.critical,
        excluded=state[0]["excluded"] if state else None,
        expected=abstention[0]["expected"] if abstention else None,
        observed=abstention[0]["observed"] if abstention else None,
        reference=query.reference,
        answer=None if answer is None else answer.answer,
        error=state[0]["error"] if state else None,
        needed=tuple(
            Needed(**{name: row[name] for name in Needed.__struct_fields__}) for row in _rows(matrices.gold, query_id)
        ),
        found=_found(_rows(matrices.retrieval, query_id), answer),
        packed=None if answer is None else answer.packed,
        citations=tuple(_cited(row) for row in _rows(matrices.citations, query_id)),
        claims=_claims(matrices, query_id),
        context=() if answer is None else _context(answer, state[0]["context_size"] if state else None),
        measurements=_measurements(fractions, query_id),
        failure=None if findings is None else _failure(query_id, findings),
        conditions=() if findings is None else _conditions(query_id, findings),
    )


def _claims(matrices: Matrices, query_id: str) -> tuple[ClaimFinding, ...]:
    own = type(matrices)(*(frame.filter(pl.col("query") == query_id) for frame in matrices))
    return claim_findings(nearest(own, claim_table(own)))


def _context(answer: Answer, size: int | None) -> tuple[str | None, ...]:
    """The texts of the context in order."""
    results = packed_results(answer) if answer.packed is not None else list(answer.retrieved or ())
    return tuple(result.text for result in results[:size])


def _query(query_id: str, queries: Sequence[Query]) -> Query:
    for query in queries:
        if query.id == query_id:
            return query
    near = get_close_matches(query_id, [query.id for query in queries], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"the run holds no query {query_id!r}{hint}")


def _rows(frame: pl.DataFrame, query_id: str) -> list[dict[str, Any]]:
    return frame.filter(pl.col("query") == query_id).to_dicts()


def _found(rows: Sequence[dict[str, Any]], answer: Answer | None) -> tuple[Found, ...]:
    """The retrieved results by rank; without ranks by falling score."""
    packed = None if answer is None or answer.packed is None else set(answer.packed)
    retrieved = None if answer is None else answer.retrieved
    texts = {position: result.text for position, result in enumerate(retrieved or (), start=1)}
    found = [
        Found(
            text=texts.get(row["position"]),
            is_packed=None if packed is None else row["passage"] in packed,
            **{name: row[name] for name in Found.__struct_fields__ if name not in ("text", "is_packed")},
        )
        for row in rows
        if row["stage"] == "retrieved"
    ]
    return tuple(sorted(found, key=lambda each: (each.rank or 0, -(each.score or 0.0))))


def _cited(row: dict[str, Any]) -> Cited:
    return Cited(
        statement=row["text"],
        marker=row["marker"],
        source=row["passage"] if row["passage"] is not None else row["document"],
        revision=row["revision"],
        supports=row["supports"],
        faults=("missing",) if row["missing"] else tuple(fault for fault in FAULTS if row[fault]),
        unknown=() if row["missing"] else tuple(fault for fault in ADMISSIBILITY if row[fault] is None),
    )


def _measurements(fractions: pl.DataFrame, query_id: str) -> dict[str, Measurement]:
    found: dict[str, Measurement] = {}
    for row in _rows(fractions, query_id):
        if row["numerator"] is not None:
            measurement: Measurement = Measured(row["numerator"], row["denominator"])
        elif row["errored"] is not None:
            measurement = Errored(row["errored"])
        else:
            measurement = Undefined(row["undefined"])
        found[unversioned(row["metric"])] = measurement
    return found


def _failure(query_id: str, findings: Findings) -> Failed | None:
    return next((each for each in findings.failed if each.query == query_id), None)


def _conditions(query_id: str, findings: Findings) -> tuple[str, ...]:
    critical = next((each for each in findings.critical if each.query == query_id), None)
    if critical is None:
        return ()
    failed = [f"critical condition failed: {words(name)}" for name in critical.failed]
    return (*failed, *(f"critical condition not decided: {words(name)}" for name in critical.undecided))


def render_explanation(explanation: Explanation, console: Console) -> None:
    """Print everything about one query, what failed first."""
    for section in _sections(explanation):
        print_section(section, console)


def _sections(explanation: Explanation) -> tuple[Section, ...]:
    return (
        Section(f"Query {explanation.query}", _asked(explanation)),
        Section("What failed", _what_failed(explanation)),
        Section("Ranked passages", _passages(explanation)),
        Section("Answer", _said(explanation)),
        *([Section("Claims", claim_parts(explanation.claims, explanation.context))] if explanation.claims else []),
        Section("Citations", _citations(explanation)),
        Section("Its numbers", (_numbers(explanation),)),
    )


def _what_failed(explanation: Explanation) -> tuple[Part, ...]:
    causes = () if explanation.failure is None else cause_lines(explanation.failure)
    return (*causes, *(said(line, "bad") for line in explanation.conditions)) or (said(NOTHING_FAILED),)


def _asked(explanation: Explanation) -> tuple[Part, ...]:
    expected = {"answer": "an answer", "refuse": "a refusal"}.get(explanation.expected or "", "not labelled")
    groups = explanation.groups
    facts = {
        "question": explanation.question or "not recorded",
        "asked by": "access does not matter" if groups is None else ", ".join(groups) or "nobody's groups",
        "as of": "no date" if explanation.as_of is None else explanation.as_of.isoformat(),
        "expected": f"{expected}{', critical' if explanation.critical else ''}",
        "reference": explanation.reference or "none",
        "needed": "; ".join(_needed(each) for each in explanation.needed) or "nothing labelled",
    }
    if explanation.excluded is not None:
        facts["excluded"] = explanation.excluded
    rows = tuple((Span(name, "muted"), Span(text)) for name, text in facts.items())
    return (Table("", (Column(""), Column("")), rows),)


def _needed(needed: Needed) -> str:
    standing = [words_ for flag, words_ in _standing(needed.in_force, needed.readable) if flag is not True]
    return f"{needed.id} (grade {amount(needed.grade)}{''.join(f', {each}' for each in standing)})"


def _standing(in_force: bool | None, readable: bool | None) -> tuple[tuple[bool | None, str], ...]:
    return (
        (in_force, {True: "in force", False: "NOT in force", None: "in force unknown"}[in_force]),
        (readable, {True: "readable", False: "NOT readable", None: "access unknown"}[readable]),
    )


def _passages(explanation: Explanation) -> tuple[Part, ...]:
    if not explanation.found:
        return (said("Nothing was retrieved."),)
    lines = [line for found in explanation.found for line in _passage(found)]
    if explanation.packed is None:
        return (*lines, said("What entered the prompt was not recorded.", "muted"))
    return (*lines, Paragraph((Span("packed: ", "muted"), code(", ".join(explanation.packed) or "nothing"))))


def _passage(found: Found) -> list[Paragraph]:
    revision = f" rev {found.revision}" if found.revision is not None else ""
    grade = "unjudged" if found.grade is None else f"grade {amount(found.grade)}"
    standing = _standing(found.in_force, found.readable)
    relevant: Tone = "good" if found.grade is not None and found.grade > 0 else "muted"
    kind = f" {found.score_kind}" if found.score_kind not in (None, "unknown") else ""
    tail = [f"{amount(found.score)}{kind}"] if found.score is not None else []
    tail += ["packed"] if found.is_packed else []
    rank = "\u2013" if found.rank is None else f"{found.rank}"
    head = Paragraph(
        (
            Span(f"{rank:>3}  ", "strong"),
            code(f"{found.passage or found.id or 'no id'}{revision}"),
            Span("  "),
            Span(grade, relevant),
            *(Span(f" · {text}", "bad" if flag is False else "muted") for flag, text in standing),
            Span("".join(f" · {each}" for each in tail)),
        )
    )
    return [head, Paragraph((Span(excerpt(found.text), "muted"),), indent=5)] if found.text else [head]


def _said(explanation: Explanation) -> tuple[Part, ...]:
    observed = f"observed: {explanation.observed or 'not recorded'}"
    head = Paragraph((Span(observed, "strong"), Span(f" · {explanation.error}" if explanation.error else "")))
    return (head, *(said(line) for line in (explanation.answer or "").splitlines()))


def _citations(explanation: Explanation) -> tuple[Part, ...]:
    if not explanation.citations:
        return (said("No citation was recorded."),)
    columns = (Column("mark"), Column("source"), Column("standing"), Column("statement"))
    return (Table("", columns, tuple(_citation(each) for each in explanation.citations)),)


def _citation(cited: Cited) -> tuple[Span, ...]:
    revision = f" rev {cited.revision}" if cited.revision is not None else ""
    unknown = f"unknown: {', '.join(words(name) for name in cited.unknown)}" if cited.unknown else ""
    faults = ", ".join(words(fault) for fault in cited.faults)
    standing = "; ".join(part for part in (faults, unknown) if part) or _sound(cited)
    return (
        Span(cited.marker or "none", "plain" if cited.marker else "bad"),
        code(f"{cited.source or ''}{revision}"),
        Span(standing, "bad" if cited.faults else "plain"),
        Span(excerpt(cited.statement or "not tied to a statement"), "muted"),
    )


def _sound(cited: Cited) -> str:
    return {True: "supports", False: "does not support", None: "admissible"}[cited.supports]


def _numbers(explanation: Explanation) -> Table:
    """Measured metrics one by one, the others grouped by reason."""
    rows: list[tuple[Span, ...]] = []
    absent: dict[str, list[str]] = {}
    for name, measurement in _shown(explanation.measurements).items():
        match measurement:
            case Measured():
                fraction = f"{amount(measurement.numerator)} / {amount(measurement.denominator)}"
                rows.append((code(name), Span(_value(name, measurement), "strong"), Span(fraction)))
            case Undefined():
                absent.setdefault(words(measurement.reason), []).append(name)
            case Errored():
                absent.setdefault(f"errored: {words(measurement.error)}", []).append(name)
    rows += [(code(", ".join(names)), Span(UNDEFINED, "muted"), Span(reason)) for reason, names in absent.items()]
    columns = (Column("metric"), Column("value", "right"), Column("fraction, or why there is none"))
    return Table("", columns, tuple(rows))


def _shown(measurements: Mapping[str, Measurement]) -> dict[str, Measurement]:
    """At the cut-offs of a short report; the percentiles of one query are one number."""
    ks = shown_cutoffs([k for name in measurements if (k := cutoff(name)) is not None])
    shown: dict[str, Measurement] = {}
    for name, measurement in measurements.items():
        metric = definition(name)
        if cutoff(name) in (None, *ks):
            is_percentile = metric is not None and metric.aggregation == "percentile"
            shown[metric.name if metric is not None and is_percentile else name] = measurement
    return shown


def _value(name: str, measurement: Measured) -> str:
    """A fraction of 0 queries, such as money spent on a wrong answer, has no value of its own."""
    return figure(_definition(name), measurement.value) if measurement.denominator else UNDEFINED


def _definition(name: str) -> Metric | None:
    return definition(name) or DICTIONARY.get(name)
