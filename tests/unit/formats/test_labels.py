import gzip
import json
from pathlib import Path

import pytest

from ragassay.formats.labels import WORDS, current, item_id, read_history, read_labels, verdict_of, write_labels
from ragassay.records import FaultyInput, Label


@pytest.fixture
def given(tmp_path):
    def write(rows, name="labels.jsonl"):
        path = tmp_path / name
        text = rows if isinstance(rows, str) else "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return write


ROW = {"claim": "a", "context": "b"}


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"label": "SUPPORTS"}, "supports"),
        ({"label": "entailment"}, "supports"),
        ({"label": "not_entailment"}, "neutral"),
        ({"label": "REFUTES"}, "contradicts"),
        ({"label": "Противоречит"}, "contradicts"),
        ({"label": "не подтверждается"}, "neutral"),
        ({"label": 1}, "supports"),
        ({"label": False}, "neutral"),
        ({"label": "0", "binary": 1}, "supports"),
        ({"label": "partially-support", "binary": 0}, "neutral"),
        ({"label": "contradiction", "binary": 0}, "contradicts"),
        ({"binary": True}, "supports"),
        ({"binary": 0.0}, "neutral"),
    ],
)
def test_words_for_a_label(given, fields, verdict):
    assert read_labels(given([ROW | fields])).labels[0].label == verdict


def test_every_known_word_means_its_verdict_however_it_is_written():
    for verdict, words in WORDS.items():
        for word in words:
            assert verdict_of(f" {word.upper().replace(' ', '_')} ") == verdict


def test_all_fields_and_a_list_of_contexts(given):
    row = {
        "claim": "a",
        "context": ["b", "c"],
        "label": "supports",
        "lang": "ru",
        "slices": ["x"],
        "rater": "A",
        "id": 7,
    }
    label = read_labels(given([row], "labels.jsonl.gz")).labels[0]
    assert label == Label(claim="a", context=("b", "c"), label="supports", id="7", lang="ru", slices=("x",), rater="A")


def test_a_spreadsheet_of_labels(given):
    text = 'claim;context;label;slices;rater\nГруз 5 т;"[""Груз: 5 т"", ""Другое""]";верно;"[""x""]";Ася\n'
    label = read_labels(given(text, "labels.csv")).labels[0]
    assert (label.claim, label.context, label.label) == ("Груз 5 т", ("Груз: 5 т", "Другое"), "supports")
    assert label.slices == ("x",)


def test_the_history_of_a_rater_is_kept_and_only_the_last_label_counts(given):
    events = [("A", "supports"), ("A", "supports"), ("B", "supports"), ("A", "contradicts")]
    found = read_labels(given([ROW | {"rater": rater, "label": label} for rater, label in events]))
    assert [(label.rater, label.label) for label in found.labels] == [("A", "contradicts"), ("B", "supports")]
    assert [(label.rater, label.label) for label in found.superseded] == [("A", "supports")]
    assert "labels_superseded" in {notice.code for notice in found.notices}


def test_rows_without_a_decision_are_counted_and_left_out(given):
    rows = [ROW | {"label": "supports"}, {"claim": "c", "context": "d", "label": None}]
    rows += [
        {"claim": "e", "context": "f", "label": "no_majority", "binary": None},
        {"claim": "g", "context": [], "binary": 1},
    ]
    found = read_labels(given(rows))
    assert (len(found.labels), found.undecided) == (1, 2)
    counts = {notice.code: notice.count for notice in found.notices}
    assert counts == {"labels_undecided": 2, "labels_without_context": 1}


def test_all_faults_at_once_with_their_lines(given):
    rows = [
        ROW | {"label": "suported"},
        {"claim": " ", "context": "b", "label": "supports"},
        {"claim": "a", "label": "supports"},
        ROW | {"label": "entailment", "binary": 0},
        ROW | {"binary": 2},
        {"claim": "a", "context": [1], "label": "supports"},
    ]
    with pytest.raises(FaultyInput) as caught:
        read_labels(given(rows))
    faults = caught.value.faults
    assert [(fault.line, fault.field) for fault in faults] == [
        (1, "label"),
        (2, "claim"),
        (3, "context"),
        (4, "label"),
        (5, "binary"),
        (6, "context[0]"),
    ]
    assert "did you mean supported" in (faults[0].remedy or "")


def test_one_id_for_two_claims_is_a_fault(given):
    rows = [
        {"id": "x", "claim": "a", "context": "b", "binary": 1},
        {"id": "x", "claim": "c", "context": "b", "binary": 1},
    ]
    with pytest.raises(FaultyInput, match="two different claims"):
        read_labels(given(rows))


def test_no_label_at_all_is_a_fault(given):
    with pytest.raises(FaultyInput, match="no row has a decided label"):
        read_labels(given([ROW, {"claim": "x", "context": "y"}]))


def test_labels_come_back_as_they_were_written(tmp_path):
    labels = (
        Label(claim="=a\n", context=("b", "[1]"), label="contradicts", id="q", lang="en", slices=("s",), rater="Ы"),
        Label(claim="c", context=("d",), label="neutral", id="r"),
    )
    write_labels(tmp_path / "labels.jsonl", labels)
    assert read_labels(tmp_path / "labels.jsonl").labels == labels
    assert read_history(tmp_path / "labels.jsonl") == labels
    assert read_history(tmp_path / "nothing.jsonl") == ()


def test_a_damaged_history_is_never_shortened(tmp_path):
    path = Path(tmp_path / "labels.jsonl")
    write_labels(path, [Label(claim="c", context=("d",), label="neutral", id="r")])
    path.write_bytes(path.read_bytes() + b'{"claim":\n')
    with pytest.raises(FaultyInput) as caught:
        read_history(path)
    assert [fault.line for fault in caught.value.faults] == [2]


def test_going_back_and_forth_keeps_every_change():
    labels = [
        Label(claim="c", context=("d",), label=label, id="r", rater="A") for label in ("neutral", "supports", "neutral")
    ]
    now, before = current(labels)
    assert (now, before) == (tuple(labels[2:]), tuple(labels[:2]))


def test_ids_follow_what_a_reader_sees():
    assert item_id("A b", ("c",)) == item_id("a\u00a0B", ("C ",))
    assert item_id("a", ("b", "c")) != item_id("a", ("b c",))
