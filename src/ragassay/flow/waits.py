"""What a reply says about trying again: by its status, and by its headers."""

import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from enum import Enum

_LONGEST = 86_400.0
_NUMBER = re.compile(r"\d{1,16}(?:\.\d{1,9})?", re.ASCII)
_DURATION = re.compile(
    r"(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?", re.ASCII
)
_MOMENT = 1_000_000_000.0
"""From here on a number of seconds is a moment since 1970, not a wait."""


class Outcome(Enum):
    """What a status asks of the caller. `OVERLOAD` is `AGAIN`, and less at once; `REFUSED` is `FINAL` for all calls."""

    DONE = "done"
    AGAIN = "again"
    OVERLOAD = "overload"
    FINAL = "final"
    REFUSED = "refused"


def outcome_of(status: int) -> Outcome:
    """What to do after an HTTP status. A redirect is final: what is sent to one host must not go to another."""
    if 200 <= status < 300:
        return Outcome.DONE
    if status in (429, 502, 503, 504, 529):
        return Outcome.OVERLOAD
    if status in (408, 409, 425) or status >= 500:
        return Outcome.AGAIN
    return Outcome.REFUSED if status in (401, 407) else Outcome.FINAL


def asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """The wait that a reply asks for, in seconds between 0 and a day; None where it asks for none that can be read.

    `headers` finds lower-case names (as `httpx.Headers` does); `now` is in seconds since 1970. In this order:
    `retry-after-ms`; `retry-after` as seconds or as a date, beside the server's own `date` where it sends one;
    `x-ratelimit-reset-requests` and `-tokens` where nothing of theirs remains; `x-ratelimit-reset` and
    `ratelimit-reset` as a wait or a moment.
    """
    found = (
        _thousandth(_number(headers.get("retry-after-ms"))),
        _number(headers.get("retry-after")),
        _until_date(headers, now),
        _exhausted(headers),
        _reset(headers.get("x-ratelimit-reset"), now),
        _reset(headers.get("ratelimit-reset"), now),
    )
    wait = next((wait for wait in found if wait is not None), None)
    return None if wait is None else min(max(wait, 0.0), _LONGEST)


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and _NUMBER.fullmatch(text.strip()) else None


def _thousandth(value: float | None) -> float | None:
    return None if value is None else value / 1_000


def _date(text: str | None) -> float | None:
    if text is None or len(text) > 64:
        return None
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _until_date(headers: Mapping[str, str], now: float) -> float | None:
    moment = _date(headers.get("retry-after"))
    if moment is None:
        return None
    own = _date(headers.get("date"))
    return moment - (now if own is None else own)


def _exhausted(headers: Mapping[str, str]) -> float | None:
    waits = [
        _duration(headers.get(f"x-ratelimit-reset-{of}"))
        for of in ("requests", "tokens")
        if _number(headers.get(f"x-ratelimit-remaining-{of}")) == 0
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def _duration(text: str | None) -> float | None:
    """`6m0s`, `1.5s`, `20ms`, or plain seconds."""
    if (plain := _number(text)) is not None or not text:
        return plain
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        return None
    return sum(float(part or 0) * of for part, of in zip(found.groups(), (3_600.0, 60.0, 1.0, 0.001), strict=True))


def _reset(text: str | None, now: float) -> float | None:
    found = _number(text)
    if found is None or found < _MOMENT:
        return found
    return (found / 1_000 if found >= _MOMENT * 1_000 else found) - now
