import pytest

from ragassay.text.statements import statements


def stated(text: str) -> list[str]:
    return [text[start:end] for start, end in statements(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "Здравствуйте, Анна!",
        "Thank you for your question.",
        "I'm sorry for the inconvenience.",
        "I hope this helps!",
        "Надеюсь, это поможет.",
        "Если у вас остались вопросы, пишите.",
        "Is there anything else?",
        "Что вас интересует?",
        "# Fees",
        "**Fees and terms**",
        "Here are the terms:",
        "---",
        "2)",
        "- \n- ",
        "I don't know.",
        "В документах об этом ничего не сказано.",
        "> quoted line from the question",
        "```\nprint(1)\n```",
        "",
    ],
)
def test_what_cannot_be_checked_is_no_statement(text: str) -> None:
    assert stated(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("72", ["72"]),
        ("Yes.", ["Yes."]),
        ("Hello! The fee is 6 EUR. Anything else?", ["The fee is 6 EUR."]),
        ("К сожалению, тариф составляет 5 EUR.", ["К сожалению, тариф составляет 5 EUR."]),
        ("Sorry, the fee is 6 EUR.", ["Sorry, the fee is 6 EUR."]),
        (
            "| Fee | Term |\n|---|---|\n| 6 EUR | 10 days |\n| 7 EUR | 5 days |",
            ["| 6 EUR | 10 days |", "| 7 EUR | 5 days |"],
        ),
        ("| 6 EUR | 10 days |", ["| 6 EUR | 10 days |"]),
        ("The fee is 6 EUR, but I don't know the term.", ["The fee is 6 EUR,"]),
        ("Срок мне не известен, но плата равна 6 EUR.", ["но плата равна 6 EUR."]),
        ("Шаги:\n  * Выключите прибор.\n  * Ждите.", ["Выключите прибор.", "Ждите."]),
        ('He asked: "When?"', ['He asked: "When?"']),
    ],
)
def test_statements_are_bare_and_in_order(text: str, expected: list[str]) -> None:
    assert stated(text) == expected
