"""A claim beside a passage, made ready for rules and features."""

from typing import NamedTuple

from ragassay.judges.embedded.analysis import Analysis
from ragassay.judges.embedded.evidence import Evidence, evidence
from ragassay.judges.embedded.quantities import within
from ragassay.judges.embedded.words import Word
from ragassay.text.sentences import Span


class Pairing(NamedTuple):
    """`own` are the words of the claim but for amounts and dates that the passage carries in whatever notation.

    `reworded` is the claim with these in the passage's own notation: models read figures, not amounts.
    """

    claim: Analysis
    passage: Analysis
    evidence: Evidence
    own: tuple[Word, ...]
    reworded: str


def pairing(claim: Analysis, passage: Analysis) -> Pairing:
    carried = _carried(claim, passage)
    own = (word for word in claim.words if not any(own.start <= word.start < own.end for own, _ in carried))
    return Pairing(claim, passage, evidence(claim, passage), tuple(own), _reworded(claim.text, passage.text, carried))


def _carried(claim: Analysis, passage: Analysis) -> list[tuple[Span, Span | None]]:
    """Spans of the claim's amounts and dates that the passage carries, each with the span of the same thing there.

    None beside a bound or range: the passage carries it without saying the same.
    """
    found: list[tuple[Span, Span | None]] = []
    for amount in claim.quantities:
        bearer = next((other for other in passage.amounts if within(amount, other)), None)
        if bearer is not None:
            is_like = (amount.dimension, amount.per) == (bearer.dimension, bearer.per)
            is_same = amount.is_exact and bearer.is_exact and is_like
            found.append((amount.span, bearer.span if is_same else None))
    for date in claim.dates:
        bearer = next((other for other in passage.dates if other.says(date, passage.years)), None)
        if bearer is not None:
            found.append((date.span, bearer.span))
    return found


def _reworded(claim: str, passage: str, carried: list[tuple[Span, Span | None]]) -> str:
    for own, there in sorted(carried, key=lambda pair: -pair[0].start):
        if there is not None:
            claim = f"{claim[: own.start]}{passage[there.start : there.end]}{claim[own.end :]}"
    return claim
