"""Centuries and decades as the years they span: a year inside carries them, not the other way round."""

import re
from typing import NamedTuple

from ragassay.judges.embedded.units import ORDINALS
from ragassay.text.sentences import Span

_CENTURY = re.compile(
    rf"(?<!\w)(?:(?P<roman>[XVI]{{1,5}}|[ХVI]{{1,5}})|(?P<figure>\d{{1,2}})(?:st|nd|rd|th|-?[а-я]{{1,3}})?"
    rf"|(?P<word>{'|'.join(ORDINALS)}))[\s-](?:centur(?:y|ies)|век\w{{0,3}}|в\.|столети\w{{1,3}})(?!\w)",
    re.IGNORECASE,
)
_DECADE = re.compile(r"(?<![\w.,])(?P<decade>1\d\d0|20\d0)(?:['’]?s|-(?:е|х|ми?))(?!\w)", re.IGNORECASE)
_ROMAN = {"i": 1, "v": 5, "x": 10}
_LAST_CENTURY = 21


class Era(NamedTuple):
    """From year `low` to `high`; `number` is the century or the decade as written."""

    low: float
    high: float
    number: int
    span: Span


def eras(text: str) -> list[Era]:
    """ "the 13th century", "sixteenth century", «XVI век», «XX столетие», "the 1950s", «1950-е»."""
    centuries = (_century(found) for found in _CENTURY.finditer(text))
    decades = (_decade(found) for found in _DECADE.finditer(text))
    return [*(era for era in centuries if era is not None), *decades]


def _century(found: re.Match[str]) -> Era | None:
    if found["roman"]:
        number = _roman(found["roman"].lower().replace("х", "x"))
    else:
        number = int(found["figure"]) if found["figure"] else ORDINALS[found["word"].lower()]
    if not 1 <= number <= _LAST_CENTURY:
        return None
    return Era((number - 1) * 100.0 + 1, number * 100.0, number, Span(*found.span()))


def _decade(found: re.Match[str]) -> Era:
    first = int(found["decade"])
    return Era(float(first), first + 9.0, first, Span(*found.span()))


def _roman(text: str) -> int:
    values = [_ROMAN[letter] for letter in text]
    return sum(-value if value < max(values[place:]) else value for place, value in enumerate(values))
