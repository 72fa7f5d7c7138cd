"""What a question names: codes, numbers, quoted phrases, proper names; and whether texts mention it."""

import re
from collections.abc import Iterable, Sequence

from ragassay.text.normalise import comparable, visible

_MOST = 5
_LONGEST = 60
_READ = 4_000
_READ_TEXT, _MOST_TEXTS = 20_000, 20
_UPPER = "A-ZА-ЯЁ"
_PARAMETER = re.compile(
    rf"«(?P<angled>[^«»\n]{{2,{_LONGEST}}})»"
    rf'|["“„](?P<quoted>[^"“”„\n]{{2,{_LONGEST}}})["”“]'
    rf"|(?P<standard>(?<!\w)[{_UPPER}]{{2,10}} \d[\w.:/-]{{0,20}}\w?)"
    r"|(?P<code>(?<!\w)(?=[\w./-]{0,15}\d)[^\W\d_]{1,15}[-./]?\d[\w./-]{0,20}\w?)"
    r"|(?P<number>(?<![\w.,])\d{1,12}(?:[.,:/-]\d{1,12}){0,4}(?:[^\W\d_]{1,3}(?!\w))?)"
    rf"|(?P<name>(?<!\w)[{_UPPER}][^\W\d_]{{1,30}}(?:[ -][{_UPPER}][^\W\d_]{{1,30}}){{0,3}})"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?…]\s|\n)\s*$")
_LETTERS = re.compile(r"[^\W\d_]+")
_ENDING, _SHORTEST_STEM = 2, 4


def parameters(question: str) -> tuple[str, ...]:
    """What the question names, in order, each once, at most five, safe to show."""
    found: dict[str, str] = {}
    for match in _PARAMETER.finditer(question[:_READ]):
        text = match["angled"] or match["quoted"] or match.group()
        if match["name"] is not None and not _is_name(question, match):
            continue
        found.setdefault(comparable(text), visible(text).strip(" .,:/-")[:_LONGEST])
    return tuple(shown for shown in found.values() if shown)[:_MOST]


def missing(named: Iterable[str], texts: Sequence[str]) -> tuple[str, ...]:
    """The parameters that no text mentions. Words may differ in their ending, codes and numbers in nothing. Read are
    the first 20,000 characters of the first twenty texts."""
    seen = [comparable(text[:_READ_TEXT]) for text in texts[:_MOST_TEXTS]]
    return tuple(each for each in named if not any(_mentions(text, comparable(each)) for text in seen))


def _is_name(question: str, match: re.Match[str]) -> bool:
    """Whether capitals mean a name: not at the start of a sentence, unless all letters are capitals."""
    text = match.group()
    return text.isupper() or _SENTENCE_START.search(question[max(0, match.start() - 3) : match.start()]) is None


def _mentions(text: str, parameter: str) -> bool:
    parts = parameter.split(" ")
    return all(re.search(_form(part), text) is not None for part in parts if part)


def _form(word: str) -> str:
    """A pattern for the word: its stem where it is all letters, else as it stands."""
    if _LETTERS.fullmatch(word) and len(word) > _SHORTEST_STEM:
        stem = word[: max(_SHORTEST_STEM, len(word) - _ENDING)]
        return rf"(?<!\w){re.escape(stem)}"
    return rf"(?<!\w){re.escape(word)}(?!\w)"
