"""Which words of a text are denied."""

from collections.abc import Sequence

from ragassay.judges.embedded.wordlists import BOUNDING, NEGATORS
from ragassay.judges.embedded.words import Word

_REACH = {"except": 1, "кроме": 1, "не": 1, "ни": 1, "без": 2, "without": 3, "no": 3, "нет": 2}
_USUAL_REACH = 3
_UNDOING = (
    "without",
    "fail",
    "lack",
    "refus",
    "den",
    "absen",
    "hardly",
    "без",
    "отсутств",
    "отказ",
    "невозмож",
    "нельзя",
)
_PREFIXES = ("un", "in", "im", "dis", "non", "ir", "il", "не", "без", "бес")
_SHORTEST_ROOT = 4


def denied(words: Sequence[Word]) -> dict[str, bool]:
    """For every content stem whether some negator governs it ("not", «без», "fails to"); double negation cancels."""
    found: dict[str, bool] = {}
    reach = 0
    for number, word in enumerate(words):
        following = words[number + 1].text if number + 1 < len(words) else ""
        if _negates(word, following):
            cancels = reach > 0 and _follows_negator(words, number) and _undoes(words[number - 1].text, word.text)
            reach = 0 if cancels else _REACH.get(word.text, _USUAL_REACH)
        elif word.is_content:
            found[word.stem] = found.get(word.stem, False) or reach > 0
            reach = max(0, reach - 1)
    return found


def negators(words: Sequence[Word]) -> int:
    """How many negators a text has, Russian double ones («никто не») counted once."""
    counted = 0
    for number, word in enumerate(words):
        following = words[number + 1].text if number + 1 < len(words) else ""
        is_doubled = word.text == "не" and number > 0 and words[number - 1].text.startswith("ни")
        counted += _negates(word, following) and not is_doubled
    return counted


def _negates(word: Word, following: str) -> bool:
    """A machine that fails denies nothing; one that fails to start does."""
    if word.text.startswith("fail") and following != "to":
        return False
    return word.text in NEGATORS and following not in BOUNDING


def _follows_negator(words: Sequence[Word], number: int) -> bool:
    return number > 0 and words[number - 1].text in NEGATORS


def _undoes(first: str, second: str) -> bool:
    return second.startswith(_UNDOING) or (second == "не" and first in ("нельзя", "невозможно"))


def negated_forms(stem: str) -> tuple[str, ...]:
    """The stem with its negating prefix taken off, if it has one."""
    return tuple(
        stem[len(prefix) :]
        for prefix in _PREFIXES
        if stem.startswith(prefix) and len(stem) - len(prefix) >= _SHORTEST_ROOT
    )
