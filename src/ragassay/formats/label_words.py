"""What people and other tools call a label, in English and Russian, as one of our own words."""

import re
from collections.abc import Mapping
from typing import TypeVar

from ragassay.formats.fields import FALSE, TRUE
from ragassay.formats.reading import Misfit, Unfit, near_miss
from ragassay.records import AnswerKind, Stance
from ragassay.text.normalise import comparable

WORDS: dict[Stance, tuple[str, ...]] = {
    "supports": (
        *("supports", "supported", "support", "entailment", "entailed", "entails", "completely support", "complete"),
        *("attributable", "grounded", "faithful", "consistent", "correct"),
        *("подтверждается", "подтверждено", "подтверждён", "подтверждает", "следует", "верно"),
    ),
    "contradicts": (
        *("contradicts", "contradicted", "contradiction", "contradictory", "contradicting", "refutes", "refuted"),
        *("refute", "conflict"),
        *("противоречит", "противоречие", "опровергается", "опровергнуто", "опровергает"),
    ),
    "neutral": (
        *("neutral", "not entailment", "not entailed", "not supported", "unsupported", "not enough info", "nei"),
        *("irrelevant", "baseless", "unrelated", "partial", "partially support", "partially supported", "incomplete"),
        *("missing", "unverified", "hallucination", "hallucinated", "incorrect", "wrong source"),
        *("нейтрально", "не подтверждается", "не подтверждено", "не следует", "неверно", "чужой источник"),
    ),
}
"""What sources call a verdict. Not supported, without saying whether contradicted, is `neutral`."""

KINDS: dict[AnswerKind, tuple[str, ...]] = {
    "answered": ("answered", "answer", "ответил", "ответила", "ответ", "ответ дан"),
    "partial": ("partial", "partially", "partially answered", "частично", "частичный ответ", "ответил частично"),
    "refused": ("refused", "refusal", "refuse", "declined", "abstained", "отказ", "отказал", "отказала", "отказался"),
    "clarified": ("clarified", "clarification", "asked back", "уточнил", "уточнила", "уточнение", "переспросил"),
    "empty": ("empty", "nothing", "пусто", "пустой"),
    "unreadable": ("unreadable", "garbled", "нечитаемо", "неразборчиво"),
}
"""What an assistant did with a question."""

USEFUL: dict[float, tuple[str, ...]] = {
    1.0: ("useful", "relevant", "полезно", "полезен", "полезный", "релевантно", "релевантен"),
    0.0: (
        *("not useful", "useless", "irrelevant", "not relevant"),
        *("бесполезно", "не полезно", "бесполезен", "нерелевантно", "не релевантно", "нерелевантен"),
    ),
}
"""Of what use a passage is; a number is a grade."""

T = TypeVar("T")
UNDECIDED = frozenset({"", "n/a", "na", "none", "no majority", "undecided", "unsure", "unclear", "неясно", "не знаю"})
BOOLEAN: dict[str, bool] = {**dict.fromkeys(TRUE, True), **dict.fromkeys(FALSE, False)}
_SEPARATORS = re.compile(r"[\s_-]+")


def word(value: object) -> str:
    """A cell as a word: case, spacing, `_` and `-` make no difference."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _SEPARATORS.sub(" ", comparable("" if value is None else str(value))).strip()


def _known(words: Mapping[T, tuple[str, ...]]) -> dict[str, T]:
    return {word(each): meaning for meaning, known in words.items() for each in known}


STANCES: dict[str, Stance] = _known(WORDS)
_KINDS: dict[str, AnswerKind] = _known(KINDS)
_USEFUL: dict[str, float] = {**_known(USEFUL), **{each: float(truth) for each, truth in BOOLEAN.items()}}
_STANCES: dict[str, Stance] = {
    **{each: "supports" if truth else "neutral" for each, truth in BOOLEAN.items()},
    **STANCES,
}


def stance_of(value: object) -> Stance | None:
    """The verdict that a word means; None for one that says undecided. Raises `Unfit` for other words."""
    return _meaning(value, _STANCES, "supports, contradicts or neutral, or a usual word for one of them")


def kind_of(value: object) -> AnswerKind | None:
    """What an answer does, by a word for it; None for one that says undecided. Raises `Unfit` for other words."""
    return _meaning(value, _KINDS, ", ".join(KINDS))


def grade_of(value: object) -> float | None:
    """Of what use a passage is: a grade, or a word; None for one that says undecided. Raises `Unfit` for others."""
    try:
        return _meaning(value, _USEFUL, "useful or not useful, or a grade")
    except Unfit:
        text = str(value).strip()
        if re.fullmatch(r"[+-]?\d{1,6}(?:\.\d{1,6})?", text):
            return float(text)
        raise


def _meaning(value: object, known: Mapping[str, T], expected: str) -> T | None:
    said = word(value)
    if said in known:
        return known[said]
    if said in UNDECIDED:
        return None
    meant = near_miss(said, tuple(known))
    raise Unfit(Misfit(value, expected, f"did you mean {meant}?" if meant else "use one of these words", ".label"))
