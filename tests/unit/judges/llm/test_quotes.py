import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.judges.llm.quotes import Folded

TEXT = "Tighten M12\u00a0bolts to 80 N·m.  Never exceed\n1.5 mm of play; Момент — не более 180 Н·м (ГОСТ 7798-70)."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("m12 bolts to 80 n·m", "M12\u00a0bolts to 80 N·m."),
        ("«Tighten M12 bolts»", "Tighten M12\u00a0bolts"),
        ("never exceed 1.5 mm", "Never exceed\n1.5 mm"),
        ("МОМЕНТ — НЕ БОЛЕЕ 180 Н·м", "Момент — не более 180 Н·м"),
        ("ГОСТ 7798-70", "(ГОСТ 7798-70)."),
        ("bolts\u200b to", "bolts to"),
        ("5 mm of play", None),
        ("80 Н·м", None),
        ("exceed 1.5 mm of play; Момен", None),
        ("ever exceed", None),
        ("Tighten … 80 N·m", None),
        ("", None),
        (" … ", None),
        ("in the text nowhere", None),
    ],
)
def test_a_quote_is_found_as_the_reader_sees_it(quote, found):
    span = Folded(TEXT).find(quote)
    assert (TEXT[span.start : span.end] if span else None) == found


def test_a_language_without_spaces_has_no_word_borders():
    text = "本社はリガにあります。"
    assert Folded(text).find("リガ") == (0, len(text))


@given(st.lists(st.text("abвг19 .,-", min_size=1, max_size=6), min_size=1, max_size=8), st.data())
def test_words_of_a_text_are_always_found_in_it(words, data):
    text = " ".join(words)
    pieces = text.split()
    if not pieces:
        return
    first = data.draw(st.integers(0, len(pieces) - 1))
    quote = " ".join(pieces[first:])
    if any(character.isalnum() for character in quote):
        span = Folded(text).find(quote)
        assert span is not None
        assert 0 <= span.start < span.end <= len(text)
