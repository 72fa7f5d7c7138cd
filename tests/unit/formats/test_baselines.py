"""Pinned runs: found by name, refused once changed, never written over."""

import json
import shutil
from datetime import UTC, datetime

import pytest
from golden.reports.example import bundle

from ragassay.formats.baselines import PLACE, named_folder, pin_run, read_baselines
from ragassay.formats.runs import StoredRun, read_run, write_run
from ragassay.records import FaultyInput
from ragassay.runner import Settings, measure

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)


def stored(**settings):
    found = measure(bundle(), Settings(resamples=20, **settings))
    observed = found.observed
    return StoredRun(
        run=found.run,
        matrices=found.matrices,
        fractions=found.fractions,
        queries=observed.queries,
        answers=observed.answers,
    )


@pytest.fixture(scope="module")
def first():
    return stored(k=(1, 5))


@pytest.fixture(scope="module")
def second():
    return stored(k=(1, 10))


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codes(call):
    with pytest.raises(FaultyInput) as faulty:
        call()
    return [fault.code for fault in faulty.value.faults]


def test_what_was_pinned_is_read_back_with_nothing_but_the_repository(first, tmp_path, monkeypatch):
    pin = pin_run("release", first, None, NOW)
    shutil.copytree(tmp_path / PLACE, tmp_path / "checkout" / PLACE)
    monkeypatch.chdir(tmp_path / "checkout")
    assert read_baselines() == (pin,)
    back = read_run(named_folder("release"))
    assert back.run == first.run
    assert back.fractions.equals(first.fractions)
    assert (back.queries, back.answers) == (first.queries, first.answers)


def test_a_pin_says_what_when_and_why(first):
    pin_run("release", first, None, NOW)
    said = json.loads((PLACE / "release-1.json").read_text(encoding="utf-8"))
    card = first.run.card
    assert (said["run"], said["dataset_hash"], tuple(said["metrics"])) == (
        first.run.id,
        card.dataset_hash,
        card.metrics,
    )
    assert (said["pinned"], said["reason"], said["version"]) == ("2026-12-01T09:30:00Z", "the first version", 1)
    assert set(said["files"]) >= {"run.json", "fractions.parquet", "observations/answers.jsonl"}


def test_another_version_needs_a_reason_and_takes_nothing_away(first, second):
    pin_run("release", first, None, NOW)
    assert codes(lambda: pin_run("release", second, None, NOW)) == ["no_reason"]
    assert codes(lambda: pin_run("release", second, "  ", NOW)) == ["no_reason"]
    pin_run("release", second, "deeper lists", NOW)
    assert [pin.title for pin in read_baselines()] == ["release@1", "release@2"]
    runs = [read_run(named_folder(name)).run.id for name in ("release@1", "release@2", "release")]
    assert runs == [first.run.id, second.run.id, second.run.id]
    assert codes(lambda: named_folder("release@3")) == ["unknown_baseline"]


def test_the_same_run_is_no_new_version(first):
    pin_run("release", first, None, NOW)
    assert codes(lambda: pin_run("release", first, "again", NOW)) == ["baseline_unchanged"]
    assert len(read_baselines()) == 1
    assert not list(PLACE.glob(".*run*")) and {path.name for path in PLACE.iterdir()} == {
        ".gitattributes",
        "release-1",
        "release-1.json",
    }


@pytest.mark.parametrize("part", ["run.json", "fractions.parquet", "matrices/retrieval.parquet"])
def test_a_changed_a_lost_and_an_added_file_are_refused_by_name(first, part):
    folder = pin_run("release", first, None, NOW).folder
    kept = (folder / part).read_bytes()
    (folder / part).write_bytes(kept + b"\n")
    with pytest.raises(FaultyInput, match=rf"{part}: a file of the baseline release@1 was changed"):
        named_folder("release")
    (folder / part).unlink()
    with pytest.raises(FaultyInput, match=rf"{part}: a file of the baseline release@1 is missing"):
        named_folder("release")
    (folder / part).write_bytes(kept)
    assert named_folder("release") == folder
    (folder / "matrices" / "more.parquet").write_bytes(b"")
    with pytest.raises(FaultyInput, match="was added"):
        named_folder("release")


def test_hashes_edited_to_fit_do_not_fit_the_content(first):
    folder = pin_run("release", first, None, NOW).folder
    path = PLACE / "release-1.json"
    said = json.loads(path.read_text(encoding="utf-8"))
    del said["files"]["fractions.parquet"]
    (folder / "fractions.parquet").unlink()
    path.write_text(json.dumps(said), encoding="utf-8")
    assert codes(lambda: named_folder("release")) == ["baseline_changed"]


def test_a_lost_version_a_damaged_pin_and_a_renamed_one_are_faults(first, second):
    pin_run("release", first, None, NOW)
    pin_run("release", second, "deeper lists", NOW)
    one, two = (PLACE / f"release-{version}.json" for version in (1, 2))
    kept = one.read_bytes()
    one.unlink()
    assert codes(read_baselines) == ["baseline_gone"]
    one.write_bytes(two.read_bytes())
    assert codes(read_baselines) == ["baseline_damaged"]
    one.write_bytes(kept[:-20])
    assert codes(lambda: named_folder("anything")) == ["baseline_damaged"]


@pytest.mark.parametrize(
    ("name", "version", "code"), [("release", 10**12, "baseline_gone"), ("release", 0, "baseline_damaged")]
)
def test_a_hostile_pin_is_a_fault_at_once(first, name, version, code):
    pin_run("release", first, None, NOW)
    said = json.loads((PLACE / "release-1.json").read_text(encoding="utf-8")) | {"name": name, "version": version}
    (PLACE / f"{name}-{version}.json").write_text(json.dumps(said), encoding="utf-8")
    assert codes(read_baselines) == [code]


def test_a_pin_cannot_lead_out_of_its_place(first, tmp_path):
    pin_run("release", first, None, NOW)
    said = json.loads((PLACE / "release-1.json").read_text(encoding="utf-8")) | {"name": "../elsewhere"}
    (PLACE / "elsewhere-1.json").write_text(json.dumps(said), encoding="utf-8")
    assert codes(lambda: named_folder("../elsewhere")) == ["baseline_damaged"]


def test_a_copy_that_was_never_pinned_is_not_written_over(first):
    (PLACE / "release-1").mkdir(parents=True)
    assert codes(lambda: pin_run("release", first, None, NOW)) == ["baseline_left_over"]


@pytest.mark.parametrize(
    "name", ["", "..", "a/b", "a\\b", "Release", "a b", "a@1", "-x", "e\u0301", "x" * 65, "a\0", "a\n"]
)
def test_names_that_are_no_folder_everywhere_are_refused(first, name):
    assert codes(lambda: pin_run(name, first, None, NOW)) == ["bad_name"]
    assert not PLACE.exists()


def test_names_of_any_script_and_names_that_look_like_versions_are_kept_apart(first, second):
    for name in ("отгрузка", "a", "a-1", "con"):
        pin_run(name, first, None, NOW)
    pin_run("a", second, "deeper lists", NOW)
    assert read_run(named_folder("a-1")).run.id == first.run.id
    assert read_run(named_folder("a")).run.id == second.run.id
    assert named_folder("отгрузка") == PLACE / "отгрузка-1"


def test_a_folder_and_a_baseline_of_one_name_must_be_told_apart(first, tmp_path):
    pin_run("release", first, None, NOW)
    write_run(tmp_path / "release", first, {})
    assert codes(lambda: named_folder("release")) == ["ambiguous_run"]
    assert read_run(named_folder("./release")).run.id == first.run.id
    assert named_folder("release@1") == PLACE / "release-1"


@pytest.mark.parametrize("run", ["nowhere", "release@1", "", "a\0b", "x" * 5000])
def test_what_is_neither_is_none(run):
    assert named_folder(run) is None
