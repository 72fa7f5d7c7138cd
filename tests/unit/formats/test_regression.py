"""`cases.jsonl`: kept, asked again, retired, never lost."""

from datetime import date

import msgspec
import pytest

from ragassay.formats.bundle import Bundle
from ragassay.formats.loading import load_dataset
from ragassay.formats.lock import check_lock, write_lock
from ragassay.formats.regression import add_case, read_cases, retire_case, unmarked, with_cases
from ragassay.records import Cause, FaultyInput, PinnedCase, Query, Relevance, Retired, Shown

CAUSE = Cause(name="not_retrieved", stage="embedder", group="found nothing", detail="TI-204")
RETIRED = Retired(reason="the pump is no longer sold", date=date(2026, 12, 24))


def pinned(query="q1", kind="incident", run="0123456789abcdef", **rest):
    known = {
        "query": Query(id=query, question="Каков момент?", relevant=(Relevance(document="TI-204"),)),
        "cause": CAUSE,
        "date": date(2026, 12, 1),
        "answer": "70 Н·м",
        "passages": (Shown(passage="TI-204#1", document="TI-204", text="80 Н·м"),),
    }
    return PinnedCase(id=f"{query}@{run}", kind=kind, run=run, **(known | rest))


@pytest.fixture
def dataset(tmp_path):
    lines = ['{"id": "q1", "question": "Каков момент?", "relevant": [{"document": "TI-204"}], "slices": ["table"]}']
    lines += ['{"id": "q2", "question": "Кто подписывает?", "relevant": [{"document": "QP-03"}]}']
    (tmp_path / "queries.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def slices(folder):
    return {query.id: query.slices for query in load_dataset(folder).queries}


def codes(folder):
    return {notice.code: notice.samples for notice in load_dataset(folder).notices}


def test_a_case_comes_back_as_it_was_kept(dataset):
    assert read_cases(dataset) == ()
    first, second = pinned(note="из жалобы"), pinned("q2", kind="regression", error="timeout", answer=None)
    add_case(dataset, first)
    add_case(dataset, second)
    assert read_cases(dataset) == (first, second)


def test_the_same_failure_is_kept_once(dataset):
    add_case(dataset, pinned())
    with pytest.raises(FaultyInput) as refused:
        add_case(dataset, pinned(kind="regression"))
    assert [(fault.code, fault.value) for fault in refused.value.faults] == [("case_exists", "q1@0123456789abcdef")]
    add_case(dataset, pinned(run="fedcba9876543210"))
    assert len(read_cases(dataset)) == 2


def test_every_later_reading_of_the_dataset_has_the_cases_as_slices(dataset):
    assert slices(dataset) == {"q1": ("table",), "q2": ()}
    add_case(dataset, pinned())
    add_case(dataset, pinned(kind="regression", run="fedcba9876543210"))
    assert slices(dataset) == {"q1": ("table", "incident", "regression"), "q2": ()}
    assert codes(dataset) == {}
    assert load_dataset(dataset).inputs[-1] == "cases.jsonl (2 kept of 2)"


def test_a_query_that_left_the_dataset_is_asked_all_the_same_and_said(dataset):
    add_case(dataset, pinned("q9"))
    assert slices(dataset)["q9"] == ("incident",)
    assert codes(dataset) == {"cases_beyond_dataset": ("q9",)}


def test_a_query_whose_gold_changed_since_is_asked_as_it_is_now_and_said(dataset):
    add_case(dataset, pinned(query="q1"))
    text = (dataset / "queries.jsonl").read_text(encoding="utf-8").replace("TI-204", "TI-999")
    (dataset / "queries.jsonl").write_text(text, encoding="utf-8")
    bundle = load_dataset(dataset)
    assert bundle.queries[0].relevant == (Relevance(document="TI-999"),)
    assert codes(dataset) == {"cases_changed": ("q1",)}


def test_a_retired_case_stays_with_its_reason_and_is_not_asked(dataset):
    add_case(dataset, pinned("q9"))
    kept = retire_case(dataset, "q9@0123456789abcdef", RETIRED)
    assert read_cases(dataset) == (kept,)
    assert kept.retired == RETIRED
    assert "q9" not in slices(dataset)
    with pytest.raises(FaultyInput) as refused:
        add_case(dataset, pinned("q9"))
    assert refused.value.faults[0].code == "case_exists"


def test_what_cannot_be_retired_is_said(dataset):
    add_case(dataset, pinned())
    retire_case(dataset, "q1@0123456789abcdef", RETIRED)
    for case, code in (("q1@0123456789abcdeg", "unknown_case"), ("q1@0123456789abcdef", "case_retired")):
        with pytest.raises(FaultyInput) as refused:
            retire_case(dataset, case, RETIRED)
        assert refused.value.faults[0].code == code
    assert RETIRED.reason in refused.value.faults[0].message


def test_all_broken_lines_are_named_at_once_beside_other_faults(dataset):
    add_case(dataset, pinned())
    line = (dataset / "cases.jsonl").read_text(encoding="utf-8")
    broken = [line.replace("incident", "accident"), line, line.replace('"kind"', '"retird":null,"kind"')]
    (dataset / "cases.jsonl").write_text("".join(broken) + line, encoding="utf-8")
    (dataset / "dataset.toml").write_text('unit = "page"', encoding="utf-8")
    with pytest.raises(FaultyInput) as refused:
        load_dataset(dataset)
    found = [(fault.code, fault.line, fault.field) for fault in refused.value.faults if fault.file == "cases.jsonl"]
    assert found == [("bad_case", 1, "kind"), ("bad_case", 3, None), ("duplicate_case", 4, "id")]
    assert any(fault.file == "dataset.toml" for fault in refused.value.faults)


def test_the_lock_pins_the_cases(dataset):
    write_lock(dataset)
    add_case(dataset, pinned())
    mismatch = check_lock(dataset)
    assert mismatch is not None
    assert mismatch.samples == ("cases.jsonl",)


def test_marks_of_earlier_cases_are_not_kept():
    assert unmarked(Query(id="q1", slices=("table", "incident", "regression"))).slices == ("table",)


def test_without_cases_nothing_changes():
    bundle = Bundle(queries=(Query(id="q1"),))
    retired = msgspec.structs.replace(pinned(), retired=RETIRED)
    assert with_cases(bundle, ()) is bundle
    assert with_cases(bundle, [retired]) is bundle
