"""A text taken apart once: its sentences, and the words, amounts, dates and names that claims are held against."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragassay.judges.embedded.dates import Date, dates
from ragassay.judges.embedded.embedder import UseEmbedder, Vectors
from ragassay.judges.embedded.quantities import Quantity, quantities
from ragassay.judges.embedded.reckoning import implied
from ragassay.judges.embedded.words import Stemmer, Word
from ragassay.text.sentences import Span, sentences

_LONG = 320
_ASIDE = 2
_CONJUNCTIONS = frozenset({"and", "but", "while", "whereas", "и", "а", "но"})
_CLAUSE_END = re.compile(r"[,;:()]|\s[—–-]\s")
_CUT = re.compile(r"[;:,]\s|\s[—–-]\s|\s")


@dataclass(frozen=True)
class Sentence:
    """A sentence, or a piece of a very long one, with its place in the text."""

    span: Span
    text: str
    words: tuple[Word, ...]

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(word.stem for word in self.words if word.is_content)

    @cached_property
    def segments(self) -> tuple[tuple[Word, ...], ...]:
        """The clauses, cut further at "and", "while" and the like: what is said of one thing each."""
        found: list[list[Word]] = []
        for clause in self.clauses:
            found.append([])
            for word in clause:
                if word.text in _CONJUNCTIONS:
                    found.append([])
                else:
                    found[-1].append(word)
        return tuple(tuple(words) for words in found if words)

    @cached_property
    def clauses(self) -> tuple[tuple[Word, ...], ...]:
        """The words between punctuation marks that part clauses; a word or two alone belong to what stands before."""
        found: list[list[Word]] = [[]]
        for number, word in enumerate(self.words):
            last = self.words[number - 1] if number else word
            between = self.text[max(0, last.end - self.span.start) : max(0, word.start - self.span.start)]
            if _CLAUSE_END.search(between):
                found.append([])
            found[-1].append(word)
        whole = found[:1]
        for words in found[1:]:
            if len(words) <= _ASIDE:
                whole[-1].extend(words)
            else:
                whole.append(words)
        return tuple(tuple(words) for words in whole)


@dataclass(frozen=True)
class Analysis:
    """A text with all that is asked of it. `vectors` has one row per sentence."""

    text: str
    sentences: tuple[Sentence, ...]
    vectors: Vectors

    @cached_property
    def words(self) -> tuple[Word, ...]:
        return tuple(word for sentence in self.sentences for word in sentence.words)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(word.stem for word in self.words if word.is_content)

    @cached_property
    def dates(self) -> list[Date]:
        return dates(self.text)

    @cached_property
    def quantities(self) -> list[Quantity]:
        return quantities(self.text, [date.span for date in self.dates])

    @cached_property
    def amounts(self) -> list[Quantity]:
        """Its quantities, what they imply, and the years of its dates."""
        dated = [(float(date.year), date.span) for date in self.dates if date.year is not None]
        years = [Quantity(year, year, "", year, span) for year, span in dated]
        return [*self.quantities, *implied(self.text, self.quantities), *years]

    @cached_property
    def years(self) -> frozenset[int]:
        """Every figure that may be the year of a date without one."""
        return frozenset(int(amount.figure) for amount in self.amounts)

    @cached_property
    def vector(self) -> Vectors:
        """The text as a whole: the mean of its sentences, of unit length (zeros for an empty text)."""
        mean = self.vectors.sum(axis=0)
        return mean / max(float(np.linalg.norm(mean)), 1e-9)

    @cached_property
    def named(self) -> frozenset[str]:
        """Folded words that stand capitalised somewhere."""
        return frozenset(word.text for word in self.words if word.is_capital)


def analyse(texts: Sequence[str], stemmer: Stemmer, embedder: UseEmbedder) -> list[Analysis]:
    """Every text taken apart; the sentences of all are embedded together."""
    parts = [_sentences(text, stemmer) for text in texts]
    vectors = embedder.encode([sentence.text for found in parts for sentence in found])
    ends = np.cumsum([len(found) for found in parts]).tolist()
    starts = [0, *ends][:-1]
    return [
        Analysis(text, tuple(found), vectors[start:end])
        for text, found, start, end in zip(texts, parts, starts, ends, strict=True)
    ]


def _sentences(text: str, stemmer: Stemmer) -> list[Sentence]:
    spans = [piece for span in sentences(text) for piece in _pieces(text, span)]
    found = [Sentence(span, text[span.start : span.end], tuple(stemmer.words(text, *span))) for span in spans]
    return [sentence for sentence in found if sentence.words]


def _pieces(text: str, span: Span) -> list[Span]:
    """A sentence without white space around it; one that no reader would take in at once, in pieces."""
    content = text[span.start : span.end]
    start = span.start + len(content) - len(content.lstrip())
    end = span.end - (len(content) - len(content.rstrip()))
    found: list[Span] = []
    while end - start > _LONG:
        cuts = [cut.end() for cut in _CUT.finditer(text, start + _LONG // 2, start + _LONG)]
        middle = cuts[-1] if cuts else start + _LONG
        found.append(Span(start, middle))
        start = middle
    return [*found, Span(start, end)]
