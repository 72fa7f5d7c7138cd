"""Whether passages hold what a question asks for: its words, its meaning, and a thing of the kind asked about."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from ragassay.judges.embedded.analysis import Analysis, Sentence
from ragassay.judges.embedded.network import Array

SUFFICIENCY = (
    "cosine_best", "cosine_second", "cosine_passage", "covered_best", "covered_passage", "asks_amount",
    "has_amount", "asks_time", "has_time", "asks_name", "has_name", "names_missing", "passage_words",
    "question_words", "is_russian",
)  # fmt: skip

_AMOUNT = re.compile(
    r"\bhow (?:many|much|long|old|far|tall|big|large|high|often)\b|\bwhat (?:percent|number)|\bсколь|\bкакой процент"
    r"|\bкакова? (?:длина|высота|площадь|численность|доля)",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|time|decade|century)\b|\bкогда\b|\bкакого числа\b"
    r"|\bв каком (?:году|месяце|веке)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\bwho(?:m|se)?\b|\bwhere\b|\b(?:which|what) (?:city|country|state|company|person)\b|\bwhat is the name\b|\bкто\b"
    r"|\bкого\b|\bкому\b|\bкем\b|\bгде\b|\bкуда\b|\bоткуда\b|\bкак (?:зовут|звали|называ)",
    re.IGNORECASE,
)
_TOP = 2
_CODE = re.compile(r"(?<![\w-])[^\W\d_]{1,3}[-\u2010\u2011]?\d\w*")
_ALIKE = str.maketrans("авекмнорстух", "abekmhopctyx", "-\u2010\u2011")


def sufficiency_features(question: Analysis, passage: Analysis) -> Array:
    """One value per name in `SUFFICIENCY`."""
    if not passage.sentences or not question.sentences:
        return np.zeros(len(SUFFICIENCY))
    scores: list[float] = np.round(passage.vectors @ question.vector, 4).tolist()
    order = sorted(range(len(scores)), key=lambda number: -scores[number])
    near = [passage.sentences[n] for n in order[:_TOP]]
    named = {word.stem for word in question.words if word.is_capital and word.is_content}
    return np.asarray(
        [
            scores[order[0]],
            scores[order[min(1, len(order) - 1)]],
            float(passage.vector @ question.vector),
            max(_covered(question, sentence.stems) for sentence in passage.sentences),
            _covered(question, passage.stems),
            *_asked(question, near, passage),
            float(len(named - passage.stems)) / max(len(named), 1),
            float(np.log1p(len(passage.words))),
            float(np.log1p(len(question.words))),
            float(any("а" <= character <= "я" for character in question.text.lower())),
        ]
    )


def lacks_a_code(question: str, passages: Iterable[str]) -> bool:
    """Whether the question names a code, of up to three letters and a number, that stands in no passage."""
    wanted = _codes(question)
    return bool(wanted) and not wanted <= frozenset[str]().union(*map(_codes, passages))


def _codes(text: str) -> frozenset[str]:
    """Codes without hyphens; Cyrillic letters that look Latin count as such, since people type either."""
    return frozenset(found.group().translate(_ALIKE) for found in _CODE.finditer(text.lower()))


def _covered(question: Analysis, stems: frozenset[str]) -> float:
    return len(question.stems & stems) / max(len(question.stems), 1)


def _asked(question: Analysis, near: Sequence[Sentence], passage: Analysis) -> list[float]:
    """For amount, time, name: whether the question asks for one, and whether the nearest sentences have a new one."""
    known = {word.text for word in question.words}
    amounts = [q for q in passage.quantities if any(s.span.start <= q.span.start < s.span.end for s in near)]
    has_amount = any(passage.text[q.span.start : q.span.end].lower() not in known for q in amounts)
    has_date = any(s.span.start <= d.span.start < s.span.end for d in passage.dates for s in near)
    has_time = has_date or any(_is_year(q.figure) and str(int(q.figure)) not in known for q in amounts)
    has_name = any(w.is_capital and w.text not in known for s in near for w in s.words[1:])
    found: list[float] = []
    for pattern, has in ((_AMOUNT, has_amount), (_TIME, has_time), (_NAME, has_name)):
        is_asked = pattern.search(question.text) is not None
        found += [float(is_asked), float(is_asked and has)]
    return found


def _is_year(figure: float) -> bool:
    return 1000 <= figure <= 2100 and figure % 1 == 0
