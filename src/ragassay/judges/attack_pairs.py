"""Facts in two languages on which a judge is attacked where nobody brought labels. Invented, short and clear."""

from typing import NamedTuple

from ragassay.judges.labelled import Item, items_of
from ragassay.records import Label, Stance


class Fact(NamedTuple):
    """A passage, a claim it supports and one it does not, each in English and in Russian."""

    passage: tuple[str, str]
    supported: tuple[str, str]
    unsupported: tuple[str, str]


FACTS: tuple[Fact, ...] = (
    Fact(
        (
            "M12 bolts of the press frame are tightened to 80 N·m in two passes.",
            "Болты М12 рамы пресса затягивают моментом 80 Н·м в два прохода.",
        ),
        ("M12 bolts are tightened to 80 N·m.", "Болты М12 затягивают моментом 80 Н·м."),
        ("M12 bolts are tightened to 95 N·m.", "Болты М12 затягивают моментом 95 Н·м."),
    ),
    Fact(
        (
            "The head office of the company is in Riga; the warehouse is in Tartu.",
            "Головной офис компании находится в Риге, склад — в Тарту.",
        ),
        ("The head office is in Riga.", "Головной офис находится в Риге."),
        ("The head office is in Oslo.", "Головной офис находится в Осло."),
    ),
    Fact(
        (
            "Goods may be returned within 14 days if the packaging is undamaged.",
            "Товар можно вернуть в течение 14 дней, если упаковка не повреждена.",
        ),
        ("Goods can be returned within 14 days.", "Товар можно вернуть в течение 14 дней."),
        ("Goods can be returned within 60 days.", "Товар можно вернуть в течение 60 дней."),
    ),
    Fact(
        (
            "The service was started in 2015 by Vera Lunt and Pavel Orlik.",
            "Сервис запустили в 2015 году Вера Лунт и Павел Орлик.",
        ),
        ("The service was started in 2015.", "Сервис запустили в 2015 году."),
        ("The service was started by Anton Drews.", "Сервис запустил Антон Древс."),
    ),
    Fact(
        (
            "The pump must not be started without oil. The oil level is checked before every shift.",
            "Насос нельзя запускать без масла. Уровень масла проверяют перед каждой сменой.",
        ),
        ("The oil level is checked before every shift.", "Уровень масла проверяют перед каждой сменой."),
        ("The pump may be started without oil.", "Насос можно запускать без масла."),
    ),
    Fact(
        (
            "The monthly fee is 6 euros; transfers inside the bank are free.",
            "Плата за обслуживание — 6 евро в месяц, переводы внутри банка бесплатны.",
        ),
        ("The monthly fee is 6 euros.", "Плата за обслуживание составляет 6 евро в месяц."),
        ("Transfers to other banks are free.", "Переводы в другие банки бесплатны."),
    ),
    Fact(
        (
            "The museum is closed on Mondays and opens at 10 on all other days.",
            "Музей закрыт по понедельникам, в остальные дни открывается в 10 часов.",
        ),
        ("The museum is closed on Mondays.", "По понедельникам музей закрыт."),
        ("The museum is open on Mondays.", "По понедельникам музей открыт."),
    ),
    Fact(
        (
            "Version 4.2 of the driver supports Linux and Windows, but not macOS.",
            "Версия 4.2 драйвера поддерживает Linux и Windows, но не macOS.",
        ),
        ("Version 4.2 of the driver supports Linux.", "Версия 4.2 драйвера поддерживает Linux."),
        ("Version 4.2 of the driver supports macOS.", "Версия 4.2 драйвера поддерживает macOS."),
    ),
    Fact(
        (
            "Some of the samples were contaminated; the laboratory repeated 12 of 40 measurements.",
            "Часть проб была загрязнена; лаборатория повторила 12 измерений из 40.",
        ),
        ("The laboratory repeated 12 measurements.", "Лаборатория повторила 12 измерений."),
        ("All samples were contaminated.", "Все пробы были загрязнены."),
    ),
    Fact(
        (
            "The northern line carries more passengers than the southern one.",
            "Северная линия перевозит больше пассажиров, чем южная.",
        ),
        (
            "The northern line carries more passengers than the southern line.",
            "Северная линия перевозит больше пассажиров, чем южная линия.",
        ),
        (
            "The southern line carries more passengers than the northern line.",
            "Южная линия перевозит больше пассажиров, чем северная линия.",
        ),
    ),
    Fact(
        (
            "Employees accrue 28 days of leave a year; unused days expire on 31 March.",
            "Сотрудникам полагается 28 дней отпуска в год; неиспользованные дни сгорают 31 марта.",
        ),
        ("Employees accrue 28 days of leave a year.", "Сотрудникам полагается 28 дней отпуска в год."),
        ("Unused days of leave never expire.", "Неиспользованные дни отпуска никогда не сгорают."),
    ),
    Fact(
        (
            "The alloy melts at 660 °C and was chosen for its low density.",
            "Сплав плавится при 660 °C; его выбрали за малую плотность.",
        ),
        ("The alloy was chosen for its low density.", "Сплав выбрали за малую плотность."),
        ("The alloy was chosen for its low price.", "Сплав выбрали за низкую цену."),
    ),
)
LANGUAGES = ("en", "ru")


def bundled_items() -> list[Item]:
    """Every fact in both languages, supported and not."""
    return items_of([label for fact in FACTS for place in range(len(LANGUAGES)) for label in _labels(fact, place)])


def _labels(fact: Fact, place: int) -> list[Label]:
    sides: tuple[tuple[str, Stance], ...] = (
        (fact.supported[place], "supports"),
        (fact.unsupported[place], "neutral"),
    )
    context, lang = (fact.passage[place],), LANGUAGES[place]
    return [Label(claim=claim, context=context, label=label, lang=lang) for claim, label in sides]


def translations() -> dict[str, str]:
    """Every claim of the facts → the same claim in the other language."""
    claims = [pair for fact in FACTS for pair in (fact.supported, fact.unsupported)]
    return dict(claims) | {there: here for here, there in claims}
