"""What can be told without a model: amounts, dates, names, negation, quantifiers, opposites, modality.

A check that fires says why in words. It is evidence about a claim, weighed by what the labelled pairs taught.
"""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice, pairwise, zip_longest
from typing import Literal, NamedTuple, get_args

from rapidfuzz import fuzz

from ragassay.judges.embedded import wordlists
from ragassay.judges.embedded.analysis import Analysis
from ragassay.judges.embedded.dates import Date
from ragassay.judges.embedded.evidence import Evidence
from ragassay.judges.embedded.pairing import Pairing
from ragassay.judges.embedded.polarity import denied, negated_forms, negators
from ragassay.judges.embedded.quantities import same_amount, same_figure, within
from ragassay.judges.embedded.reckoning import follows
from ragassay.judges.embedded.units import MONTHS, UNITS
from ragassay.judges.embedded.words import Stemmer, Word
from ragassay.text.normalise import visible

Kind = Literal[
    "number", "unit", "bound", "reckoned", "date", "name", "negation", "opposite", "quantifier", "modality",
    "unsettled", "only", "exchange", "binding",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)

_ALIKE = 82.0
_PREFIX = 3
_INFLECTED, _ENGLISH = 70.0, 88.0
_NO_NAMES = MONTHS.keys() | UNITS.keys()
_LONGEST_ACRONYM = 5
_SHOWN = 60
_COUNTED_BY_DIGITS = 4
_BEFORE_BOUNDS = frozenset(["no", "not", "or", "and", "не", "и", "или"])
_COMPARING = frozenset(["than", "чем"])
_ALL, _NONE, _ADVISED = 4, 9, 2
_GOVERNED = 4
_VALUES: frozenset[Kind] = frozenset(("number", "date"))
_CONTRARY: frozenset[Kind] = frozenset(("unit", "bound", "negation", "opposite", "exchange"))
_LATIN = (
    "а:a б:b в:v г:g д:d е:e ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh ц:ts ч:ch ш:sh щ:shch "
    "ъ: ы:y ь: э:e ю:yu я:ya"
)
_TO_LATIN = {ord(letter): latin for letter, _, latin in (pair.partition(":") for pair in _LATIN.split(" "))}


class Finding(NamedTuple):
    """One thing in which claim and text differ, and the words to say it."""

    kind: Kind
    reason: str


def is_contrary(pair: Pairing, findings: Sequence[Finding]) -> bool:
    """Whether the text speaks of what the claim speaks of and says otherwise, instead of only saying less."""
    near = {word.stem for word in pair.evidence.words}
    if len(pair.claim.stems & near) <= len(pair.claim.stems) / 2:
        return False
    kinds = {finding.kind for finding in findings}
    rivals = [*pair.passage.quantities, *pair.passage.dates]
    return bool(kinds & _CONTRARY) or (bool(kinds & _VALUES) and any(pair.evidence.holds(r.span) for r in rivals))


class Checker:
    """Holds claims against evidence by rules."""

    def __init__(self, stemmer: Stemmer) -> None:
        self._opposites = _opposites(stemmer)

    def findings(self, pair: Pairing) -> list[Finding]:
        """Everything that differs; empty where no rule objects, which does not yet make the claim supported."""
        claim, passage, evidence = pair.claim, pair.passage, pair.evidence
        near = evidence.beside(claim)
        return [
            *amounts(claim, passage, evidence),
            *missing_dates(claim, passage),
            *missing_names(claim, passage),
            *self._reversals(pair, near),
            *bindings(claim, evidence),
            *quantifiers(claim, near, evidence),
            *modality(claim, evidence),
            *settledness(claim, near, evidence),
        ]

    def _reversals(self, pair: Pairing, near: Sequence[Word]) -> list[Finding]:
        """Denials, opposites and exchanged places.

        Two of them cancel: "not open" is "closed", "A above B" is "B below A".
        """
        claim, best = pair.claim, pair.evidence.best
        opposed = list(self._opposed(claim, near, pair.passage))
        exchanged = list(exchanges(claim, best.words)) if best else []
        is_odd = (negators(claim.words) - negators(near)) % 2 == 1
        denials = list(negation(claim, near)) if is_odd else []
        if opposed and exchanged:
            return denials
        return exchanged if opposed and is_odd else [*opposed, *denials, *exchanged]

    def _opposed(self, claim: Analysis, near: Sequence[Word], passage: Analysis) -> Iterator[Finding]:
        own, given = _unbound(claim.words), _unbound(near)
        for stem, text in own.items():
            rivals = [r for r in sorted(self._opposites.get(stem, ())) if r in given and r not in own]
            if rivals and stem not in given and not (text in MONTHS and _lasts_through(text, passage)):
                yield Finding("opposite", f'"{_short(text)}" in the claim, "{_short(given[rivals[0]])}" in the text')


def _lasts_through(month: str, passage: Analysis) -> bool:
    """Whether the text speaks of a span of months that holds this one ("from June to August")."""
    named = [MONTHS[word.text] for word in passage.words if word.text in MONTHS and not _is_modal(word)]
    return any(first <= MONTHS[month] <= last for first, last in pairwise(named))


def _is_modal(word: Word) -> bool:
    """The verb "may", not the month."""
    return word.text == "may" and not word.is_capital


def _opposites(stemmer: Stemmer) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for left, right in wordlists.OPPOSITES:
        one, other = (stemmer.stem(word.replace("ё", "е")) for word in (left, right))
        if one != other:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return found


def amounts(claim: Analysis, passage: Analysis, evidence: Evidence) -> Iterator[Finding]:
    """Amounts of the claim that no amount of the passage carries."""
    given = passage.amounts
    for quantity in claim.quantities:
        if any(within(quantity, other) for other in given):
            continue
        shown = _short(claim.text[quantity.span.start : quantity.span.end])
        if not any(c.isdigit() for c in shown) and quantity.figure < _COUNTED_BY_DIGITS:
            continue
        same = [other for other in given if same_figure(quantity, other)]
        if any(same_amount(quantity, other) for other in same):
            yield Finding("bound", f"the text bounds {shown} in another way")
        elif same:
            yield Finding("unit", f"{shown} has another unit in the text")
        elif follows(quantity, [a for a in given if evidence.holds(a.span)]):
            yield Finding("reckoned", f"{shown} is not in the text but may be reckoned from it")
        else:
            yield Finding("number", f"number {shown} is not in the text")


def missing_dates(claim: Analysis, passage: Analysis) -> Iterator[Finding]:
    for date in claim.dates:
        if any(given.says(date, passage.years) for given in passage.dates):
            continue
        shown = _short(claim.text[date.span.start : date.span.end])
        if any(_is_later(date, given, passage) for given in passage.dates):
            yield Finding("reckoned", f"{shown} is not in the text but may be reckoned from it")
        else:
            yield Finding("date", f"date {shown} is not in the text")


def _is_later(date: Date, given: Date, passage: Analysis) -> bool:
    """Whether the text gives a date and a number of months or years that lead to the claimed one."""
    if date.months is None or given.months is None:
        return False
    spans = [quantity.low for quantity in passage.quantities if quantity.dimension == "calendar"]
    return any(abs(date.months - given.months) == span for span in spans if span)


def names(claim: Analysis) -> list[Word]:
    """Capitalised words of a claim, save where a capital only begins the sentence, and words of letters and digits."""
    inside = [word for sentence in claim.sentences for word in sentence.words[1:] if word.text.isalpha()]
    codes = [word for word in claim.words if not word.text.isalpha() and any(map(str.isalpha, word.text))]
    found = [word for word in (*inside, *codes) if word.is_capital and word.is_content and word.text not in _NO_NAMES]
    spans = [quantity.span for quantity in claim.quantities]
    named = [word for word in found if not any(span.start <= word.start < span.end for span in spans)]
    return sorted(named, key=lambda word: word.start)


def missing_names(claim: Analysis, passage: Analysis) -> Iterator[Finding]:
    for word in names(claim):
        if not _is_named(word, passage):
            yield Finding("name", f"name {_short(claim.text[word.start : word.end])} is not in the text")


def _is_named(name: Word, passage: Analysis) -> bool:
    """By stem, by a common beginning (inflection), as an initial, as an acronym, or in the other alphabet."""
    if name.stem in passage.stems:
        return True
    known = passage.named
    if len(name.text) == 1:
        return any(other.startswith(name.text) for other in known)
    latin = name.text.translate(_TO_LATIN)
    if any(_is_alike(name.text, latin, other) for other in known):
        return True
    initials = "".join(word.text[0] for word in passage.words if word.is_capital)
    return len(name.text) <= _LONGEST_ACRONYM and name.text in initials


def _is_alike(text: str, latin: str, other: str) -> bool:
    least = _ENGLISH if text.isascii() else _INFLECTED
    if text[:_PREFIX] == other[:_PREFIX] and len(other) > _PREFIX and fuzz.ratio(text, other) >= least:
        return True
    is_foreign = text.isascii() != other.isascii()
    return is_foreign and fuzz.ratio(latin, other.translate(_TO_LATIN)) >= _ALIKE


def negation(claim: Analysis, near: Sequence[Word]) -> Iterator[Finding]:
    """Words that one side denies and the other does not."""
    own, given = denied(claim.words), denied(near)
    for stem, is_denied in own.items():
        if stem in given and given[stem] != is_denied:
            yield Finding("negation", _denial(_short(stem), "claim" if is_denied else "text"))
        elif stem not in given:
            yield from _prefixed(stem, own, given, is_denied)
    for stem in given:
        if stem not in own and any(form in own and own[form] == given[stem] for form in negated_forms(stem)):
            yield Finding("negation", _denial(_short(stem), "text"))


def _prefixed(stem: str, own: Mapping[str, bool], given: Mapping[str, bool], is_denied: bool) -> Iterator[Finding]:
    if any(form in given and form not in own and given[form] == is_denied for form in negated_forms(stem)):
        yield Finding("negation", _denial(_short(stem), "claim"))


def _denial(word: str, side: str) -> str:
    return f'only the {side} denies around "{word}"'


def quantifiers(claim: Analysis, near: Sequence[Word], evidence: Evidence) -> Iterator[Finding]:
    """A claim about more than the text speaks of: "all" where the text says "some" or names exceptions."""
    own_words = {word.text for word in claim.words}
    excepted = [word.text for word in evidence.words if word.text in wordlists.EXCEPTIONS]
    is_whole = any(wordlists.QUANTIFIERS.get(word) == _ALL for word in own_words)
    if excepted and is_whole and not own_words & wordlists.EXCEPTIONS:
        yield Finding("quantifier", f'"all" in the claim, "{excepted[0]}" in the text')
    own, given = _strongest(claim.words, wordlists.QUANTIFIERS), _strongest(near, wordlists.QUANTIFIERS)
    if own and given and own[0] != given[0] and (own[0] > given[0] or given[0] == _NONE):
        yield Finding("quantifier", f'"{own[1]}" in the claim, "{given[1]}" in the text')


def modality(claim: Analysis, evidence: Evidence) -> Iterator[Finding]:
    """A claim that says more surely, or more strictly, what the text allows or advises."""
    near = _governing(claim, evidence, wordlists.MODALITY)
    own, given = _strongest(claim.words, wordlists.MODALITY), _strongest(near, wordlists.MODALITY)
    if own and given and own[0] != given[0]:
        yield Finding("modality", f'"{own[1]}" in the claim, "{given[1]}" in the text')
    elif given and not own and given[0] <= _ADVISED:
        yield Finding("modality", f'the text only says "{given[1]}"')


def settledness(claim: Analysis, near: Sequence[Word], evidence: Evidence) -> Iterator[Finding]:
    """Plans and reports taken for facts, and "only" that the text does not say."""
    own = {word.text for word in claim.words}
    unsettled = _governing(claim, evidence, wordlists.UNSETTLED)
    if unsettled and not own & wordlists.UNSETTLED:
        yield Finding("unsettled", f'the text says "{_short(unsettled[0].text)}", the claim states a fact')
    if own & wordlists.EXCLUSIVE and not any(word.text in wordlists.EXCLUSIVE for word in near):
        yield Finding("only", 'the text does not say "only"')


def _governing(claim: Analysis, evidence: Evidence, known: Container[str]) -> list[Word]:
    """The known words of the text that stand right before something of which the claim speaks."""
    return [
        word
        for sentence in evidence.sentences
        for number, word in enumerate(sentence.words)
        if word.text in known
        and (word.text not in MONTHS or _is_modal(word))
        and any(follower.stem in claim.stems for follower in _following(sentence.words, number))
    ]


def _following(words: Sequence[Word], number: int) -> Iterator[Word]:
    return islice((word for word in words[number + 1 :] if word.is_content), _GOVERNED)


def _unbound(words: Sequence[Word]) -> dict[str, str]:
    """Words by stem, without those that only bound an amount ("no fewer than", "or more")."""
    return {
        word.stem: word.text
        for number, word in enumerate(words)
        if not (number and words[number - 1].text in _BEFORE_BOUNDS)
    }


def exchanges(claim: Analysis, quote: Sequence[Word]) -> Iterator[Finding]:
    """Two names, figures or contrasted words of the claim that have changed places in the sentence it rests on.

    In Russian a role shows in the ending: another order with the same endings says the same, save beside a comparison.
    In English a passive turns the order round.
    """
    own, given = _marked(claim.words), _marked(quote)
    shared = [word for word in own.values() if word.stem in given]
    texts = ({word.text for word in claim.words}, {word.text for word in quote})
    is_passive = ("by" in texts[0]) != ("by" in texts[1])
    is_compared = all(words & _COMPARING for words in texts)
    for first, second in pairwise(shared):
        if first.text[0].isdigit() != second.text[0].isdigit():
            continue
        there, then = given[first.stem], given[second.stem]
        is_turned = there.start > then.start
        has_roles = is_compared or first.text.isascii() or (first.text, second.text) != (there.text, then.text)
        if has_roles and is_turned != (is_passive and first.text.isascii()):
            yield Finding("exchange", f'"{_short(first.text)}" and "{_short(second.text)}" have changed places')


def bindings(claim: Analysis, evidence: Evidence) -> Iterator[Finding]:
    """A name or figure of which the claim says what the text says of another, and nothing of what it says of this."""
    segments = [segment for sentence in evidence.sentences for segment in sentence.segments]
    given = [(_contents(segment), set(_marked(segment))) for segment in segments]
    for segment in (part for sentence in claim.sentences for part in sentence.segments):
        own, marked = _contents(segment), _marked(segment)
        for stem, word in marked.items():
            homes = [stems for stems, marks in given if stem in marks and stems - marks]
            rivals = [stems for stems, marks in given if stem not in stems and marks]
            home = max(homes, key=lambda stems: len(stems & own), default=None)
            if home and any(not ((home - r) & own) - {stem} and ((r - home) & own) - set(marked) for r in rivals):
                yield Finding("binding", f'the text says something else of "{_short(word.text)}"')


def _contents(words: Sequence[Word]) -> set[str]:
    return {word.stem for word in words if word.is_content}


def _marked(words: Sequence[Word]) -> dict[str, Word]:
    """Names, figures and contrasted words that stand once, of a name in several words the last."""
    counts = Counter(word.stem for word in words)
    is_marked = [
        w.text in wordlists.CONTRASTED or w.text[0].isdigit() or (w.is_capital and (number > 0 or w.is_content))
        for number, w in enumerate(words)
    ]
    ends = [marked and not following for marked, following in zip_longest(is_marked, is_marked[1:])]
    return {w.stem: w for w, is_end in zip(words, ends, strict=True) if is_end and counts[w.stem] == 1}


def _strongest(words: Sequence[Word], levels: Mapping[str, int]) -> tuple[int, str] | None:
    """The strongest word of a scale and its level; "not all" is "some", "not one" is "none"."""
    found = [(_level(words, number, levels), word.text) for number, word in enumerate(words) if word.text in levels]
    return max(found) if found else None


def _level(words: Sequence[Word], number: int, levels: Mapping[str, int]) -> int:
    level = levels[words[number].text]
    is_denied = number > 0 and words[number - 1].text in ("not", "не")
    return 1 if is_denied and level == _ALL else level


def _short(text: str) -> str:
    return visible(text)[:_SHOWN]
