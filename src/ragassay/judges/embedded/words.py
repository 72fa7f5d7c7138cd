"""Words of a text as the judge compares them: folded, stemmed, with their place."""

import re
import sys
from typing import Any, NamedTuple

import Stemmer as Snowball  # pyright: ignore[reportMissingTypeStubs]

from ragassay.judges.embedded.wordlists import STOP_WORDS

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(
    rf"\d++(?:[.,]\d++)++|[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W_]|[\u0300-\u036f\u0900-\u0903\u093a-\u094f])++"
    r"(?:['’](?:[^\W_])++)*+"
)
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_FOLD = str.maketrans({"ё": "е", "\u0301": None, "\u0300": None, "’": "'"})
_SHORTENED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_MOST_STEMS = 100_000
_LONGEST_STEMMED = 40


class Word(NamedTuple):
    """A word: folded, its stem, where it stands, and whether it begins with a capital."""

    text: str
    stem: str
    start: int
    end: int
    is_capital: bool

    @property
    def is_content(self) -> bool:
        return self.text not in STOP_WORDS


class Stemmer:
    """Snowball stems of English and Russian words; words of other scripts stay as they are."""

    def __init__(self) -> None:
        self._english: Any = Snowball.Stemmer("english")
        self._russian: Any = Snowball.Stemmer("russian")
        self._known: dict[str, str] = {}

    def stem(self, word: str) -> str:
        found = self._known.get(word)
        if found is None:
            found = self._stemmed(word)
            if len(self._known) < _MOST_STEMS:
                self._known[word] = found
        return found

    def _stemmed(self, word: str) -> str:
        if len(word) > _LONGEST_STEMMED or not word.isalpha():
            return word
        stemmer = self._russian if _CYRILLIC.search(word) else self._english
        return str(stemmer.stemWord(word))

    def words(self, text: str, start: int = 0, end: int = sys.maxsize) -> list[Word]:
        """The words of a text, or of a part of it, in order; `isn't` is read as `is` and `not`, the possessive `'s` is
        dropped.
        """
        return [word for found in _WORD.finditer(text, start, end) for word in self._read(found) if word.text]

    def _read(self, found: re.Match[str]) -> list[Word]:
        raw, start, end = found.group(), found.start(), found.end()
        folded: str = raw.lower().translate(_FOLD)
        if folded.endswith("n't"):
            verb = _SHORTENED.get(folded[:-3], folded[:-3])
            return [
                Word(verb, self.stem(verb), start, end, is_capital=False),
                Word("not", "not", start, end, is_capital=False),
            ]
        folded = folded.removesuffix("'s")
        return [Word(folded, self.stem(folded), start, end, is_capital=raw[0].isupper())]
