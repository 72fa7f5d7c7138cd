"""The hand-made contrast sets: well formed, balanced, split by passage, and not passed by counting shared words."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "contrast"
LANGUAGES = ("en", "ru")
KINDS = ("number", "unit", "date", "negation", "name", "quantifier", "comparative", "modality")
HALVES = ("development", "kept")
LABELS = ("supports", "contradicts", "neutral")
FIELDS = ["id", "lang", "kind", "passage", "claim", "binary", "label", "half"]
PAIRS_PER_LANGUAGE = 160
PAIRS_PER_KIND = 18
PASSAGE_WORDS = range(15, 81)
REWORDED_OVERLAP = 0.8
FLOOR_AUC = (0.3, 0.55)


class Pair:
    """One passage and one claim, with the verdict a careful reader gives."""

    def __init__(self, line: str) -> None:
        fields: dict[str, object] = json.loads(line)
        self.names = list(fields)
        self.binary = fields["binary"]
        self.id, self.lang, self.kind = str(fields["id"]), str(fields["lang"]), str(fields["kind"])
        self.passage, self.claim = str(fields["passage"]), str(fields["claim"])
        self.label, self.half = str(fields["label"]), str(fields["half"])

    @property
    def overlap(self) -> float:
        """Share of the claim's distinct words that the passage holds: the judge's floor."""
        claim = words(self.claim)
        return len(claim & words(self.passage)) / len(claim)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def letters(text: str) -> tuple[int, int]:
    """Latin and Cyrillic letters in a text."""
    return len(re.findall(r"[a-zà-öø-ÿ]", text.casefold())), len(re.findall(r"[а-яё]", text.casefold()))


def auc(supported: Iterable[float], unsupported: list[float]) -> float:
    """Chance that a supported claim scores higher than an unsupported one; a tie counts half."""
    return mean((s > u) + 0.5 * (s == u) for s in supported for u in unsupported)


SETS = {
    lang: [Pair(line) for line in (FOLDER / f"{lang}.jsonl").read_text(encoding="utf-8").splitlines()]
    for lang in LANGUAGES
}
PAIRS = [pair for lang in LANGUAGES for pair in SETS[lang]]


def test_every_pair_has_exactly_the_fields() -> None:
    assert [pair.id for pair in PAIRS if pair.names != FIELDS] == []


def test_ids_are_unique_and_name_language_and_kind() -> None:
    assert [name for name, seen in Counter(pair.id for pair in PAIRS).items() if seen > 1] == []
    assert [p.id for p in PAIRS if not re.fullmatch(rf"{p.lang}-{p.kind}-\d{{3}}", p.id)] == []


def test_values_come_from_the_closed_lists() -> None:
    closed = [p.kind in KINDS and p.half in HALVES and p.label in LABELS for p in PAIRS]
    assert [p.id for p, known in zip(PAIRS, closed, strict=True) if not known] == []
    assert [p.id for p in PAIRS if p.binary != int(p.label == "supports")] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_sets_are_large_enough(lang: str) -> None:
    kinds = Counter(pair.kind for pair in SETS[lang])
    assert len(SETS[lang]) >= PAIRS_PER_LANGUAGE
    assert {kind: kinds[kind] for kind in KINDS if kinds[kind] < PAIRS_PER_KIND} == {}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("kind", KINDS)
def test_both_classes_stand_in_each_half_of_each_kind(lang: str, half: str, kind: str) -> None:
    verdicts = Counter(pair.binary for pair in SETS[lang] if (pair.half, pair.kind) == (half, kind))
    assert set(verdicts) == {0, 1}
    assert 0.33 <= verdicts[1] / verdicts.total() <= 0.67


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_passage_stands_in_both_halves_or_in_two_kinds(lang: str) -> None:
    places: dict[str, set[tuple[str, str]]] = {}
    for pair in SETS[lang]:
        places.setdefault(pair.passage, set()).add((pair.half, pair.kind))
    assert [passage for passage, found in places.items() if len(found) > 1] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_passage_has_a_supported_and_an_unsupported_claim(lang: str) -> None:
    verdicts: dict[str, set[object]] = {}
    for pair in SETS[lang]:
        verdicts.setdefault(pair.passage, set()).add(pair.binary)
    assert [passage for passage, found in verdicts.items() if found != {0, 1}] == []


def test_passages_are_of_a_size_met_in_practice() -> None:
    sizes = {pair.passage: len(re.findall(r"\w[\w.,:/’'-]*", pair.passage)) for pair in PAIRS}
    assert {passage: size for passage, size in sizes.items() if size not in PASSAGE_WORDS} == {}


def test_claims_are_not_taken_from_the_passage_as_they_stand() -> None:
    assert [p.id for p in PAIRS if p.claim.casefold().rstrip(".") in p.passage.casefold()] == []
    claims = Counter((pair.passage, pair.claim.casefold()) for pair in PAIRS)
    assert [claim for claim, seen in claims.items() if seen > 1] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_at_least_half_of_the_supported_claims_are_reworded(lang: str) -> None:
    supported = [pair.overlap for pair in SETS[lang] if pair.binary == 1]
    assert mean(overlap < REWORDED_OVERLAP for overlap in supported) >= 0.5


@pytest.mark.parametrize("lang", LANGUAGES)
def test_shared_words_tell_nothing_about_the_verdict(lang: str) -> None:
    """A set that counting words could pass, in either direction, would say nothing about a judge."""
    supported = [pair.overlap for pair in SETS[lang] if pair.binary == 1]
    unsupported = [pair.overlap for pair in SETS[lang] if pair.binary == 0]
    assert FLOOR_AUC[0] <= auc(supported, unsupported) <= FLOOR_AUC[1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_script_is_that_of_the_language(lang: str) -> None:
    own = LANGUAGES.index(lang)
    texts = [(pair.id, letters(text)) for pair in SETS[lang] for text in (pair.passage, pair.claim)]
    assert [name for name, counts in texts if counts[own] <= 2 * counts[1 - own]] == []
