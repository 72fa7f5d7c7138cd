"""A claim beside a passage, made ready for rules and features."""

from typing import NamedTuple

from ragassay.judges.embedded.analysis import Analysis
from ragassay.judges.embedded.evidence import Evidence, evidence
from ragassay.judges.embedded.quantities import Quantity, within
from ragassay.judges.embedded.words import Word


class Pairing(NamedTuple):
    """`own` are the words of the claim but for amounts and dates that the passage carries in whatever notation."""

    claim: Analysis
    passage: Analysis
    evidence: Evidence
    own: tuple[Word, ...]


def pairing(claim: Analysis, passage: Analysis) -> Pairing:
    return Pairing(claim, passage, evidence(claim, passage), _unsettled(claim, passage))


def amounts_of(passage: Analysis) -> list[Quantity]:
    """Its quantities, and the years of its dates."""
    dated = [(date.year, date.span) for date in passage.dates if date.year is not None]
    return [*passage.quantities, *(Quantity(float(y), float(y), "", float(y), span) for y, span in dated)]


def years_of(passage: Analysis) -> set[int]:
    """Every figure that may be the year of a date without one."""
    return {int(amount.figure) for amount in amounts_of(passage)}


def _unsettled(claim: Analysis, passage: Analysis) -> tuple[Word, ...]:
    given, years = amounts_of(passage), years_of(passage)
    spans = [amount.span for amount in claim.quantities if any(within(amount, other) for other in given)]
    spans += [date.span for date in claim.dates if any(other.says(date, years) for other in passage.dates)]
    return tuple(word for word in claim.words if not any(s.start <= word.start < s.end for s in spans))
