import pytest

from ragassay.text.overlap import exact_match, token_f1, token_overlap, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The fee's 3.14 EUR — don't!", ["the", "fee's", "3.14", "eur", "don't"]),
        ("Ещё ёж, e-mail", ["ещё", "ёж", "e", "mail"]),
        ("返品は30日", ["返", "品", "は", "30", "日"]),
        ("नहीं हिन्दी।", ["नहीं", "हिन्दी"]),
        ("…", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_token_overlap_is_a_share_of_the_first_text_and_undefined_without_tokens() -> None:
    assert token_overlap("плата 6 EUR", "Плата составляет 6 руб.") == pytest.approx(2 / 3)
    assert token_overlap("6 EUR", "") == 0.0
    assert token_overlap(" … ", "6 EUR") is None


@pytest.mark.parametrize(
    ("prediction", "gold", "expected"),
    [
        ("the cat sat", "a cat", 2 / 3),
        ("3.14", "314", 0.0),
        ("x x", "x", 2 / 3),
        ("the", "the", 1.0),
        ("the", "fee", 0.0),
        ("…", "…", 1.0),
        ("В документах об этом не сказано.", "", 1.0),
        ("Durres", " ", 0.0),
    ],
)
def test_token_f1(prediction: str, gold: str, expected: float) -> None:
    assert token_f1(prediction, gold) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("prediction", "golds", "is_match"),
    [
        ("The Eiffel Tower.", ["Louvre", "eiffel tower"], True),
        ("Tower Eiffel", ["Eiffel Tower"], False),
        ("Не знаю", [], True),
        ("10", ["1.0"], False),
        ("fee", ["…"], False),
    ],
)
def test_exact_match(prediction: str, golds: list[str], is_match: bool) -> None:
    assert exact_match(prediction, golds) is is_match
