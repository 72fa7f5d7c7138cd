"""Times of day in the notations of English and Russian texts, as minutes after midnight."""

import re
from typing import NamedTuple

from ragassay.judges.embedded.units import NUMERALS
from ragassay.text.sentences import Span

_CLOCK = re.compile(
    r"(?<![\w:.])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\d:])(?:\s?(?P<half>[ap])\.?m\b)?", re.IGNORECASE
)
_HOUR = re.compile(
    rf"(?<![\w:.,])(?P<hour>1[0-2]|\d|{'|'.join(sorted(NUMERALS, key=len, reverse=True))})"
    r"(?:\s(?:o.clock|час(?:а|ов)?))?\s?(?:(?P<early>a\.?m\b|in the morning|утра)"
    r"|(?P<late>p\.?m\b|in the (?:afternoon|evening)|вечера))",
    re.IGNORECASE,
)
_HALF_DAY = 12


class Clock(NamedTuple):
    minutes: float
    span: Span


def clocks(text: str) -> list[Clock]:
    """`14:30`, `2:30 pm`, `2 p.m.`, "nine in the evening", «восемь вечера»."""
    hours = (_hour(found) for found in _HOUR.finditer(text))
    return [*(_minute(found) for found in _CLOCK.finditer(text)), *(clock for clock in hours if clock is not None)]


def _minute(found: re.Match[str]) -> Clock:
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % _HALF_DAY + _HALF_DAY * (found["half"].lower() == "p")
    return Clock(float(hour * 60 + int(found["minute"])), Span(*found.span()))


def _hour(found: re.Match[str]) -> Clock | None:
    said = found["hour"].lower()
    hour = int(said) if said.isdigit() else NUMERALS[said]
    if hour > _HALF_DAY:
        return None
    return Clock(float((hour % _HALF_DAY + _HALF_DAY * (found["late"] is not None)) * 60), Span(*found.span()))
