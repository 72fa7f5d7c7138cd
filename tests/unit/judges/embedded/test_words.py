from ragassay.judges.embedded.words import Stemmer

STEMMER = Stemmer()


def texts(text: str) -> list[str]:
    return [word.text for word in STEMMER.words(text)]


def test_contractions_and_possessives() -> None:
    assert texts("The firm's staff can't and won't") == ["the", "firm", "staff", "can", "not", "and", "will", "not"]


def test_stress_marks_and_yo_do_not_tell_words_apart() -> None:
    assert texts("Москва́ и полёт") == ["москва", "и", "полет"]


def test_inflected_forms_share_a_stem() -> None:
    assert len({word.stem for word in STEMMER.words("договор договора договором")}) == 1
    assert len({word.stem for word in STEMMER.words("contract contracts contracted")}) == 1


def test_scripts_without_spaces_are_read_by_character() -> None:
    assert texts("東京は") == ["東", "京", "は"]


def test_spans_point_into_the_text() -> None:
    text = "Цена — 1,5 млн."
    assert [text[word.start : word.end] for word in STEMMER.words(text)] == ["Цена", "1,5", "млн"]
