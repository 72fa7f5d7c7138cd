"""Real faults of other tools, by case id; the data lie beside the repository and are not part of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragassay.text.marks import strip_marks
from ragassay.text.normalise import colliding, comparable, identifier, mixed_script, visible
from ragassay.text.numbers import same_number_answer
from ragassay.text.overlap import exact_match, token_f1, token_overlap
from ragassay.text.refusals import observed
from ragassay.text.sentences import sentences
from ragassay.text.statements import statements

CASES = Path(__file__).parents[4] / "shared" / "cases" / "cases.jsonl"


@pytest.fixture(scope="module")
def cases() -> dict[str, Any]:
    if not CASES.is_file():
        pytest.skip("the shared cases are not beside this checkout")
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").split("\n") if line.strip()]
    return {row["id"]: row for row in rows}


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def test_c24_texts_match_as_a_whole_never_as_a_part(cases: dict[str, Any]) -> None:
    case = cases["C24"]
    found = {comparable(text) for text in case["input"]["retrieved_texts"]}
    gold = [comparable(text) for text in case["input"]["gold_texts"]]
    assert sum(text in found for text in gold) / len(gold) == case["expected"]["recall@3"]


def test_c29_refusal_of_an_unanswerable_question_is_right(cases: dict[str, Any]) -> None:
    case = cases["C29"]
    for row, expected in zip(case["input"], case["expected"], strict=True):
        assert exact_match(row["prediction"], row["gold"]) == bool(expected["em"])
        assert token_f1(row["prediction"], "".join(row["gold"])) == pytest.approx(expected["f1"], abs=1e-6)


def test_c30_only_an_explicit_refusal_is_one(cases: dict[str, Any]) -> None:
    kinds = {True: "refused", False: "answered", "partial": "partial"}
    for row in cases["C30"]["input"]:
        assert (row["t"], observed(row["t"]).kind) == (row["t"], kinds[row["abstain"]])
    partial = "The documents do not mention the fee. The deadline is 10 days."
    assert [partial[start:end] for start, end in statements(partial)] == ["The deadline is 10 days."]


def test_c54_every_script_has_sentences_and_no_character_is_lost(cases: dict[str, Any]) -> None:
    for row in cases["C54"]["input"]:
        assert (row["t"], len(pieces(row["t"]))) == (row["t"], row["n"])
        assert "".join(pieces(row["t"])) == row["t"]


def test_c56_abbreviations_do_not_end_sentences(cases: dict[str, Any]) -> None:
    for row in cases["C56"]["input"]:
        assert (pieces(row["t"]), len(pieces(row["t"]))) == (pieces(row["t"]), row["n"])


def test_c57_statements_are_counted_not_lines_or_markers(cases: dict[str, Any]) -> None:
    for row in cases["C57"]["input"]:
        assert (row["t"], len(statements(row["t"]))) == (row["t"], row["claims"])


def test_c59_marks_are_metadata_and_brackets_of_content_stay(cases: dict[str, Any]) -> None:
    case = cases["C59"]
    raw = case["input"]["answer"]
    text, marks = strip_marks(raw, case["input"]["n_sources"])
    assert text == case["expected"]["text_for_metrics"]
    assert [mark.source or mark.label for mark in marks] == case["expected"]["citations"]
    assert [raw[mark.span.start : mark.span.end] for mark in marks] == ["【4:0†source】", "[2]"]


def test_c75_a_line_separator_is_part_of_the_text_and_shown(cases: dict[str, Any]) -> None:
    lines = cases["C75"]["input"]["text"].split("\n")
    query = json.loads(lines[0])["q"]
    assert len([line for line in lines if line]) == cases["C75"]["expected"]["records"]
    assert pieces(query) == [query]
    assert visible(query) == r"a\u2028b"


def test_c77_numbers_are_compared_exactly(cases: dict[str, Any]) -> None:
    for row in cases["C77"]["input"]:
        assert (row, same_number_answer(row["pred"], row["gold"])) == (row, row["equal"])


def test_c79_identity_scores_one_in_every_script(cases: dict[str, Any]) -> None:
    case = cases["C79"]
    for row, expected in zip(case["input"], case["expected"], strict=True):
        assert token_f1(row["pred"], row["gold"]) == expected
        assert token_overlap(row["pred"], row["gold"]) == expected
        assert exact_match(row["pred"], [row["gold"]])


@pytest.mark.parametrize(
    ("a", "b", "is_text_equal", "is_id_equal"),
    [
        ("\u0439", "\u0438\u0306", True, True),
        ("\u30d1", "\u30cf\u309a", True, True),
        ("\uff21\uff11\uff12", "A12", True, False),
        ("до\u200bговор", "договор", True, False),
        ("\u0430", "a", False, False),
        ("ещё", "еще", False, False),
    ],
)
def test_c81_texts_are_equal_as_seen_and_ids_in_one_normal_form(
    a: str, b: str, is_text_equal: bool, is_id_equal: bool
) -> None:
    assert (comparable(a) == comparable(b)) is is_text_equal
    assert (identifier(a) == identifier(b)) is is_id_equal
    assert colliding([a, b]) == ([(a, b)] if is_id_equal else [])


def test_c81_a_word_of_two_scripts_is_flagged() -> None:
    assert mixed_script("догoвор на год")
    assert not mixed_script("SQL-запрос и Wi-Fi, ещё раз")
