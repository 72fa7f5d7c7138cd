"""Numbers with their units and bounds, in units that compare: `1.5 km` is `1500 m`, "at most 15" holds for 10 to 15."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragassay.judges.embedded.clocks import clocks
from ragassay.judges.embedded.eras import eras
from ragassay.judges.embedded.units import NUMERALS, PER_UNITS, SCALES, SQUARE, UNITS
from ragassay.text.numbers import numbers
from ragassay.text.sentences import Span

_CLOSE = 1e-6
_SLACK = 0.05
_NUMERAL = re.compile(r"(?<!\w)(?:" + "|".join(sorted(NUMERALS, key=len, reverse=True)) + r")(?!\w)", re.IGNORECASE)
_UNIT = re.compile(
    r"[\s\u00a0\u202f-]?(?:(?P<square>"
    + "|".join(SQUARE)
    + r")\.?[\s\u00a0])?(?P<unit>°\s?[CFСcf]|[%$€£₽²]|[^\W\d_]+²?)",
    re.IGNORECASE,
)
_PER = re.compile(
    r"\s?(?:(?P<stroke>/)|per\s|an?\s|each\s|every\s|в\s|за\s|на\s(?:один\s)?|(?=ежедневно|еженедельно|ежемесячно|ежегодно"
    r"|daily|weekly|monthly|yearly|annually))\s?(?P<unit>[^\W\d_]+)",
    re.IGNORECASE,
)
_SCALE = re.compile(
    r"[\s\u00a0-]?(?P<scale>" + "|".join(sorted(SCALES, key=len, reverse=True)) + r")(?!\w)\.?", re.IGNORECASE
)
_CURRENCY = re.compile(r"[$€£₽]\s?$")
_JOINT = re.compile(r"(?:[\s-]|\sand\s)$", re.IGNORECASE)


def _before(*phrases: str) -> re.Pattern[str]:
    """Phrases that end right before a number, with one word between at most ("at least another 5")."""
    return re.compile(rf"(?:{'|'.join(phrases)})\s(?:\w+\s)?$", re.IGNORECASE)


_LEAST = _before(
    r"at least|no (?:less|fewer|lower|earlier|shorter) than|not (?:less|fewer|under) than|minimum(?: of)?",
    r"не менее(?: чем)?|не меньше|не ниже|не раньше|не короче|минимум|от|начиная с",
)
_OVER = _before(
    r"(?:more|greater|longer|older) than|over|above|exceed(?:s|ed|ing)?",
    r"свыше|более(?: чем)?|больше(?: чем)?|выше|старше|дольше|превышает|превысил[аио]?",
)
_MOST = _before(
    r"at most|no (?:more|greater|longer|later|higher) than|not (?:more|longer) than|not exceed(?:ing)?|up to",
    r"maximum(?: of)?|within|не более(?: чем)?|не больше|не выше|не позднее|не дольше|не позже|не превыша[а-я]+",
    r"максимум|до|в пределах",
)
_UNDER = _before(
    r"(?:less|fewer|shorter|younger) than|under|below",
    r"менее(?: чем)?|меньше(?: чем)?|ниже|моложе|короче",
)
_ABOUT = re.compile(
    r"(?:about|around|approximately|roughly|nearly|almost|some|circa|c\.|около|примерно|приблизительно|почти|порядка"
    r"|[~≈])\s?$",
    re.IGNORECASE,
)
_AND_MORE = re.compile(
    r"\s?(?:\w+\s)?(?:or|and|и|или) (?:more|above|over|older|longer|higher|более|выше|больше|старше)\b|\+",
    re.IGNORECASE,
)
_AND_LESS = re.compile(
    r"\s?(?:\w+\s)?(?:or|and|и|или) (?:less|fewer|below|under|younger|менее|ниже|меньше|моложе)\b", re.IGNORECASE
)
_RANGE = re.compile(r"\s?(?:[-–—]|\.\.\.?|to|through|and|до|по|и)\s?(?:[$€£₽]\s?)?$", re.IGNORECASE)
_RANGE_HEAD = re.compile(r"(?:from|between|от|с|между)\s(?:[$€£₽]\s?)?$", re.IGNORECASE)
_WINDOW = 32
_YEARS = (1000, 2100)
_MARK = re.compile(r"\[\^?\d{1,3}\]")


class Quantity(NamedTuple):
    """An amount from `low` to `high` in the smallest common unit of its dimension; `figure` is the number as written.

    An empty dimension is a bare number. `is_range` tells that both ends are written. `per` and `each` say what it is
    counted for: of "5 km an hour" they are the dimension time and 3600 seconds.
    """

    low: float
    high: float
    dimension: str
    figure: float
    span: Span
    is_range: bool = False
    per: str = ""
    each: float = 1.0

    @property
    def is_exact(self) -> bool:
        return self.low == self.high


class _Raw(NamedTuple):
    value: float
    start: int
    end: int
    is_percent: bool
    scale: int = 1


def quantities(text: str, without: Sequence[Span] = ()) -> list[Quantity]:
    """The amounts of a text in order, outside the spans `without` (where its dates stand)."""
    times = [Quantity(c.minutes, c.minutes, "clock", c.minutes, c.span) for c in clocks(text)]
    spans = [Quantity(e.low, e.high, "", float(e.number), e.span, is_range=True) for e in eras(text)]
    marks = [Span(*found.span()) for found in _MARK.finditer(text)]
    taken = [*without, *marks, *(quantity.span for quantity in (*times, *spans))]
    read = [_quantity(text, raw) for raw in _joined(text, _figures(text)) if not _is_within(raw, taken)]
    return [*_ranges(text, [q for q in read if q is not None]), *times, *spans]


def _is_within(raw: _Raw, spans: Sequence[Span]) -> bool:
    return any(span.start < raw.end and raw.start < span.end for span in spans)


def _figures(text: str) -> list[_Raw]:
    digits = [_Raw(float(n.value), n.span.start, n.span.end, n.is_percent) for n in numbers(text)]
    words = [
        _Raw(float(NUMERALS[f.group().lower().replace("ё", "е")]), f.start(), f.end(), False)
        for f in _NUMERAL.finditer(text.replace("ё", "е"))
    ]
    return sorted((raw for raw in (*digits, *words) if math.isfinite(raw.value)), key=lambda raw: raw.start)


def _joined(text: str, found: list[_Raw]) -> list[_Raw]:
    """Number words and scales put together: "two hundred and five", "2.5 million"."""
    done: list[_Raw] = []
    for raw in found:
        scaled = _scaled(text, raw)
        last = done[-1] if done else None
        if last and last.value >= scaled.value and not text[scaled.start].isdigit() and _continues(text, last, scaled):
            done[-1] = last._replace(value=last.value + scaled.value, end=scaled.end)
        else:
            done.append(scaled)
    return done


def _continues(text: str, last: _Raw, following: _Raw) -> bool:
    between = text[last.end : following.start]
    is_wordy = not text[last.start].isdigit()
    is_tail = (
        last.scale > following.value
        or (last.value % 10 == 0 and following.value < 10 and last.value < 100)
        or (last.value % 100 == 0 and following.value < 100)
    )
    return is_wordy and is_tail and len(between) < 6 and _JOINT.fullmatch(between) is not None


def _scaled(text: str, raw: _Raw) -> _Raw:
    end, value, scale = raw.end, raw.value, 1
    while (found := _SCALE.match(text, end)) is not None:
        scale = SCALES[found["scale"].lower()]
        value, end = value * scale, found.end()
    return raw._replace(value=value, end=end, scale=scale)


def _quantity(text: str, raw: _Raw) -> Quantity | None:
    """None for a bare "one", which is seldom a number."""
    dimension, size, end = _unit(text, raw)
    if raw.value == 1 and not dimension and not text[raw.start].isdigit():
        return None
    value = raw.value * size
    is_year = not dimension and raw.value % 1 == 0 and _YEARS[0] <= raw.value <= _YEARS[1] and raw.scale == 1
    before, after = text[max(0, raw.start - _WINDOW) : raw.start], text[end : end + _WINDOW]
    low, high = (value, value) if is_year else _bounds(before, after, value)
    per, each = _per(text, end) if dimension else ("", 1.0)
    return Quantity(low, high, dimension, raw.value, Span(raw.start, end), per=per, each=each)


def _per(text: str, end: int) -> tuple[str, float]:
    """What an amount is counted for, and how much of it; a single letter is a unit only after a stroke."""
    found = _PER.match(text, end)
    unit = found["unit"].lower() if found else ""
    if found is None or unit not in PER_UNITS or (len(unit) == 1 and not found["stroke"]):
        return "", 1.0
    return PER_UNITS[unit]


def _unit(text: str, raw: _Raw) -> tuple[str, float, int]:
    if raw.is_percent:
        return "percent", 1.0, raw.end
    if _CURRENCY.search(text[max(0, raw.start - 2) : raw.start]):
        return *UNITS[text[max(0, raw.start - 2) : raw.start].strip()[-1]], raw.end
    found = _UNIT.match(text, raw.end)
    unit = found["unit"].lower().replace(" ", "") if found else ""
    is_year = unit in ("г", "гг", "год", "года", "году", "year") and _YEARS[0] <= raw.value <= _YEARS[1]
    if found is None or is_year or unit not in UNITS:
        return "", 1.0, raw.end
    dimension, size = UNITS[unit]
    return (
        ("area", size**2, found.end()) if found["square"] and dimension == "length" else (dimension, size, found.end())
    )


def _bounds(before: str, after: str, value: float) -> tuple[float, float]:
    head = _CURRENCY.sub("", before)
    if _LEAST.search(head) or _AND_MORE.match(after):
        return value, math.inf
    if _MOST.search(head) or _AND_LESS.match(after):
        return -math.inf, value
    if _OVER.search(head):
        return value + _beyond(value), math.inf
    if _UNDER.search(head):
        return -math.inf, value - _beyond(value)
    if _ABOUT.search(head):
        return value - abs(value) * _SLACK, value + abs(value) * _SLACK
    return value, value


def _beyond(value: float) -> float:
    return 10 * _CLOSE * max(abs(value), 1.0)


def _ranges(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """Two ends become one range: "10–15 kg", "from 10 to 15", «от 10 до 15»."""
    skip = False
    for number, quantity in enumerate(found):
        following = found[number + 1] if number + 1 < len(found) else None
        if skip:
            skip = False
        elif following is not None and (merged := _range(text, quantity, following)) is not None:
            skip = True
            yield merged
        else:
            yield quantity


def _range(text: str, first: Quantity, second: Quantity) -> Quantity | None:
    between = text[first.span.end : second.span.start]
    dash = text[second.span.start] in "-–—"
    head = _RANGE_HEAD.search(text[max(0, first.span.start - _WINDOW) : first.span.start]) is not None
    word = between.strip().lower()
    is_range = dash or (
        len(between) < 6
        and _RANGE.fullmatch(between) is not None
        and (head or word in ("-", "–", "—", "...", "..", "", "to", "до"))
    )
    if not is_range or (word == "and" and not head) or (dash and between.strip()):
        return None
    size = second.high if math.isfinite(second.high) else second.low
    high = abs(size) if dash else size
    bare_low = first.low if math.isfinite(first.low) else first.high
    low = (
        bare_low * (high / abs(second.figure))
        if not first.dimension and second.dimension and second.figure
        else bare_low
    )
    if first.dimension not in ("", second.dimension) or low > high:
        return None
    return Quantity(low, high, second.dimension, first.figure, Span(first.span.start, second.span.end), is_range=True)


def same_dimension(claimed: Quantity, given: Quantity) -> bool:
    """Whether the two measure the same for the same, or one of them does not say what or for what."""
    pairs = ((claimed.dimension, given.dimension), (claimed.per, given.per))
    return all(own == other or not own or not other for own, other in pairs)


def within(claimed: Quantity, given: Quantity) -> bool:
    """Whether whatever the given amount may be, the claimed one holds."""
    claimed, given = _for_one(claimed, given), _for_one(given, claimed)
    slack = _CLOSE * max(abs(claimed.figure), 1.0)
    return same_dimension(claimed, given) and claimed.low <= given.low + slack and given.high <= claimed.high + slack


def _for_one(amount: Quantity, other: Quantity) -> Quantity:
    """The amount for one of what both are counted for; as it is where one of them does not say for what."""
    each = amount.each if amount.per and other.per else 1.0
    return amount._replace(low=amount.low / each, high=amount.high / each)


def same_amount(claimed: Quantity, given: Quantity) -> bool:
    """Whether the two have an end in common, whatever is said to bound them."""
    is_alike = same_dimension(claimed, given)
    claimed, given = _for_one(claimed, given), _for_one(given, claimed)
    ends = {end for end in given[:2] if math.isfinite(end)}
    return is_alike and any(
        math.isclose(own, end, rel_tol=100 * _CLOSE) for own in claimed[:2] if math.isfinite(own) for end in ends
    )


def same_figure(claimed: Quantity, given: Quantity) -> bool:
    """Whether the same number is written, or the same amount, whatever is said to bound it."""
    ends = (given.low, given.high) if given.is_range else ((given.low if math.isfinite(given.low) else given.high),)
    return math.isclose(claimed.figure, given.figure, rel_tol=_CLOSE) or any(
        math.isclose(end, claimed.low if math.isfinite(claimed.low) else claimed.high, rel_tol=_CLOSE) for end in ends
    )
