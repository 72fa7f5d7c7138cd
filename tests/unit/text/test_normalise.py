import math
import unicodedata

import pytest

from ragassay.text.normalise import colliding, comparable, identifier, mixed_script, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Straße\u00a0\n STRASSE ", "strasse strasse"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("до\u200bго\u00adвор", "договор"),
        ("ЁЛКА", "ёлка"),
        ("ﬁle №5", "file no5"),
        ("a\u202eb", "ab"),
        ("", ""),
    ],
)
def test_comparable_is_what_a_reader_sees(text: str, expected: str) -> None:
    assert comparable(text) == expected


def test_comparable_is_idempotent_for_every_character() -> None:
    for point in range(0x30000):
        once = comparable(f"a{chr(point)}\u0301")
        assert comparable(once) == once


@pytest.mark.parametrize("marks", ["\u0315\u0300", "\u0f73", "\uff9e\u0315", "\u0344\u0327"])
def test_long_runs_of_marks_keep_their_normal_form(marks: str) -> None:
    text = "a" + marks * 40 + "b" + marks * 3
    assert comparable(text) == unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    assert identifier(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("007", "007"), (" d1\n", "d1"), (101, "101"), (101.0, "101"), (-0.0, "0"), ("1.0", "1.0"), ("и\u0306", "й")],
)
def test_identifier_converts_once(value: object, expected: str) -> None:
    assert identifier(value) == expected


@pytest.mark.parametrize("value", [True, None, math.nan, math.inf, 1.5, 2.0**53, "", " \t", "a\ud800", b"1", ["1"]])
def test_what_names_nothing_is_refused_with_a_remedy(value: object) -> None:
    with pytest.raises(ValueError, match=r"\bid\b.*; (give|re-export|store)"):
        identifier(value)


def test_colliding_groups_raw_ids_in_order_and_ignores_repeats() -> None:
    assert colliding(["b", "й", "a", "и\u0306", "b", "A"]) == [("й", "и\u0306")]


def test_mixed_script_looks_at_words() -> None:
    assert mixed_script("привет, wоrld")
    assert not mixed_script("IT-отдел, 3D-принтер, café и Ёж")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("a\u202eb\u2066", r"a\u202eb\u2066"),
        ("a\ud800", r"a\ud800"),
        ("a\u2028b\u200b", r"a\u2028b\u200b"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("5\u00a0000 руб., नमस्ते, 👩\u200d🔬", "5\u00a0000 руб., नमस्ते, 👩\u200d🔬"),
    ],
)
def test_visible_shows_what_could_harm_and_keeps_what_is_read(text: str, expected: str) -> None:
    assert visible(text) == expected
