"""Amounts that a text does not write but means: "two of five" is 40 %, 20 hours is eight in the evening, 96 less 24."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from ragassay.judges.embedded.quantities import Quantity, same_dimension
from ragassay.text.sentences import Span

_SHARE = re.compile(r"\s(?:out\s)?(?:of|из)\s(?:\w+\s)?", re.IGNORECASE)
_FRACTION = re.compile(
    r"(?<!\w)(?P<half>half|половин[аеуы]|половиной)|(?P<third>one third|a third|треть|трети|третью)"
    r"|(?P<quarter>a quarter|one quarter|четверть|четверти|четвертью)(?!\w)",
    re.IGNORECASE,
)
_PERCENT = {"half": 50.0, "third": 100 / 3, "quarter": 25.0}
_HOUR, _LATEST = 3600.0, 24
_CLOSE = 1e-6
_MONTHS = 12.0
_MOST_AMOUNTS = 8


def implied(text: str, given: Sequence[Quantity]) -> Iterator[Quantity]:
    """Shares in per cent and whole hours as times of day."""
    for found in _FRACTION.finditer(text):
        percent = next(_PERCENT[name] for name, value in found.groupdict().items() if value)
        yield Quantity(percent, percent, "percent", percent, Span(*found.span()))
    for part, whole in pairwise(given):
        if _SHARE.fullmatch(text[part.span.end : whole.span.start]) and 0 < part.figure <= whole.figure:
            percent = 100 * part.figure / whole.figure
            yield Quantity(percent, percent, "percent", percent, Span(part.span.start, whole.span.end))
    for amount in given:
        if amount.dimension == "time":
            ends = (amount.low, amount.high) if amount.is_range else (amount.high,)
            yield from (
                Quantity(end / 60, end / 60, "clock", end / 60, amount.span)
                for end in ends
                if end % _HOUR == 0 and 0 < end <= _LATEST * _HOUR
            )


def follows(claimed: Quantity, given: Sequence[Quantity]) -> bool:
    """Whether a claimed amount is the sum, difference, product or share of two given ones."""
    exact = [amount for amount in given if amount.is_exact and amount.low > 0][:_MOST_AMOUNTS]
    return claimed.is_exact and any(
        math.isclose(claimed.low, value, rel_tol=_CLOSE)
        for first, second in combinations(exact, 2)
        for value in _results(claimed, first, second)
    )


def _results(claimed: Quantity, first: Quantity, second: Quantity) -> Iterator[float]:
    if same_dimension(first, second) and same_dimension(claimed, first) and same_dimension(claimed, second):
        yield from (first.low + second.low, abs(first.low - second.low))
    if claimed.dimension == "percent" and first.dimension == second.dimension:
        yield from (100 * first.low / second.low, 100 * second.low / first.low)
    for one, other in ((first, second), (second, first)):
        if one.dimension == "percent" and same_dimension(claimed, other):
            yield one.low / 100 * other.low
        if one.dimension == "calendar" and not other.dimension and not claimed.dimension:
            yield from (other.low + one.low / _MONTHS, other.low - one.low / _MONTHS)
