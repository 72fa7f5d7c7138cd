"""What holds for every text, hostile ones included."""

import unicodedata
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.text.marks import marked_sentences, strip_marks
from ragassay.text.normalise import colliding, comparable, identifier, visible
from ragassay.text.numbers import numbers, same_number_answer
from ragassay.text.overlap import exact_match, token_f1, token_overlap, tokens
from ragassay.text.refusals import observed
from ragassay.text.sentences import sentences
from ragassay.text.statements import statements

_PROSE = [
    "The fee is 6 EUR",
    "Срок 10 дней",
    "退货期限为30天",
    "I don't know",
    "в документах нет информации",
    "Do you mean A?",
]
_GLUE = [
    ", but ",
    "но ",
    "т. е. ",
    "Dr. ",
    "3,5",
    "-7 %",
    "。",
    ". ",
    "? ",
    "! ",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "# ",
    "| a | b |",
]
_MARKS = ["[1]", " [2, 3]", "【4:0†s】", "```", "`", "«", "»", '"', "'"]
_HOSTILE = ["\u200b", "\u202e", "\ud800", "\x1b", "\u0301", "\u00a0", "\u2028"]
FRAGMENTS = st.sampled_from([*_PROSE, *_GLUE, *_MARKS, *_HOSTILE])
TEXTS = st.one_of(st.text(max_size=60), st.lists(FRAGMENTS, max_size=14).map("".join))


@given(TEXTS)
def test_sentences_cover_the_text(text: str) -> None:
    spans = sentences(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)
    assert all(text[start:end].strip() for start, end in spans) or not text.strip()


@given(TEXTS)
def test_statements_lie_apart_inside_sentences(text: str) -> None:
    spans = statements(text)
    assert all(first.end <= second.start for first, second in pairwise(spans))
    assert all(any(s.start <= span.start and span.end <= s.end for s in sentences(text)) for span in spans)
    assert all(any(character.isalnum() for character in text[span.start : span.end]) for span in spans)


@given(TEXTS)
def test_comparable_is_idempotent_and_blind_to_case_form_and_space(text: str) -> None:
    once = comparable(text)
    assert comparable(once) == once
    assert comparable(unicodedata.normalize("NFD", text)) == once
    assert comparable(f" {text}\n") == once


@given(TEXTS)
def test_visible_text_is_one_harmless_line(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert shown.splitlines() in ([], [shown])
    assert not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in shown)
    assert visible(shown) == shown


@given(st.one_of(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1), st.integers()))
def test_identifiers_are_stable(value: str | int) -> None:
    if not str(value).strip():
        return
    once = identifier(value)
    assert identifier(once) == once
    assert not colliding([once, once])


@given(TEXTS, st.integers(min_value=0, max_value=3))
def test_only_brackets_and_white_space_leave_the_text(text: str, n_sources: int) -> None:
    clean, marks = strip_marks(text, n_sources)
    spans = sorted({mark.span for mark in marks})
    kept, at = "", 0
    for start, end in spans:
        kept, at = kept + text[at:start], end
    kept += text[at:]
    assert "".join(clean.split()) == "".join(kept.split())
    assert all(0 <= mark.position <= len(clean) for mark in marks)
    covered = marked_sentences(clean, marks)
    assert [mark for mark, _ in covered] == marks
    assert all(0 <= start <= end <= len(clean) for _, (start, end) in covered)


@given(TEXTS)
def test_identity_scores_one(text: str) -> None:
    assert token_overlap(text, text) == (1.0 if tokens(text) else None)
    if text.strip():
        assert token_f1(text, text) == 1.0
        assert exact_match(text, [text])


@given(TEXTS, TEXTS)
def test_f1_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert 0.0 <= token_f1(a, b) <= 1.0
    if a.strip() and b.strip():
        assert token_f1(a, b) == pytest.approx(token_f1(b, a))


@given(TEXTS)
def test_numbers_stand_where_they_say(text: str) -> None:
    found = numbers(text)
    assert all(any(c.isdigit() for c in text[number.span.start : number.span.end]) for number in found)
    assert not found or same_number_answer(text, text)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**9), max_value=10**9))
def test_a_number_survives_its_spellings(value: object) -> None:
    assert same_number_answer(f"{value:,}".replace(",", "\u00a0").replace(".", ",") + " руб.", f"{value}")
    assert same_number_answer(f"It is {value:,}", f"{value}")


@given(TEXTS)
def test_observed_spans_justify_the_kind(text: str) -> None:
    kind, spans = observed(text)
    assert bool(spans) == (kind in ("refused", "partial", "clarified"))
    if kind == "partial":
        assert statements(text)
    if kind == "empty":
        assert not any(character.isalnum() for character in text)


@pytest.mark.parametrize("read", [sentences, statements, numbers, tokens, observed, comparable, visible])
@given(text=TEXTS)
def test_nothing_a_text_holds_breaks_its_readers(read: Callable[[str], object], text: str) -> None:
    assert read(text) == read(text)
