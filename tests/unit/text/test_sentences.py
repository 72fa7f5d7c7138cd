import pytest

from ragassay.text.language import language_of
from ragassay.text.sentences import sentences


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def stripped(text: str) -> list[str]:
    return [piece.strip() for piece in pieces(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n", [" \n"]),
        ("\n\nA.\n\n\nB.\n", ["\n\nA.\n\n\n", "B.\n"]),
        ("One. Two", ["One. ", "Two"]),
    ],
)
def test_white_space_belongs_to_the_piece_before_it(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Smith, Prof. Lee and J. R. R. Tolkien met at 5 p.m. on Jan. 5.",
        "It costs 1.5 EUR vs. 2.75 EUR, i.e. less.",
        "The U.S. Government approved approx. 40 items in No. 7 of vol. 3.",
        "Yahoo! said so.",
        "Например, Э. И. Дюпон де Немур.",
        "Оплата 10 тыс. руб. в мес. на ул. Мира, стр. 5, кв. 7.",
        "Родился в 1950 г. в г. Минске, см. рис. 4 и табл. 2.",
        "Доход составил 5 млн. рублей и т. д. по списку.",
        "Он живёт в XIX в. до н. э. уже давно.",
        "«Уйди!» — сказал он.",
        "Wrapped text that continues\nin the next line.",
        "I am here to . . . submit.",
        "See example.com or v2.10.4 at 10.00.",
    ],
)
def test_one_sentence_stays_whole(text: str) -> None:
    assert stripped(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Take vitamin C. The dose is 5 mg.", ["Take vitamin C.", "The dose is 5 mg."]),
        ("He left the U.S. It was 1990.", ["He left the U.S.", "It was 1990."]),
        ("The answer is no. Ask again.", ["The answer is no.", "Ask again."]),
        ("Really?! Yes... Fine.", ["Really?!", "Yes...", "Fine."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("Fee (see p. 3). Term.", ["Fee (see p. 3).", "Term."]),
        ("The fee is 6 EUR.[1] The term is 10 days.", ["The fee is 6 EUR.[1]", "The term is 10 days."]),
        ("Основан в 1950 г. Закрыт в XX в. Музей открыт.", ["Основан в 1950 г.", "Закрыт в XX в.", "Музей открыт."]),
        ("Цена 5 руб. Скидки нет.", ["Цена 5 руб.", "Скидки нет."]),
        ("Скорость 1500 об/мин. Ротор цел.", ["Скорость 1500 об/мин.", "Ротор цел."]),
        ("स्वागत है। धन्यवाद॥ ठीक", ["स्वागत है।", "धन्यवाद॥", "ठीक"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("# Fees and Terms. All\nThe fee is 6.", ["# Fees and Terms. All", "The fee is 6."]),
        ("| a. B | c |\n|---|---|\n| 1. | 2 |", ["| a. B | c |", "|---|---|", "| 1. | 2 |"]),
        ("Steps:\n1. Switch off. Wait.\n2) Go\n- end", ["Steps:", "1. Switch off.", "Wait.", "2) Go", "- end"]),
        ("Run:\n```\nx = 1. Y\n\nz\n```\nDone.", ["Run:", "```\nx = 1. Y\n\nz\n```", "Done."]),
        ("Fee: 6 EUR\nTerm: 10 days", ["Fee: 6 EUR", "Term: 10 days"]),
    ],
)
def test_sentences_and_blocks_are_parted(text: str, expected: list[str]) -> None:
    assert stripped(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The fee is 6 EUR", "en"),
        ("Плата по SLA 6 EUR в месяц", "ru"),
        ("退货期限为30天", "zh"),
        ("返品は30日以内です", "ja"),
        ("वापसी 30 दिन", "hi"),
        ("สวัสดี", "th"),
        ("반품", "ko"),
        ("مرحبا", "ar"),
        ("30 %", "und"),
        ("", "und"),
    ],
)
def test_language_follows_the_script_of_most_letters(text: str, expected: str) -> None:
    assert language_of(text) == expected
