"""The language of a text, by the script that most of its letters belong to."""

import re
from typing import Literal

Language = Literal["en", "ru", "zh", "ja", "ko", "hi", "th", "ar", "und"]

_LETTERS: dict[Language, re.Pattern[str]] = {
    "en": re.compile("[A-Za-z\u00c0-\u024f]"),
    "ru": re.compile("[\u0400-\u052f]"),
    "zh": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"),
    "ja": re.compile("[\u3040-\u30ff\uff66-\uff9d]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
    "ar": re.compile("[\u0600-\u06ff]"),
}
# A Chinese text may quote a kana or two; a Japanese sentence has its particles and endings in kana.
_KANA_SHARE = 0.2


def language_of(text: str) -> Language:
    """`en` for Latin script, `ru` for Cyrillic, the usual code for six other scripts, `und` without letters.

    A guess by script: it tells which wording rules apply, not German from English.
    """
    counts: dict[Language, int] = {language: len(letters.findall(text)) for language, letters in _LETTERS.items()}
    if counts["ja"] >= _KANA_SHARE * counts["zh"]:
        counts["ja"] += counts["zh"] if counts["ja"] else 0
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] else "und"
