"""Claims beside the evidence nearest to them."""

from collections.abc import Sequence

from ragassay.records import ClaimFinding, Run
from ragassay.reports.figures import excerpt, percent, plural, words
from ragassay.reports.outline import Column, Paragraph, Part, Span, Table, Tone, code, said

SHORT = 8
"""How many unsupported claims a short report shows."""

MARKS: dict[str, tuple[str, Tone]] = {
    "supported": ("✓ supported", "good"),
    "contradicted": ("✗ contradicted", "bad"),
    "unverified": ("? unverified", "plain"),
    "errored": ("! not judged", "plain"),
}


def unsupported_part(run: Run, *, is_full: bool) -> tuple[Part, ...]:
    """The answer claims that the context does not support, each with its nearest evidence, worst first."""
    findings = run.findings
    if not findings.unsupported_count:
        return ()
    shown = findings.unsupported if is_full else findings.unsupported[:SHORT]
    columns = (Column("verdict"), Column("query"), Column("claim"), Column("nearest evidence"))
    title = f"Unsupported claims: {findings.unsupported_count:,}, worst first"
    rest = findings.unsupported_count - len(shown)
    more = (said(f"{plural(rest, 'more claim', 'more claims')} in the matrices.", "muted"),) if rest else ()
    return (Table(title, columns, tuple(_row(each) for each in shown)), *more)


def _row(claim: ClaimFinding) -> tuple[Span, ...]:
    mark, tone = verdict(claim)
    return Span(mark, tone), code(claim.query), Span(excerpt(claim.text)), Span(_evidence(claim), "muted")


def verdict(claim: ClaimFinding) -> tuple[str, Tone]:
    """The verdict in words. A disputed one is for people to decide."""
    mark, tone = MARKS[claim.verdict]
    return (f"{mark}, disputed", tone) if claim.disputed else (mark, tone)


def _evidence(claim: ClaimFinding) -> str:
    """`reason · passage: “quote”`, as far as each part is known."""
    source = f"{claim.passage}: " if claim.passage is not None else ""
    quote = f"{source}“{excerpt(claim.quote)}”" if claim.quote else source.removesuffix(": ")
    reason = words(claim.reason) if claim.reason else ""
    return " · ".join(part for part in (reason, quote) if part) or "nothing in the context"


def claim_parts(claims: Sequence[ClaimFinding], texts: Sequence[str | None]) -> tuple[Part, ...]:
    """Every claim beside the passage that decides it, the quote marked. `texts` are those of the context, in order."""
    return tuple(part for claim in claims for part in _claim(claim, texts))


def _claim(claim: ClaimFinding, texts: Sequence[str | None]) -> list[Part]:
    mark, tone = verdict(claim)
    likely = "" if claim.probability is None else f" · support {percent(claim.probability)}"
    source = "" if claim.passage is None else f" · {claim.passage}"
    also = "" if claim.second is None else f" with passage {claim.second} of the context"
    head = Paragraph((Span(mark, tone), Span(f"  {claim.side}: ", "muted"), Span(claim.text, "strong")))
    parts: list[Part] = [head, Paragraph((Span(f"{_why(claim)}{source}{also}{likely}", "muted"),), indent=5)]
    if claim.position is not None and claim.position <= len(texts) and (text := texts[claim.position - 1]):
        parts.append(Paragraph(_marked(text, claim.quote), indent=5))
    return parts


def _why(claim: ClaimFinding) -> str:
    return words(claim.reason) if claim.reason else "its nearest evidence"


def _marked(text: str, quote: str | None) -> tuple[Span, ...]:
    """The passage with the quote set between marks; the whole text where it is not found."""
    at = text.find(quote) if quote else -1
    if quote is None or at < 0:
        return (Span(excerpt(text), "muted"),)
    before, after = text[:at], text[at + len(quote) :]
    return Span(_tail(before), "muted"), Span(f"»{quote}«", "strong"), Span(excerpt(after), "muted")


AROUND = 80
"""Characters of a passage shown before a quote."""


def _tail(text: str) -> str:
    return text if len(text) <= AROUND else f"…{text[-AROUND:]}"
