"""Overlap of words between texts of any script, after SQuAD (Rajpurkar et al. 2016)."""

import re
from collections import Counter
from collections.abc import Sequence

from ragassay.text.normalise import comparable
from ragassay.text.refusals import observed

# Letters of scripts that put no spaces between words stand alone; marks of Indic and other scripts belong to words.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = (
    f"(?:(?![{_UNSPACED}])(?:[^\\W_]|[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u0670"
    "\u0900-\u0963\u0966-\u0dff\u1ab0-\u1aff\u1dc0-\u1dff]))++"
)
_TOKEN = re.compile(rf"\d++(?:[.,]\d++)++|{_WORD}(?:['’]{_WORD})*+|[{_UNSPACED}]")
_ARTICLES = frozenset({"a", "an", "the"})


def tokens(text: str) -> list[str]:
    """Words and numbers of a text in comparable form, without punctuation; single characters for Chinese, Japanese,
    Thai and other scripts without spaces. `3.14` stays one token.
    """
    return _TOKEN.findall(comparable(text))


def token_overlap(a: str, b: str) -> float | None:
    """The share of the tokens of `a` that occur in `b`, 0 to 1; None, that is undefined, if `a` has no tokens."""
    given, known = tokens(a), set(tokens(b))
    return sum(token in known for token in given) / len(given) if given else None


def token_f1(prediction: str, gold: str) -> float:
    """SQuAD F1: harmonic mean of token precision and recall, 0 to 1, English articles ignored.

    An empty gold means that the question has no answer: 1 for a refusal or an empty prediction, else 0.
    """
    if not gold.strip():
        return float(_is_withheld(prediction))
    given, wanted = Counter(_answer_tokens(prediction)), Counter(_answer_tokens(gold))
    if not given or not wanted:
        return float(comparable(prediction) == comparable(gold))
    shared = (given & wanted).total()
    return 2 * shared / (given.total() + wanted.total())


def exact_match(prediction: str, golds: Sequence[str]) -> bool:
    """SQuAD exact match: whether the prediction has the tokens of some gold in order, English articles ignored.

    No gold means that the question has no answer: true for a refusal or an empty prediction.
    """
    wanted = [gold for gold in golds if gold.strip()]
    if not wanted:
        return _is_withheld(prediction)
    return any(_is_same(prediction, gold) for gold in wanted)


def _is_same(prediction: str, gold: str) -> bool:
    given, wanted = _answer_tokens(prediction), _answer_tokens(gold)
    return given == wanted if given and wanted else comparable(prediction) == comparable(gold)


def _answer_tokens(text: str) -> list[str]:
    return [token for token in tokens(text) if token not in _ARTICLES]


def _is_withheld(prediction: str) -> bool:
    return observed(prediction).kind in ("refused", "empty")
