import pytest

from ragassay.judges.embedded.analysis import analyse
from ragassay.judges.embedded.checks import Checker, is_contrary
from ragassay.judges.embedded.embedder import UseEmbedder
from ragassay.judges.embedded.pairing import pairing
from ragassay.judges.embedded.words import Stemmer


@pytest.fixture(scope="module")
def tools() -> tuple[Stemmer, UseEmbedder, Checker]:
    stemmer = Stemmer()
    return stemmer, UseEmbedder(), Checker(stemmer)


def kinds(tools: tuple[Stemmer, UseEmbedder, Checker], claim: str, text: str) -> set[str]:
    stemmer, embedder, checker = tools
    read = analyse([claim, text], stemmer, embedder)
    return {finding.kind for finding in checker.findings(pairing(read[0], read[1]))}


@pytest.mark.parametrize(
    ("kind", "claim", "text"),
    [
        ("number", "The pump moves 1520 litres.", "The pump moves 1250 litres."),
        ("number", "Насос качает 1520 литров.", "Насос качает 1250 литров."),
        ("unit", "The load is 36 kg.", "The load is 36 l."),
        ("bound", "The load is 15 kg.", "The load is at most 15 kg."),
        ("unit", "Груз весит 36 кг.", "Груз весит 36 т."),
        ("unit", "The fee is 300 roubles a year.", "The fee is 300 roubles a month."),
        (
            "reckoned",
            "The trial was stopped in March 2020.",
            "It began in October 2019 and was stopped five months later.",
        ),
        ("reckoned", "Of the applications 72 went on.", "Of the 96 applications 24 were rejected, the others went on."),
        ("number", "Крепость заложили в XVII веке.", "Крепость заложили в XVI веке."),
        ("opposite", "Музей открыт ежедневно, кроме вторника.", "Музей открыт ежедневно, кроме понедельника."),
        ("unsettled", "The mound holds a chamber.", "The mound probably holds a chamber."),
        ("date", "It was signed on 03.07.2024.", "It was signed on 3 March 2024."),
        ("date", "Договор подписан 4 марта 2024 года.", "Договор подписан 03.03.2024."),
        ("name", "The firm hired Maria Brandt.", "The firm hired Elena Marsh."),
        ("name", "Фирма наняла Марию Брандт.", "Фирма наняла Елену Маршакову."),
        ("negation", "The office is not open.", "The office is open."),
        ("negation", "Офис не работает.", "Офис работает."),
        ("opposite", "Sales increased in May.", "Sales decreased in May."),
        ("opposite", "Продажи выросли в мае.", "Продажи снизились в мае."),
        ("quantifier", "All sensors failed.", "Some sensors failed."),
        ("quantifier", "Все датчики отказали.", "Некоторые датчики отказали."),
        ("quantifier", "All schools are closed.", "All schools except two are closed."),
        ("modality", "Visitors must wear a helmet.", "Visitors may wear a helmet."),
        ("modality", "Посетители обязаны носить каску.", "Посетители могут носить каску."),
        ("unsettled", "The firm bought a ship.", "The firm plans to buy a ship."),
        ("only", "Only adults are admitted.", "Adults are admitted."),
        ("exchange", "Brandt paid Marsh.", "Marsh paid Brandt."),
        ("exchange", "Новый насос тише, чем старый.", "Старый насос тише, чем новый."),
        ("binding", "Group B lost 57 patients.", "Group A lost 57 patients and group B recruited 118 nurses."),
    ],
)
def test_a_difference_is_found(tools, kind: str, claim: str, text: str) -> None:
    assert kind in kinds(tools, claim, text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The path is 1500 m long.", "The path is 1.5 km long."),
        ("Путь длиной 1500 м.", "Путь длиной 1,5 км."),
        ("It was signed on 03.03.2024.", "It was signed on 3 March 2024."),
        ("At most 15 people came.", "Between 10 and 15 people came."),
        ("Договор подписал Иванов.", "Договор подписан Ивановым."),
        ("It was found by E. Marsh.", "It was found by Elena Marsh."),
        ("The complaint is not without merit.", "The complaint has merit."),
        ("Marsh was paid by Brandt.", "Brandt paid Marsh."),
        ("Рябова сменит Лундин.", "Лундин сменит Рябова."),
        ("Some sensors failed.", "All sensors failed."),
        ("The shop closes at nine in the evening.", "The shop closes at 9 p.m."),
        ("Крепость взорвали в XVIII веке.", "Крепость взорвали в 1708 году."),
        ("In July the shop closes at nine.", "From June to August the shop closes at nine."),
        ("Sales began.", "Sales began in May."),
        ("Seven or more members are needed.", "No fewer than seven members are needed."),
    ],
)
def test_the_same_in_other_words_is_no_difference(tools, claim: str, text: str) -> None:
    assert kinds(tools, claim, text) == set()


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        ("The pump moves 1520 litres.", "The pump moves 1250 litres.", True),
        ("The pump moves 1520 litres.", "The pump moves water.", False),
        ("The pump moves 1520 litres.", "The choir has 40 members.", False),
        ("The office is open.", "The office is not open.", True),
        ("The office is open.", "The door is not open to strangers in winter.", False),
        ("Elena Marsh runs the office.", "Somebody runs the office.", False),
    ],
)
def test_only_what_says_otherwise_is_contrary(tools, claim: str, text: str, expected: bool) -> None:
    stemmer, embedder, checker = tools
    read = analyse([claim, text], stemmer, embedder)
    pair = pairing(read[0], read[1])
    assert is_contrary(pair, checker.findings(pair)) is expected


def test_reasons_show_hostile_text_harmlessly(tools) -> None:
    stemmer, embedder, checker = tools
    read = analyse(["The Evil\u202eName came in 1999.", "Nobody came in 1998."], stemmer, embedder)
    reasons = [finding.reason for finding in checker.findings(pairing(read[0], read[1]))]
    assert any("1999" in reason for reason in reasons)
    assert all("\u202e" not in reason for reason in reasons)
