import pytest

from ragassay.text.marks import marked_sentences, strip_marks


def labels(text: str, n_sources: int) -> list[tuple[str, int | None]]:
    return [(mark.label, mark.source) for mark in strip_marks(text, n_sources)[1]]


@pytest.mark.parametrize(
    ("text", "clean", "expected"),
    [
        ("A [1].", "A.", [("1", 1)]),
        ("A [1, 3] b", "A b", [("1", 1), ("3", 3)]),
        ("A [1-3].", "A.", [("1", 1), ("2", 2), ("3", 3)]),
        ("A [1–2].", "A.", [("1", 1), ("2", 2)]),
        ("A[1][2]. B", "A. B", [("1", 1), ("2", 2)]),
        ("A [^2].", "A.", [("2", 2)]),
        ("A [2](https://a.example/x).", "A.", [("2", 2)]),
        ("A [1, 9].", "A.", [("1", 1), ("9", None)]),
        ("A【7:12†file.pdf】.", "A.", [("7:12", None)]),
        ("A【2】", "A", [("2", 2)]),
        ("[1] A\n[2] B", "A\nB", [("1", 1), ("2", 2)]),
        ("A [1]b", "A b", [("1", 1)]),
    ],
)
def test_marks_leave_the_text(text: str, clean: str, expected: list[tuple[str, int | None]]) -> None:
    assert strip_marks(text, 3)[0] == clean
    assert labels(text, 3) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a[0]",
        "[2024]",
        "(1)",
        "[4]",
        "[x]",
        "[]",
        "`a[1]`",
        "```\na[1]\n```",
        "【注意】",
        "[^1]: Source",
        "[1]: http://a",
        "[3-1",
        "[-1]",
    ],
)
def test_other_brackets_are_content(text: str) -> None:
    assert strip_marks(text, 3) == (text, [])


def test_no_sources_no_plain_marks() -> None:
    assert strip_marks("A [1].", 0) == ("A [1].", [])


def test_raw_spans_point_at_the_brackets() -> None:
    raw = "Плата 6 EUR [1], срок 10 дней [2, 3]."
    _, marks = strip_marks(raw, 3)
    assert [raw[mark.span.start : mark.span.end] for mark in marks] == ["[1]", "[2, 3]", "[2, 3]"]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("The fee is 6 EUR [1]. The term is 10 days [2].", ["The fee is 6 EUR.", "The term is 10 days."]),
        ("The fee is 6 EUR. [1] The term is open.", ["The fee is 6 EUR."]),
        ("The fee [1] is 6 EUR.", ["The fee is 6 EUR."]),
        ("The fee is 6 [1] and the term 10 days [2].", ["The fee is 6", "and the term 10 days."]),
        ("The fee is 6 EUR [1][2].", ["The fee is 6 EUR.", "The fee is 6 EUR."]),
        ("Intro.\n[1] The fee is 6 EUR.", ["The fee is 6 EUR."]),
        ("The fee is 6 EUR.\n[1]", ["The fee is 6 EUR."]),
        ("Intro.\n- [1] The fee is 6 EUR.\n- The term is 10 days [2].", ["The fee is 6 EUR.", "The term is 10 days."]),
        ("The fee is 6 EUR.\n[1]\nThe term is open.", ["The fee is 6 EUR."]),
        ("[1]", [""]),
    ],
)
def test_a_mark_covers_its_sentence_from_the_mark_before(raw: str, expected: list[str]) -> None:
    text, marks = strip_marks(raw, 2)
    assert [text[start:end] for _, (start, end) in marked_sentences(text, marks)] == expected
