"""Forms in which texts and identifiers are compared, and a form in which hostile text may be shown."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import groupby
from typing import Literal

# Starters that decompose into combining marks, and everything that may itself be one.
_MARK_RUN = re.compile("(?:[^\\w\\s\x00-\x7f]|[\uff9e\uff9f]){31,}")
_WORD = re.compile("(?:[^\\W\\d_]|[\u0300-\u036f])+")
_LATIN = re.compile("[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]")
_CYRILLIC = re.compile("[\u0400-\u0482\u048a-\u052f\u1c80-\u1c8f\ua640-\ua66e\ua680-\ua69b]")
_JOINERS = "\u200c\u200d"
_EXACT_FLOAT = 2**53


def comparable(text: str) -> str:
    """The form in which two texts are equal when a reader sees the same: NFKC, case folded, invisible
    characters removed, white space folded to single spaces and trimmed. Idempotent.
    """
    if text.isascii():
        return " ".join(_without_format_characters(text).casefold().split())
    seen = _without_format_characters(text)
    folded = _normal("NFKC", _normal("NFKC", seen).casefold())
    return " ".join(_without_format_characters(folded).split())


def identifier(value: object) -> str:
    """An id as text, converted once at the border: text in NFC without surrounding white space, whole numbers
    in decimal. Leading zeros of text are kept, since `007` and `7` are different documents.

    Raises ValueError for what names nothing: truth values, nothing, not-a-number, fractions, empty or damaged text,
    and floats so large that digits were lost before they came here.
    """
    match value:
        case bool():
            raise ValueError(f"an id cannot be the truth value {value}; give the id as text")
        case str():
            return _text_identifier(value)
        case int():
            return str(value)
        case float():
            return _float_identifier(value)
        case _:
            raise ValueError(f"an id must be text or a whole number, not {type(value).__name__}; give the id as text")


def _text_identifier(value: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"the id {visible(value)[:80]!r} holds half a surrogate pair; re-export the file as UTF-8")
    text = _normal("NFC", value).strip()
    if not text:
        raise ValueError(f"an id cannot be empty or white space only ({value[:20]!r}); give every item an id")
    return text


def _float_identifier(value: float) -> str:
    if not value.is_integer():
        raise ValueError(f"an id cannot be {value}; give the id as text")
    if abs(value) >= _EXACT_FLOAT:
        raise ValueError(f"the id {value:.0f} was read as a float and may have lost digits; store the column as text")
    return str(int(value))


def mixed_script(text: str) -> bool:
    """Whether some word mixes Latin and Cyrillic letters, which look alike and compare different."""
    return any(_LATIN.search(word) and _CYRILLIC.search(word) for word in _WORD.findall(text))


def colliding(ids: Iterable[str]) -> list[tuple[str, ...]]:
    """Groups of different raw ids that become one id in NFC, in order of first appearance."""
    groups: dict[str, dict[str, None]] = {}
    for raw in ids:
        groups.setdefault(_normal("NFC", raw), {})[raw] = None
    return [tuple(group) for group in groups.values() if len(group) > 1]


def visible(text: str) -> str:
    r"""The text on one line, safe for terminals and logs: control characters (line ends included), escape
    sequences, direction overrides, invisible characters and lone surrogates become `\n`, `\x1b`, `\u202e`.
    Letters of every script, spaces of every width and the joiners that scripts and emoji need stay.
    """
    if text.isprintable():
        return text
    return "".join(character if _is_harmless(character) else _escaped(character) for character in text)


def _is_harmless(character: str) -> bool:
    return character.isprintable() or character in _JOINERS or unicodedata.category(character) == "Zs"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _without_format_characters(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        character for character in text if character.isprintable() or unicodedata.category(character) != "Cf"
    )


def _normal(form: Literal["NFC", "NFKC"], text: str) -> str:
    """`unicodedata.normalize` in linear time.

    The interpreter sorts a run of combining marks by insertion; a run that is sorted beforehand costs one pass.
    """
    decomposed = "NFD" if form == "NFC" else "NFKD"
    return unicodedata.normalize(form, _MARK_RUN.sub(lambda run: _sorted_marks(run.group(), decomposed), text))


def _sorted_marks(run: str, decomposed: Literal["NFD", "NFKD"]) -> str:
    marks = "".join(unicodedata.normalize(decomposed, character) for character in run)
    by_starter = groupby(marks, key=lambda mark: unicodedata.combining(mark) == 0)
    return "".join(
        "".join(group) if is_starter else "".join(sorted(group, key=unicodedata.combining))
        for is_starter, group in by_starter
    )
