"""The parts of an answer that state something and can be checked."""

import re
from collections.abc import Iterator

from ragassay.text import wording
from ragassay.text.sentences import Span, is_fence, is_heading, is_table_row, marker_length, sentences

_RULE = re.compile(r"[\s|:\-=*_#>`~]*$")
_BARE_MARKER = re.compile(r"[\s>]*\(?(?:\d{1,3}|[^\W\d_])[.)]\s*$")
_BOLD_LINE = re.compile(r"(?:\*\*|__)[^*_\n]{1,200}(?:\*\*|__)\s*$")
_CLOSERS = " \t\r\n\"'»”’)]}*_`）」』】"
_QUESTION_MARKS = ("?", "？", "؟")


def statements(text: str) -> list[Span]:
    """Spans of the checkable statements, in order, without list markers and surrounding white space.

    Left out: questions, headings, lines that introduce a list, bare markers, rules, code, quoted blocks, courtesies
    and refusals. A data row of a Markdown table is one statement. Of a sentence that refuses one thing and states
    another ("the fee is 6 EUR, but I do not know the term") the stating part is kept.
    """
    pieces = sentences(text)
    return [part for index in range(len(pieces)) for part in _stated(text, pieces, index)]


def _stated(text: str, pieces: list[Span], index: int) -> Iterator[Span]:
    piece = pieces[index]
    content = text[piece.start : piece.end]
    following = text[pieces[index + 1].start : pieces[index + 1].end] if index + 1 < len(pieces) else ""
    if not is_candidate(content) or _is_table_head(content, following):
        return
    if not any(segment.is_refusal for segment in wording.segments(content)):
        if not wording.is_courtesy(content):
            yield _bare(text, piece)
        return
    for segment in wording.segments(content):
        clause = content[segment.start : segment.end]
        if not segment.is_refusal and _has_two_words(clause) and not wording.is_courtesy(clause):
            yield _bare(text, Span(piece.start + segment.start, piece.start + segment.end))


def is_candidate(piece: str) -> bool:
    """Whether a sentence has the form of a statement, whatever its wording."""
    stripped = piece[marker_length(piece) :].strip(_CLOSERS)
    if _RULE.match(piece) or _BARE_MARKER.match(piece) or not any(character.isalnum() for character in stripped):
        return False
    if is_heading(piece) or is_fence(piece) or piece.lstrip().startswith(">"):
        return False
    if is_table_row(piece):
        return True
    is_introduction = stripped.endswith((":", "：")) or _BOLD_LINE.match(piece.strip()) is not None
    return not is_introduction and not is_question(piece)


def is_question(piece: str) -> bool:
    """Whether the sentence itself asks; a question quoted at the end of a statement does not make it one."""
    end = piece.strip(" \t\r\n()*_[]")
    is_quotation = end[:1] in "\"«“‘'" and end[-1:] in "\"»”’'"
    return end.endswith(_QUESTION_MARKS) or (is_quotation and end[-2:-1] in _QUESTION_MARKS)


def _is_table_head(row: str, following: str) -> bool:
    return is_table_row(row) and is_table_row(following) and _RULE.match(following) is not None


def _has_two_words(clause: str) -> bool:
    return len(clause.split(maxsplit=2)) > 1


def _bare(text: str, span: Span) -> Span:
    start = span.start + marker_length(text[span.start : span.end])
    end = span.end
    while start < end and (text[start].isspace() or text[start] in ",;:—–"):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
