"""Citation marks in an answer: found, taken out of the text that metrics read, and tied to what they cover."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from ragassay.text.sentences import Span, marker_length, sentences


class Mark(NamedTuple):
    """One cited label. `span` lies in the raw answer and is shared by the labels of one bracket; `position` is the
    offset in the cleaned text where the bracket stood; `source` is the number of the supplied source, 1 being the
    first, None where the label names none of them.
    """

    span: Span
    position: int
    label: str
    source: int | None


_LARGEST_RANGE = 1000
_BRACKET = re.compile(
    r"(?P<code>```[^`]*+(?:```)?|`[^`\n]{1,500}`)"
    r"|【(?P<provider>\d{1,6}(?::\d{1,6})?)(?:†[^【】\n]{0,300})?】"
    r"|\[\^(?P<footnote>\d{1,6})\](?!:)"
    r"|\[(?P<list>\d{1,6}(?:[ ]?[,;–-][ ]?\d{1,6}){0,50})\](?!:)(?:\(https?://[^\s()]{1,500}\))?"
)
_ITEM = re.compile(r"(\d+)(?:[ ]?[–-][ ]?(\d+))?")
_LONGEST_MARKER = 12
_MARKER_CHARACTERS = " \t-*+•>(0123456789.)"
_INLINE_SPACE = " \t\u00a0\u2009\u202f"


def strip_marks(text: str, n_sources: int) -> tuple[str, list[Mark]]:
    """The text without its citation marks, and the marks in order.

    A bracket is a mark if one of its numbers names a supplied source (1 … n_sources) or if it is a provider's special
    bracket (`【4:0†source】`); anything else, such as `a[0]`, `[2024]` or code, is content and stays.
    """
    pieces: list[str] = []
    marks: list[Mark] = []
    length = at = 0
    for found in _BRACKET.finditer(text):
        labels = _labels(found, n_sources)
        if not labels:
            continue
        before = text[at : found.start()]
        kept = before.rstrip(_INLINE_SPACE)
        pieces.append(kept)
        length += len(kept)
        marks += [Mark(Span(*found.span()), length, label, source) for label, source in labels]
        at = _resume(text, found.end(), is_line_start=not length or pieces[-1].endswith("\n"))
        if len(kept) < len(before) and text[at : at + 1].isalnum():
            pieces.append(" ")
            length += 1
    return "".join([*pieces, text[at:]]), marks


def _resume(text: str, at: int, *, is_line_start: bool) -> int:
    while is_line_start and text[at : at + 1] in tuple(_INLINE_SPACE):
        at += 1
    return at


def _labels(found: re.Match[str], n_sources: int) -> list[tuple[str, int | None]]:
    if found["code"]:
        return []
    if found["provider"]:
        return [(found["provider"], _source(found["provider"], n_sources))]
    labels = [(label, _source(label, n_sources)) for label in _listed(found["footnote"] or found["list"])]
    return labels if any(source for _, source in labels) else []


def _listed(inside: str) -> list[str]:
    labels: list[str] = []
    for first, last in _ITEM.findall(inside):
        if last and 0 <= int(last) - int(first) < _LARGEST_RANGE:
            labels += [str(number) for number in range(int(first), int(last) + 1)]
        else:
            labels += [first, last] if last else [first]
    return labels


def _source(label: str, n_sources: int) -> int | None:
    return int(label) if label.isdecimal() and 1 <= int(label) <= n_sources else None


def marked_sentences(text: str, marks: Sequence[Mark]) -> list[tuple[Mark, Span]]:
    """Each mark with the span of the cleaned text that it covers: the part of its sentence since the previous mark,
    and for the last mark of a sentence also what follows it.

    A mark at the beginning of a line covers the sentence after it; marks at one position cover the same span.
    In a text without sentences the span is empty.
    """
    spans = [_trimmed(text, Span(start + marker_length(text[start:end]), end)) for start, end in sentences(text)]
    starts = [span.start for span in spans]
    positions = sorted({mark.position for mark in marks})
    return [(mark, _covered(text, spans, starts, positions, mark.position)) for mark in marks]


def _covered(text: str, spans: list[Span], starts: list[int], positions: list[int], position: int) -> Span:
    if not spans:
        return Span(0, 0)
    at = bisect_left(starts, position)
    if _begins_line(text, position):
        return spans[min(at, len(spans) - 1)]
    sentence = spans[max(at - 1, 0)]
    index = bisect_left(positions, position)
    start = max(sentence.start, positions[index - 1]) if index else sentence.start
    following = positions[index + 1] if index + 1 < len(positions) else len(text) + 1
    is_last = following > sentence.end
    end = sentence.end if is_last else min(position, sentence.end)
    return _trimmed(text, Span(min(start, end), end))


def _begins_line(text: str, position: int) -> bool:
    """Whether a line has nothing but a list marker before the position, and something after it."""
    before = text[max(0, position - _LONGEST_MARKER) : position]
    is_near_start = "\n" in before or position <= _LONGEST_MARKER
    is_bare = not before.rpartition("\n")[2].strip(_MARKER_CHARACTERS)
    return is_near_start and is_bare and bool(text[position : position + _LONGEST_MARKER].partition("\n")[0].strip())


def _trimmed(text: str, span: Span) -> Span:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
