import msgspec
import pytest
from golden.reports.example import bundle

from ragassay.formats import atomic, runs
from ragassay.formats.runs import StoredRun, read_run, write_run
from ragassay.records import FaultyInput
from ragassay.runner import Settings, measure

REPORTS = {"report.json": b"{}", "report.md": b"# A run"}


def stored(resamples=20):
    found = measure(bundle(), Settings(resamples=resamples, metrics=("recall@10",)))
    observed = found.observed
    return StoredRun(
        run=found.run,
        matrices=found.matrices,
        fractions=found.fractions,
        queries=observed.queries,
        answers=observed.answers,
    )


@pytest.fixture(scope="module")
def whole():
    return stored()


def content(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def failing(monkeypatch):
    """Makes the nth write from now on fail as on a full disk; the number of writes where none does."""
    write = atomic.replace_file

    def fail_at(place):
        left = iter(range(1_000))

        def replace(path, each):
            if next(left) == place:
                raise OSError(28, "No space left on device", str(path))
            write(path, each)

        monkeypatch.setattr(runs, "replace_file", replace)

    return fail_at


def test_a_folder_left_unfinished_at_any_write_is_no_run_and_is_finished_by_writing_it_again(whole, failing, tmp_path):
    failing(None)
    write_run(tmp_path / "whole", whole, REPORTS)
    right = content(tmp_path / "whole")
    assert len(right) > len(REPORTS) + 10
    for place in range(len(right)):
        folder = tmp_path / str(place)
        failing(place)
        with pytest.raises(OSError, match="No space left on device"):
            write_run(folder, whole, REPORTS)
        with pytest.raises(FaultyInput):
            read_run(folder)
        if folder.exists():
            (folder / ".report.md.killed").write_bytes(b"# A r")
        failing(None)
        write_run(folder, whole, REPORTS)
        assert content(folder).items() >= right.items()


def test_a_run_measured_anew_is_never_half_the_old_and_half_the_new(whole, failing, tmp_path):
    failing(None)
    write_run(tmp_path / "run", whole, REPORTS)
    run = msgspec.structs.replace(whole.run, card=msgspec.structs.replace(whole.run.card, inputs=("elsewhere",)))
    anew = msgspec.structs.replace(whole, run=run)
    failing(5)
    with pytest.raises(OSError, match="No space left on device"):
        write_run(tmp_path / "run", anew, REPORTS)
    with pytest.raises(FaultyInput):
        read_run(tmp_path / "run")
    failing(None)
    write_run(tmp_path / "run", anew, REPORTS)
    assert read_run(tmp_path / "run").run == run


def test_the_same_run_written_again_is_whole_all_the_time(whole, failing, tmp_path):
    failing(None)
    write_run(tmp_path / "run", whole, REPORTS)
    failing(5)
    with pytest.raises(OSError, match="No space left on device"):
        write_run(tmp_path / "run", whole, REPORTS)
    assert read_run(tmp_path / "run").run == whole.run


def test_neither_another_run_nor_a_file_of_somebody_else_is_written_over(whole, tmp_path):
    write_run(tmp_path / "run", whole, REPORTS)
    other = msgspec.structs.replace(whole, run=msgspec.structs.replace(whole.run, id="0" * 16))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "report.md").write_text("a name of ours")
    (tmp_path / "notes" / "todo.txt").write_text("not ours")
    (tmp_path / "file").write_text("not a folder")
    for folder in ("run", "notes", "file"):
        with pytest.raises(FaultyInput) as faulty:
            write_run(tmp_path / folder, other, REPORTS)
        assert [fault.code for fault in faulty.value.faults] == ["run_exists"]
    assert read_run(tmp_path / "run").run == whole.run
    assert (tmp_path / "notes" / "report.md").read_text() == "a name of ours"


def test_what_cannot_be_written_is_named(tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(OSError, match=r"taken/report\.md"):
        atomic.replace_file(tmp_path / "taken" / "report.md", b"")
