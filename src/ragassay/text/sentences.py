"""Sentences as spans that cover the text: nothing is dropped, so no denominator changes unseen."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragassay.text import abbreviations


class Span(NamedTuple):
    """Half-open range of code points: `text[start:end]`."""

    start: int
    end: int


_LEFT_WINDOW = 40
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# Possessive throughout: every match succeeds at its first try, so a megabyte of full stops is one pass.
_END = re.compile(
    "(?:(?P<wide>[。！？｡।॥]++[.!?。！？｡।॥…]*+)|(?P<narrow>[.!?…؟۔]++[.!?…؟۔]*+))"
    "(?P<close>(?:[\"'»”’)\\]}*_）」』】〉》]|\\[\\^?\\d{1,4}\\]|【[^【】\\n]{1,200}】)*+)"
    "(?P<gap>\\s*+)"
)
_OPENERS = "\"'«“„‘([{*_`"
_NUMBER_AHEAD = re.compile(r"[(\[№#]?(?:\d|[IVXLC]+\b)")
_WORD_AHEAD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*(?!\w|\.)")
_LEFT_WORD = re.compile(r"(?:[^\W_]|\.(?=[^\W\d_]))+$")
_SPACED_PAIR = re.compile(r"(?:^|[^\w])([^\W\d_]{1,2})\.\s?([^\W\d_]{1,2})$")
_COUNT_BEFORE = re.compile(r"(?:\d|\b[IVXLC]+)\s*[^\W_]+$")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]$")
_MARKER = re.compile(r"[ \t>]*(?:[-*+•‣–—]|\(?(?:\d{1,3}|[^\W\d_])[.)])[ \t]+(?=\S)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


def sentences(text: str) -> list[Span]:
    """The sentences of a text in order; the spans touch, so that joining the pieces gives back the text.

    List items, table rows, headings and fenced blocks are pieces of their own. White space belongs to the piece
    before it. Handles Latin, Cyrillic, CJK and Devanagari punctuation. Linear in the length of the text.
    """
    starts = [0]
    has_content = False
    for block in _blocks(text):
        if text[block.start : block.end].isspace():
            continue
        if has_content:
            starts.append(block.start)
        has_content = True
        starts.extend(_breaks(text, block))
    ends = [*starts[1:], len(text)]
    return [Span(start, end) for start, end in zip(starts, ends, strict=True) if end > start]


def is_heading(line: str) -> bool:
    return _HEADING.match(line) is not None


def is_table_row(line: str) -> bool:
    stripped = line.strip()
    return len(stripped) > 1 and stripped.startswith("|") and stripped.count("|") > 1


def is_fence(line: str) -> bool:
    return _FENCE.match(line) is not None


def marker_length(piece: str) -> int:
    """Length of the list marker and white space that a piece begins with, 0 without one."""
    marker = _MARKER.match(piece)
    return marker.end() if marker else 0


def _blocks(text: str) -> Iterator[Span]:
    """Runs of lines that may hold one sentence together: a wrapped line continues in lower case."""
    start = end = 0
    in_fence, is_closed = False, True
    for line in _LINE.finditer(text):
        content = line.group()
        continues = in_fence or (not is_closed and _is_continuation(content))
        if not continues and end > start:
            yield Span(start, end)
            start = line.start()
        end = line.end()
        if is_fence(content):
            in_fence = not in_fence
            is_closed = not in_fence
        else:
            is_closed = not in_fence and (not content.strip() or is_heading(content) or is_table_row(content))
    if end > start:
        yield Span(start, end)


def _is_continuation(line: str) -> bool:
    stripped = line.lstrip()
    return stripped[:1].islower() and not marker_length(line)


def _breaks(text: str, block: Span) -> Iterator[int]:
    first_line = text[block.start : text.find("\n", block.start, block.end) + 1 or block.end]
    if is_table_row(first_line) or is_heading(first_line) or is_fence(first_line):
        return
    start = block.start + marker_length(first_line)
    for end in _END.finditer(text, start, block.end):
        at = end.end()
        if at < block.end and (end["wide"] or _is_boundary(text, block, end)):
            yield at


def _is_boundary(text: str, block: Span, end: re.Match[str]) -> bool:
    if not end["gap"]:
        return False
    right = text[end.end() : min(end.end() + _LEFT_WINDOW, block.end)].lstrip(_OPENERS + "—–- ")
    if not right or right[0].islower() or right[0] in ",;:.)]}»":
        return False
    if end["narrow"] != "." or end["close"]:
        return True
    left = text[max(block.start, end.start() - _LEFT_WINDOW) : end.start()]
    return not _is_abbreviated(left, right)


def _is_abbreviated(left: str, right: str) -> bool:
    """Whether the full stop between both sides belongs to an abbreviation or initial inside a sentence."""
    found = _LEFT_WORD.search(left)
    if found is None:
        return False
    pair = _SPACED_PAIR.search(left)
    word = f"{pair[1]}.{pair[2]}" if pair else found.group()
    key = word.lower()
    is_measure = key in abbreviations.COUNTED and _COUNT_BEFORE.search(left) is not None
    if is_measure or key in abbreviations.MAY_END:
        return not right[0].isupper()
    if key in abbreviations.BEFORE_NUMBER and _NUMBER_AHEAD.match(right):
        return True
    return key in abbreviations.ALWAYS_INSIDE or (_is_initials(found.group(), word) and not _opens_sentence(right))


def _is_initials(last: str, word: str) -> bool:
    return last[0].isupper() and (len(last) == 1 or _ACRONYM.match(word) is not None)


def _opens_sentence(right: str) -> bool:
    word = _WORD_AHEAD.match(right)
    return word is not None and word.group().lower() in abbreviations.SENTENCE_OPENERS
