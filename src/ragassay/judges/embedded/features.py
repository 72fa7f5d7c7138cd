"""A claim beside a passage as numbers: what the combination weighs."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from ragassay.judges.embedded import wordlists
from ragassay.judges.embedded.analysis import Analysis
from ragassay.judges.embedded.checks import KINDS, Finding, names
from ragassay.judges.embedded.embedder import UseEmbedder
from ragassay.judges.embedded.evidence import Evidence
from ragassay.judges.embedded.pairing import Pairing
from ragassay.judges.embedded.polarity import negators
from ragassay.judges.embedded.quantities import same_figure
from ragassay.judges.embedded.words import Word
from ragassay.text.language import language_of
from ragassay.text.overlap import tokens

_GRAM = 4
_FAR, _NEAR = 0.5, 0.7
_AROUND = 4
_MOST_PLACES = 20

COVERAGE = (
    "covered_passage", "covered_evidence", "covered_best", "words_covered", "bigrams_covered", "grams_covered",
    "in_order", "covered_back", "missing_words", "tokens_covered", "token_pairs_covered",
)  # fmt: skip
MEANING = (
    "cosine_best", "cosine_second", "cosine_passage", "cosine_quote", "near_mean", "near_least", "near_second",
    "share_far", "share_near",
)  # fmt: skip
SHAPE = (
    "claim_words", "passage_words", "sentences", "is_russian", "is_crossing", "claim_amounts", "claim_names",
    "inversions", "claim_negators", "text_negators", "negators_differ", "figure_apart", "figure_context",
    "claim_universal", "text_universal", "claim_modal", "text_modal", "claim_begins_new",
)  # fmt: skip
FEATURES: tuple[str, ...] = (*COVERAGE, *MEANING, *SHAPE, *(f"finds_{kind}" for kind in KINDS))


def features(pair: Pairing, findings: Sequence[Finding], embedder: UseEmbedder) -> NDArray[np.float64]:
    """One value per name in `FEATURES`."""
    values = [
        *_coverage(pair),
        *_meaning(pair, embedder),
        *_shape(pair.claim, pair.passage, pair.evidence),
        *(float(min(sum(found.kind == kind for found in findings), 3)) for kind in KINDS),
    ]
    return np.asarray(values, dtype=np.float64)


def open_words(pair: Pairing) -> tuple[list[str], list[str]]:
    """Content words of the claim that the evidence does not hold by stem, and those of the evidence they may mean."""
    near = pair.evidence.words
    held = {word.stem for word in near}
    missing = list(dict.fromkeys(w.text for w in pair.own if w.is_content and w.stem not in held))
    return missing, list(dict.fromkeys(w.text for w in near if w.is_content)) if missing else []


def _coverage(pair: Pairing) -> list[float]:
    evidence = pair.evidence
    stems = frozenset(word.stem for word in pair.own if word.is_content)
    near = frozenset(word.stem for word in evidence.words if word.is_content)
    best = evidence.best.stems if evidence.best else frozenset[str]()
    own, given = [w.stem for w in pair.own], [w.stem for w in evidence.words]
    grams, text = _grams(pair.own), _grams(evidence.words)
    return [
        _share(len(stems & pair.passage.stems), len(stems)),
        _share(len(stems & near), len(stems)),
        _share(len(stems & best), len(stems)),
        _share(sum(stem in set(given) for stem in own), len(own)),
        _share(len(set(pairwise(own)) & set(pairwise(given))), max(len(own) - 1, 1)),
        _share(len(grams & text), len(grams)),
        _share(int(LCSseq.similarity(own, given)), len(own)),
        _share(len(best & stems), len(best)),
        float(min(len(stems - near), 8)),
        *_overlap(pair.claim.text, pair.passage.text),
    ]


def _overlap(claim: str, passage: str) -> tuple[float, float]:
    """The shares of tokens, and of pairs of neighbouring tokens, that stand anywhere in the passage."""
    own, given = tokens(claim), tokens(passage)
    held = set(given)
    return (
        _share(sum(token in held for token in own), len(own)),
        _share(len(set(pairwise(own)) & set(pairwise(given))), max(len(own) - 1, 1)),
    )


def _meaning(pair: Pairing, embedder: UseEmbedder) -> list[float]:
    claim, passage, evidence = pair.claim, pair.passage, pair.evidence
    cosines = np.sort(evidence.cosines)[::-1]
    best = float(cosines[0]) if len(cosines) else 0.0
    second = float(cosines[1]) if len(cosines) > 1 else best
    quote = float(evidence.cosines[passage.sentences.index(evidence.best)]) if evidence.best else 0.0
    nearness = _nearness(pair, embedder)
    ordered = np.sort(nearness)
    return [
        best,
        second,
        float(passage.vector @ claim.vector),
        quote,
        float(nearness.mean()),
        float(ordered[0]),
        float(ordered[min(1, len(ordered) - 1)]),
        float((nearness < _FAR).mean()),
        float((nearness < _NEAR).mean()),
    ]


def _nearness(pair: Pairing, embedder: UseEmbedder) -> NDArray[np.float64]:
    """For every content word of the claim the cosine to the nearest word of the evidence; 1 for the same stem."""
    missing, given = open_words(pair)
    found = np.ones(max(len({word.stem for word in pair.own if word.is_content}), len(missing), 1))
    if missing:
        found[: len(missing)] = (embedder.words(missing) @ embedder.words(given).T).max(axis=1) if given else 0.0
    return found


def _shape(claim: Analysis, passage: Analysis, evidence: Evidence) -> list[float]:
    near = evidence.words
    denials, texts_denials = negators(claim.words), negators(near)
    own, given = language_of(claim.text), language_of(passage.text)
    apart, context = _figures(claim, passage, evidence)
    return [
        float(np.log1p(len(claim.words))),
        float(np.log1p(len(passage.words))),
        float(np.log1p(len(passage.sentences))),
        float(own == "ru"),
        float(own != given),
        float(min(len(claim.quantities) + len(claim.dates), 3)),
        float(min(len(names(claim)), 4)),
        _inversions(claim.words, near),
        float(min(denials, 3)),
        float(min(texts_denials, 3)),
        float((denials - texts_denials) % 2),
        apart,
        context,
        _level(claim.words, wordlists.QUANTIFIERS),
        _level(near, wordlists.QUANTIFIERS),
        _level(claim.words, wordlists.MODALITY),
        _level(near, wordlists.MODALITY),
        float(bool(claim.words) and claim.words[0].is_content and claim.words[0].stem not in passage.stems),
    ]


def _figures(claim: Analysis, passage: Analysis, evidence: Evidence) -> tuple[float, float]:
    """Amounts of the claim that stand in the passage but not in the evidence, and how alike their surroundings are."""
    apart, contexts = 0, [1.0]
    for quantity in claim.quantities:
        places = [other for other in passage.quantities if same_figure(quantity, other)][:_MOST_PLACES]
        if not places:
            continue
        is_near = any(s.span.start <= p.span.start < s.span.end for p in places for s in evidence.sentences)
        apart += not is_near
        own = _around(claim.words, quantity.span.start)
        contexts.append(max(_share(len(own & _around(passage.words, p.span.start)), len(own)) for p in places))
    return float(min(apart, 2)), min(contexts)


def _around(words: Sequence[Word], place: int) -> set[str]:
    middle = bisect_right(words, place, key=lambda word: word.end)
    around = words[max(0, middle - _AROUND) : middle + _AROUND + 1]
    return {word.stem for word in around if word.is_content and not word.text[0].isdigit()}


def _inversions(claim: Sequence[Word], near: Sequence[Word]) -> float:
    """The share of neighbouring shared words that stand the other way round in the text."""
    places: dict[str, int] = {}
    for number, word in enumerate(near):
        if word.is_content:
            places.setdefault(word.stem, number)
    shared = [places[w.stem] for w in claim if w.is_content and w.stem in places]
    turned = sum(left > right for left, right in pairwise(shared))
    return _share(turned, max(len(shared) - 1, 1))


def _level(words: Sequence[Word], levels: dict[str, int]) -> float:
    return max((levels[word.text] for word in words if word.text in levels), default=0) / 4


def _grams(words: Sequence[Word]) -> set[str]:
    return {
        word.text[n : n + _GRAM] for word in words if word.is_content for n in range(max(1, len(word.text) - _GRAM + 1))
    }


def _share(part: int, whole: int) -> float:
    """0 of 0 is 0 here: a feature, not a metric."""
    return part / whole if whole else 0.0
