"""What the user is told where a request stops: what was and was not found, and a question back. Never an apology.

Data are put in as text, each on one line and clipped. Only documents that the requester may read are ever named. Names
stand inside of questions, so that the reply states nothing: it counts as withheld wherever answers are measured.
"""

import re
from collections.abc import Iterable
from typing import Literal

from ragassay.text.language import language_of
from ragassay.text.normalise import visible

_Language = Literal["en", "ru"]
_READ = 2_000
_LONGEST_TITLE = 80
_MOST_TITLES = 3
_STOP = re.compile(r"[.!?…。！？]+(?=\s)")

_STOPPED: dict[_Language, dict[str, str]] = {
    "en": {
        "search": "Nothing suitable was found for this question.",
        "grade": "",
        "verify": "The documents found do not support an answer to this question.",
        "failed": "I cannot answer this question now, because the answer could not be checked.",
    },
    "ru": {
        "search": "По этому вопросу ничего подходящего не нашлось.",
        "grade": "",
        "verify": "В найденных документах нет ответа на этот вопрос.",
        "failed": "Сейчас я не могу ответить на этот вопрос: ответ не удалось проверить.",
    },
}
_ASKED: dict[_Language, dict[str, str]] = {
    "en": {
        "missing": "Do you mean exactly {missing}, which the documents found do not mention,"
        " or another product, edition or number?",
        "near": "Which of the nearest documents do you mean: {near}?",
        "nearest": "Do you mean what the nearest document, {near}, says?",
        "bare": "Which product, edition or document do you mean?",
        "quotes": "“{}”",
    },
    "ru": {
        "missing": "Вы имеете в виду именно {missing}, чего в найденных документах нет,"
        " или другое изделие, редакцию, номер?",
        "near": "Какой из ближайших документов вы имеете в виду: {near}?",
        "nearest": "Вы имеете в виду ближайший документ, {near}?",
        "bare": "Какое изделие, какую редакцию или какой документ вы имеете в виду?",
        "quotes": "«{}»",
    },
}
_MARKS: dict[_Language, dict[str, str]] = {
    "en": {
        "unsupported": "[not confirmed by the documents]",
        "contradicted": "[the documents say otherwise]",
        "unresolved_citation": "[source not found]",
    },
    "ru": {
        "unsupported": "[не подтверждено документами]",
        "contradicted": "[документы говорят иное]",
        "unresolved_citation": "[источник не найден]",
    },
}


def refusal(question: str, stopped: str, missing: Iterable[str], titles: Iterable[str]) -> str:
    """The reply to a question that stopped at `search`, `grade` or `verify`, in its language: English or Russian."""
    language = _language(question)
    asked = _ASKED[language]
    named = ", ".join(missing)
    nearest = [asked["quotes"].format(_one_line(title)) for title in list(dict.fromkeys(titles))[:_MOST_TITLES]]
    said = [_STOPPED[language][stopped]]
    said += [asked["missing"].format(missing=named)] if named else []
    if nearest:
        said.append(asked["near" if len(nearest) > 1 else "nearest"].format(near=", ".join(nearest)))
    said += [asked["bare"]] if not named and not nearest else []
    return " ".join(part for part in said if part)


def unchecked(question: str) -> str:
    """The reply where a stage failed, rather than the question."""
    return _STOPPED[_language(question)]["failed"]


def mark(question: str, fault: str) -> str:
    """How a faulty claim or citation is marked in an answer to this question."""
    return _MARKS[_language(question)][fault]


def _language(question: str) -> _Language:
    return "ru" if language_of(question[:_READ]) == "ru" else "en"


def _one_line(title: str) -> str:
    """The title as part of a sentence: a full stop inside would end it."""
    shown = _STOP.sub(",", " ".join(visible(title[: 2 * _LONGEST_TITLE]).split())).rstrip(" .!?…。！？")
    return shown if len(shown) <= _LONGEST_TITLE else shown[: _LONGEST_TITLE - 1] + "…"
