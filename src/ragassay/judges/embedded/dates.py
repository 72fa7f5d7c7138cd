"""Dates in the notations of English and Russian texts."""

import re
from collections.abc import Container
from typing import NamedTuple

from ragassay.judges.embedded.units import MONTHS
from ragassay.text.sentences import Span

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_YEAR = r"(?:1[0-9]{3}|20[0-9]{2}|21[0-9]{2})"
_DATE = re.compile(
    rf"(?<![\w.,])(?:(?P<iso>(?P<y1>{_YEAR})-(?P<m1>\d{{1,2}})-(?P<d1>\d{{1,2}}))"
    rf"|(?P<d2>\d{{1,2}})(?P<sep>[./])(?P<m2>\d{{1,2}})(?P=sep)(?P<y2>{_YEAR}|\d{{2}})"
    rf"|(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?:\s|-го\s|\sof\s)+(?P<m3>{_MONTH})\b\.?(?:,?\s(?P<y3>{_YEAR})\b)?"
    rf"|(?P<m4>{_MONTH})\b\.?\s(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:])(?:,?\s(?P<y4>{_YEAR})\b)?"
    rf"|(?P<m5>{_MONTH})\b\.?,?\s(?P<y5>{_YEAR}))(?!\w)",
    re.IGNORECASE,
)
_LAST_MONTH, _LAST_DAY = 12, 31


class Date(NamedTuple):
    """A date as far as it is given; a part that is not given is None."""

    year: int | None
    month: int | None
    day: int | None
    span: Span

    @property
    def months(self) -> int | None:
        """Months since the year 0; None where year or month is not given."""
        return None if self.year is None or self.month is None else self.year * _LAST_MONTH + self.month

    def says(self, other: "Date", years: Container[int] = ()) -> bool:
        """Whether everything that `other` gives is given here, and is the same.

        The year may be one of `years`, said elsewhere in the text, where this date leaves it open.
        """
        pairs = ((self.month, other.month), (self.day, other.day))
        is_same_year = other.year in (None, self.year) or (self.year is None and other.year in years)
        return is_same_year and all(wanted is None or own == wanted for own, wanted in pairs)


def dates(text: str) -> list[Date]:
    """`2024-03-03`, `03.03.2024`, `3 March 2024`, `March 3`, `March 2024`, «3 марта 2024 г.».

    In figures the day stands before the month, unless that cannot be. Bare years are numbers, not dates.
    """
    return [date for found in _DATE.finditer(text) for date in _read(found)]


def _read(found: re.Match[str]) -> list[Date]:
    parts = found.groupdict()
    given = {part: next((v for n in "12345" if (v := parts.get(part + n))), None) for part in "ymd"}
    named = given["m"] is not None and not given["m"].isdigit()
    month = MONTHS[given["m"].lower()] if named and given["m"] else int(given["m"] or 0)
    day = int(given["d"]) if given["d"] else None
    year = _whole_year(given["y"])
    if month > _LAST_MONTH and day is not None:
        month, day = day, month
    is_possible = 1 <= month <= _LAST_MONTH and (day is None or 1 <= day <= _LAST_DAY)
    return [Date(year, month, day, Span(*found.span()))] if is_possible else []


def _whole_year(year: str | None) -> int | None:
    if year is None:
        return None
    return int(year) if len(year) > 2 else 2000 + int(year) - (100 if int(year) > 50 else 0)
