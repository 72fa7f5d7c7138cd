"""Finding a quote in its text: what a judge copies counts only where code finds it."""

import re
from itertools import accumulate

from ragassay.text.normalise import comparable
from ragassay.text.sentences import Span

_WORD = re.compile(r"\S+")
_TRIMMED = " \t\r\n.,;:!?…\"'«»“”„‘’`"
# Scripts that part words by spaces; Chinese or Thai text has no such borders to respect.
_LETTER = "0-9A-Za-z\u00c0-\u024f\u0400-\u052f"


def locate(quote: str, text: str) -> Span | None:
    """Where the quote stands in the text, as whole pieces between white space; None if it does not.

    Case, width, white space and invisible characters may differ, and so may punctuation at both ends of the quote. A
    quote never matches a part of a word or of a number: `5 mm` is not found in `1.5 mm`.
    """
    wanted = comparable(quote.strip(_TRIMMED))
    if not any(character.isalnum() for character in wanted):
        return None
    words = [Span(*word.span()) for word in _WORD.finditer(text)]
    folded = [comparable(text[word.start : word.end]) for word in words]
    found = _bounded(wanted).search(" ".join(folded))
    if found is None:
        return None
    ends = list(accumulate(len(word) + 1 for word in folded))
    first = next(index for index, end in enumerate(ends) if found.start() < end)
    last = next(index for index, end in enumerate(ends) if found.end() <= end)
    return Span(words[first].start, words[last].end)


def _bounded(wanted: str) -> re.Pattern[str]:
    before = rf"(?<![{_LETTER}])" if re.match(rf"[{_LETTER}]", wanted) else ""
    after = rf"(?![{_LETTER}])" if re.search(rf"[{_LETTER}]$", wanted) else ""
    if wanted[0].isdigit():
        before += r"(?<!\d[.,])(?<![-−+])"
    if wanted[-1].isdigit():
        after += r"(?![.,]\d)"
    return re.compile(before + re.escape(wanted) + after)
