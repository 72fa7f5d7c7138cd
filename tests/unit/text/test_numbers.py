from decimal import Decimal

import pytest

from ragassay.text.numbers import numbers, same_number_answer


def values(text: str) -> list[str]:
    return [str(number.value) for number in numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Цена 1 234,56 руб. и 1\u00a0000\u00a0000 шт.", ["1234.56", "1000000"]),
        ("вес 1,234 кг", ["1.234"]),
        ("1,234 items, 1,234,567.8 in all", ["1234", "1234567.8"]),
        ("1.234 m and 1.234.567 pieces", ["1.234", "1234567"]),
        ("0,125 %", ["0.125"]),
        ("1'000 and 2’500.50", ["1000", "2500.50"]),
        ("−5 °C, -3, +7, (-2)", ["-5", "-3", "7", "-2"]),
        ("10-15 дней, 10–15 дней, 5 - 3", ["10", "15", "10", "15", "5", "3"]),
        ("5mg, $29, €1.50, 1e3", ["5", "29", "1.50", "1E+3"]),
        ("٣٫", ["3"]),
        ("72, all in all. 72.", ["72", "72"]),
        ("1. First\n2. Second 10", ["10"]),
        ("v1.2.3, release 2.10.4, section 3.1.2, A12, GPT4", []),
        ("01.03.2024, 2024-03-01, 3/1/2024, 12:30, 12:30:05", []),
        ("в 2024 300 человек", ["2024", "300"]),
        ("", []),
    ],
)
def test_numbers_are_read_exactly(text: str, expected: list[str]) -> None:
    assert values(text) == expected


def test_spans_and_per_cent() -> None:
    text = "Пеня 0,1 % в день, 5 per cent, 7 процентов, 3"
    found = numbers(text)
    assert [text[number.span.start : number.span.end] for number in found] == [
        "0,1 %",
        "5 per cent",
        "7 процентов",
        "3",
    ]
    assert [number.is_percent for number in found] == [True, True, True, False]
    assert found[0].value == Decimal("0.1")


@pytest.mark.parametrize(
    ("prediction", "gold", "is_same"),
    [
        ("3 shops with 24 each make 72", "72", True),
        ("72 of 100", "72", False),
        ("1 000,50 руб.", "1000.5", True),
        ("between 5 and 10", "5-10", True),
        ("none", "0", False),
        ("5", "five", False),
        ("", "", False),
    ],
)
def test_last_numbers_answer(prediction: str, gold: str, is_same: bool) -> None:
    assert same_number_answer(prediction, gold) is is_same
