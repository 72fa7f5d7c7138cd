import csv
import gzip
import json
from pathlib import Path

import pytest

from ragassay.formats.label_words import WORDS, stance_of
from ragassay.formats.labels import current, item_id, read_history, read_labels, with_id, write_labels
from ragassay.records import CitationLabel, FaultyInput, Label, PassageLabel, RefusalLabel


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
            assert stance_of(f" {word.upper().replace(' ', '_')} ") == verdict


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
    with pytest.raises(FaultyInput, match="two different things"):
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
    assert item_id("claim", "A b", "c") == item_id("claim", "a\u00a0B", "C ")
    assert item_id("claim", "a", "b", "c") != item_id("claim", "a", "b c")
    assert item_id("claim", "a") != item_id("refusal", "a")


KINDS = (
    Label(claim="=1+1", context=("'quoted'", "-3 °C"), label="supports", lang="ru", slices=("a", "b"), rater="Ася"),
    Label(claim="'-3 °C", context=("x",), label="neutral", rater=""),
    CitationLabel(query="q1", passage="p#1", statement="@home", label="contradicts", rater="A"),
    CitationLabel(query="q1", marker="[2]", label="neutral"),
    PassageLabel(query="q1", passage="p#1", label=2.0, rater="A"),
    PassageLabel(query="q1", passage="p#2", label=0.0, rater="A"),
    RefusalLabel(query="q2", answer="I cannot\nsay.", label="refused", rater="B"),
)


@pytest.mark.parametrize("name", ["labels.jsonl", "labels.csv", "labels.jsonl.gz", "labels.csv.gz"])
def test_labels_of_every_kind_go_out_and_come_back(tmp_path, name):
    given = [with_id(label) for label in KINDS if label.rater != "" or not name.startswith("labels.csv")]
    write_labels(tmp_path / name, given)
    assert list(read_labels(tmp_path / name).labels) == given
    assert (tmp_path / name).read_bytes()[:2] == b"\x1f\x8b" or not name.endswith(".gz")


def test_no_cell_of_exported_labels_is_a_formula(tmp_path):
    write_labels(tmp_path / "labels.csv", KINDS)
    with (tmp_path / "labels.csv").open(encoding="utf-8-sig", newline="") as stream:
        cells = [cell for row in csv.reader(stream) for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+-@\t\r" and cell]


@pytest.mark.parametrize(
    ("row", "label"),
    [
        ({"kind": "citation", "query": "q", "passage": "p", "label": "wrong_source"}, "neutral"),
        ({"kind": "citation", "query": 7, "marker": 1, "label": "подтверждается"}, "supports"),
        ({"kind": "passage", "query": "q", "passage": "p", "label": "нерелевантно"}, 0.0),
        ({"kind": "passage", "query": "q", "passage": "p", "label": True}, 1.0),
        ({"kind": "passage", "query": "q", "passage": "p", "label": "0.5"}, 0.5),
        ({"kind": "passage", "query": "q", "passage": "p", "label": 3}, 3.0),
        ({"kind": "refusal", "query": "q", "label": "Отказ"}, "refused"),
        ({"kind": "refusal", "query": "q", "label": "asked_back"}, "clarified"),
    ],
)
def test_words_for_every_kind(given, row, label):
    assert read_labels(given([row])).labels[0].label == label


def test_faults_of_every_kind_at_once(given):
    rows = [
        {"kind": "citations", "query": "q", "passage": "p", "label": 1},
        {"kind": "citation", "query": "q", "label": 1},
        {"kind": "passage", "passage": "p", "label": "usefull"},
        {"kind": "passage", "query": "q", "passage": "p", "label": "usefull"},
        {"kind": "refusal", "query": "q", "label": "supports"},
        {"claim": "a", "label": 1},
    ]
    with pytest.raises(FaultyInput) as caught:
        read_labels(given(rows))
    found = [(fault.line, fault.field) for fault in caught.value.faults]
    assert found == [(1, "kind"), (2, "passage"), (3, "query"), (4, "label"), (5, "label"), (6, "context")]
    assert "useful" in (caught.value.faults[3].remedy or "")


def test_a_field_of_another_kind_is_told(given):
    found = read_labels(given([{"kind": "refusal", "query": "q", "label": "refused", "passage": "p"}]))
    assert [notice.code for notice in found.notices] == ["unknown_fields"]


def test_the_judge_is_measured_on_claims_alone(given):
    rows = [ROW | {"label": "supports"}, {"kind": "refusal", "query": "q", "label": "refused"}]
    found = read_labels(given(rows))
    assert len(found.labels) == 2
    assert [label.claim for label in found.claims] == ["a"]
