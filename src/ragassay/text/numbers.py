"""Numbers in running text, as exact decimals."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from ragassay.text.language import language_of
from ragassay.text.sentences import Span


class Number(NamedTuple):
    """One number: its exact value as written (`5 %` has the value 5 and `is_percent`), and where it stands."""

    value: Decimal
    span: Span
    is_percent: bool


_GROUP_SPACE = " \u00a0\u2009\u202f"
_NOT_INSIDE = r"(?<!\w)(?<!\w[.,])"
_PATTERN = re.compile(
    # Not numbers: list markers, dates, times, versions and section numbers of three levels or more.
    rf"(?P<other>^[ \t]*+\d{{1,3}}[.)][ \t]+(?=\S)"
    rf"|{_NOT_INSIDE}(?:\d{{4}}-\d{{1,2}}-\d{{1,2}}(?!\d)|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}(?!\d)"
    rf"|\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?!\d)|(?!\d{{1,3}}(?:\.\d{{3}})++(?![.\d]))\d++(?:\.\d++){{2,}}+))"
    rf"|{_NOT_INSIDE}(?P<sign>(?<![\w)\]%])[-−–+](?=\d))?"
    rf"(?P<digits>(?:\d{{1,3}}(?:(?P<group>[{_GROUP_SPACE}'’,.])\d{{3}}(?!\d))(?:(?P=group)\d{{3}}(?!\d))*+|\d++))"
    r"(?:(?P<point>[.,])(?P<fraction>\d++))?(?P<exponent>[eE][+-]?\d{1,2}(?![\w.]))?"
    rf"(?P<percent>[{_GROUP_SPACE}]?(?:[%％٪]|per\s?cent\b|процент\w*+))?",
    re.MULTILINE,
)


def numbers(text: str) -> list[Number]:
    """The numbers of a text in order. Reads signs, decimal point and comma, digit groups (space, no-break and thin
    space, apostrophe, comma, repeated point), exponents and per cent.

    `1,234` is a decimal in a Russian text and a thousand elsewhere. Digits glued behind a letter (`v1`, `A12`),
    dates, times, list markers and version numbers are no numbers. Linear in the length of the text.
    """
    is_comma_decimal = language_of(text) == "ru"
    return list(_numbers(text, is_comma_decimal))


def _numbers(text: str, is_comma_decimal: bool) -> Iterator[Number]:
    for found in _PATTERN.finditer(text):
        if found["other"] is None:
            value = Decimal(_plain(found, is_comma_decimal))
            yield Number(value, Span(*found.span()), found["percent"] is not None)


def _plain(found: re.Match[str], is_comma_decimal: bool) -> str:
    digits, group, fraction = found["digits"], found["group"], found["fraction"] or ""
    if group and _is_decimal_sign(digits, group, fraction, is_comma_decimal):
        digits, fraction = digits.split(group)
    elif group:
        digits = digits.replace(group, "")
    sign = "-" if found["sign"] in ("-", "−", "–") else ""
    return f"{sign}{digits}{'.' if fraction else ''}{fraction}{found['exponent'] or ''}"


def _is_decimal_sign(digits: str, group: str, fraction: str, is_comma_decimal: bool) -> bool:
    """Whether the one separator in `1,234` or `1.234` is a decimal sign rather than a group separator."""
    if fraction or digits.count(group) > 1:
        return False
    return group == "." or (group == "," and (is_comma_decimal or digits.startswith("0")))


def same_number_answer(prediction: str, gold: str) -> bool:
    """Whether a prediction gives the gold's numbers: compared exactly and in order; a prediction with more numbers
    is compared by its last ones, where an answer concludes. Units are not compared. False if gold has no number.
    """
    wanted = [number.value for number in numbers(gold)]
    given = [number.value for number in numbers(prediction)]
    return bool(wanted) and given[-len(wanted) :] == wanted
