import pytest

from ragassay.judges.embedded.polarity import denied, negators
from ragassay.judges.embedded.words import Stemmer

STEMMER = Stemmer()


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("The office is not open", "open", True),
        ("The office isn't open", "open", True),
        ("The office is open", "open", False),
        ("Офис не работает", "работает", True),
        ("Без ключа крышка снимается", "ключа", True),
        ("never without approval", "approval", False),
        ("It not only works, it shines", "works", False),
        ("не менее семи голосов", "голосов", False),
    ],
)
def test_what_a_negator_governs(text: str, word: str, expected: bool) -> None:
    assert denied(STEMMER.words(text))[STEMMER.stem(word)] is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("никто не пришёл", 1), ("nobody came", 1), ("не более пяти", 0), ("it is not impossible", 1), ("all is well", 0)],
)
def test_negators_counted(text: str, expected: int) -> None:
    assert negators(STEMMER.words(text)) == expected
