"""The workload of `make bench-judge`: invented service manuals, the same samples in every run."""

import random
from itertools import cycle
from typing import TypedDict

ANSWERS, RUSSIAN = 50, 15
PASSAGES, WORDS = 5, 120
CLAIMS, REFERENCE = 4, 3


class Sample(TypedDict):
    """One answer of a RAG system: the passages it was given, and what it should have said."""

    id: str
    language: str
    question: str
    answer: str
    reference: str
    contexts: list[str]


_SHORT = {"en": 11, "ru": 7}
"""So many words below `WORDS` is enough: half of the last sentence, found by counting."""
_QUESTIONS = {
    "en": "What has to be observed when the {part} of the {machine} is serviced?",
    "ru": "Что нужно соблюдать при обслуживании узла «{part}» машины «{machine}»?",
}
_PARTS = {
    "en": ("hydraulic pump", "main bearing", "feed belt", "cooling circuit", "cutting head", "control cabinet"),
    "ru": ("гидравлический насос", "главный подшипник", "лента подачи", "контур охлаждения", "режущая головка"),
}
_SENTENCES = {
    "en": (
        "The {part} of the {machine} is inspected every {n} hours and replaced after {m} hours of operation.",
        "Before anyone opens the cover, the main switch must be locked and the pressure released below {n} bar.",
        "Screws of the size M{k} are tightened crosswise to {n} newton metres with a calibrated wrench.",
        "A trained operator records temperature and pressure in the log at the start of every shift.",
        "If the temperature of the {part} exceeds {n} degrees, the machine stops by itself and reports error E{m}.",
        "The warranty covers the {part} for {k} months, wear parts excepted, provided the service intervals were kept.",
        "Only oil of viscosity class {n} may be used; other oils damage the seals of the {part} within weeks.",
        "Spare parts for the {machine} are delivered within {k} working days from the warehouse in Linz.",
        "After cleaning, the {part} runs without load for {k} minutes so that remaining water can leave the housing.",
        "The supervisor signs the report, and a copy is kept for {k} years together with the measured values.",
        "In rooms with dust, the filter of the {machine} is changed twice as often as the table demands.",
        "Unusual noise of the {part} above {n} decibels is reported to the service at once.",
    ),
    "ru": (
        "Узел «{part}» машины «{machine}» проверяют каждые {n} часов и заменяют через {m} часов работы.",
        "Прежде чем открыть крышку, главный выключатель запирают, а давление снижают до уровня ниже {n} бар.",
        "Винты размера М{k} затягивают крест-накрест моментом {n} ньютон-метров с помощью поверенного ключа.",
        "Обученный оператор записывает температуру и давление в журнал в начале каждой смены.",
        "Если температура узла «{part}» превышает {n} градусов, машина останавливается сама и сообщает ошибку Е{m}.",
        "Гарантия на узел «{part}» действует {k} месяцев, кроме быстро изнашиваемых деталей и нарушений регламента.",
        "Разрешено только масло класса вязкости {n}; другие масла за несколько недель портят уплотнения узла.",
        "Запасные части для машины «{machine}» доставляют в течение {k} рабочих дней со склада в Казани.",
        "После очистки узел «{part}» работает без нагрузки {k} минут, чтобы из корпуса вышла оставшаяся вода.",
        "Начальник смены подписывает отчёт, а копию хранят {k} лет вместе с измеренными значениями.",
        "В пыльных помещениях фильтр машины «{machine}» меняют вдвое чаще, чем требует таблица.",
        "О необычном шуме узла «{part}» громче {n} децибел немедленно сообщают в сервисную службу.",
    ),
}


def samples() -> list[Sample]:
    dice = random.Random(4)
    languages = ["ru"] * RUSSIAN + ["en"] * (ANSWERS - RUSSIAN)
    dice.shuffle(languages)
    return [_sample(dice, number, language) for number, language in enumerate(languages)]


def _sample(dice: random.Random, number: int, language: str) -> Sample:
    about = {"machine": f"{dice.choice('АВЕКМН' if language == 'ru' else 'ABEKMN')}-{100 + number}"}
    about["part"] = dice.choice(_PARTS[language])
    contexts = [_passage(dice, language, about) for _ in range(PASSAGES)]
    stated = [f"{sentence.rstrip('.')}." for context in contexts for sentence in context.split(". ")[:2]]
    return Sample(
        id=f"s{number}",
        language=language,
        question=_QUESTIONS[language].format(**about),
        answer=" ".join(stated[:CLAIMS]),
        reference=" ".join(stated[CLAIMS - 1 : CLAIMS - 1 + REFERENCE]),
        contexts=contexts,
    )


def _passage(dice: random.Random, language: str, about: dict[str, str]) -> str:
    """Whole sentences, `WORDS` words on average over the passages."""
    sentences = dice.sample(_SENTENCES[language], k=len(_SENTENCES[language]))
    words: list[str] = []
    for sentence in cycle(sentences):
        numbers = {"n": dice.randrange(20, 400), "m": dice.randrange(1_000, 9_000), "k": dice.randrange(2, 36)}
        words += sentence.format(**about, **numbers).split()
        if len(words) >= WORDS - _SHORT[language]:
            return " ".join(words)
    raise AssertionError("a cycle has no end")
