"""Finding a quote in its text: what a judge copies counts only where code finds it."""

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate

from ragassay.text.normalise import comparable
from ragassay.text.sentences import Span

_WORD = re.compile(r"\S+")
_TRIMMED = " \t\r\n.,;:!?…\"'«»“”„‘’`"
# Scripts that part words by spaces; Chinese or Thai text has no such borders to respect.
_LETTER = re.compile("[0-9A-Za-z\u00c0-\u024f\u0400-\u052f]")
_NUMBER_BEFORE, _NUMBER_AFTER = re.compile(r"(?:\d[.,]|[−\-+])\Z"), re.compile(r"[.,]\d")


class Folded:
    """A text as quotes are looked for in it, folded once for all of them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._words = [Span(*word.span()) for word in _WORD.finditer(text)]
        folded = [comparable(text[word.start : word.end]) for word in self._words]
        self._folded = " ".join(folded)
        self._ends = list(accumulate(len(word) + 1 for word in folded))

    def find(self, quote: str) -> Span | None:
        """Where the quote stands in the text, as whole pieces between white space; None if it does not.

        Case, width, white space and invisible characters may differ, and so may punctuation at both ends of the quote.
        A quote never matches a part of a word or of a number: `5 mm` is not found in `1.5 mm`.
        """
        wanted = comparable(quote.strip(_TRIMMED))
        if not any(character.isalnum() for character in wanted):
            return None
        start = self._folded.find(wanted)
        while start >= 0 and not self._is_whole(start, start + len(wanted)):
            start = self._folded.find(wanted, start + 1)
        if start < 0:
            return None
        first, last = bisect_right(self._ends, start), bisect_left(self._ends, start + len(wanted))
        return Span(self._words[first].start, self._words[last].end)

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether no word and no number goes on beyond the place."""
        first, last = self._folded[start], self._folded[end - 1]
        before, after = self._folded[max(0, start - 2) : start], self._folded[end : end + 2]
        if _LETTER.match(first) and _LETTER.match(before[-1:]):
            return False
        if _LETTER.match(last) and _LETTER.match(after[:1]):
            return False
        if first.isdigit() and _NUMBER_BEFORE.search(before):
            return False
        return not (last.isdigit() and _NUMBER_AFTER.match(after))
