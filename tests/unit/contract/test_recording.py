"""Finished requests in a file that the rest of the instrument reads."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from contracting import ANSWER, GOOD, OLD, QUESTION, REQUESTER, SECRET, TODAY, contract, passage
from msgspec.structs import replace

from ragassay.contract import Recorder, recording
from ragassay.formats import load_answers
from ragassay.records import Answer


def asked(recorder: Recorder, name: str, results: tuple[object, ...] = (SECRET, OLD, GOOD)) -> None:
    made = contract(recorder=recorder)
    with made.request(QUESTION, requester=REQUESTER, as_of=TODAY, id=name) as request:
        request.search(results)  # pyright: ignore[reportArgumentType]
        request.grade()
        request.verify(ANSWER)


def lines(path: Path) -> list[Answer]:
    bundle = load_answers(path)
    assert bundle.notices == ()
    return list(bundle.answers)


def test_a_request_is_an_observation_that_reads_back(tmp_path: Path):
    recorder = Recorder(tmp_path / "answers.jsonl")
    asked(recorder, "q1")
    asked(recorder, "q2", (SECRET,))
    recorder.close()
    assert recorder.counts == (2, 0, 0)
    first, second = lines(tmp_path / "answers.jsonl")
    assert (first.query, first.answer, first.outcome) == ("q1", "The M12 bolts take 80 Nm [1].", "proceed")
    assert [each.passage for each in first.candidates or ()] == ["HR-1@1#1", "TI-204@B#1", "TI-204@C#1"]
    assert [each.passage for each in first.retrieved or ()] == ["TI-204@C#1"]
    assert first.packed == ("TI-204@C#1",)
    assert [each.passage for each in first.citations or ()] == ["TI-204@C#1"]
    assert first.score_kind == "similarity"
    assert first.total_ms is not None
    assert [each["stage"] for each in first.actions or ()] == ["search", "grade", "verify"]
    assert (first.actions or ())[0]["contract"] == "test"
    assert (second.retrieved, second.packed, second.outcome) == ((), None, "abstain")


def test_the_file_is_for_its_owner_alone(tmp_path: Path):
    recorder = Recorder(tmp_path / "answers.jsonl")
    asked(recorder, "q1")
    recorder.close()
    if sys.platform != "win32":
        assert (tmp_path / "answers.jsonl").stat().st_mode & 0o077 == 0


def test_an_application_that_raises_is_recorded_as_an_error(tmp_path: Path):
    recorder = Recorder(tmp_path / "answers.jsonl")
    with pytest.raises(ValueError, match="mine"), contract(recorder=recorder).request(QUESTION, id="q1"):
        raise ValueError("mine and secret")
    recorder.close()
    row = json.loads((tmp_path / "answers.jsonl").read_text())
    assert (row["error"], row["complete"]) == ("application_raised: ValueError", False)


def test_a_request_is_recorded_once(tmp_path: Path):
    recorder = Recorder(tmp_path / "answers.jsonl")
    with contract(recorder=recorder).request(QUESTION, id="q1") as request:
        request.finish()
    recorder.close()
    assert recorder.counts.written == 1


def test_what_has_no_room_is_dropped_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    entered, let_go = threading.Event(), threading.Event()

    def slow(path: Path, waiting: list[bytes]) -> int:
        entered.set()
        let_go.wait(30)
        return len(waiting)

    monkeypatch.setattr(recording, "_append", slow)
    recorder = Recorder(tmp_path / "answers.jsonl", capacity=2)
    recorder.record(Answer(query="q1"))
    assert entered.wait(30)
    for number in range(5):
        recorder.record(Answer(query=f"q{number}"))
    assert not recorder.flush(0.01)
    assert recorder.counts.dropped == 3
    let_go.set()
    recorder.close(30)
    assert recorder.counts == (3, 3, 0)


def test_a_line_too_long_is_dropped_and_one_that_is_no_json_fails(tmp_path: Path):
    recorder = Recorder(tmp_path / "answers.jsonl")
    recorder.record(Answer(query="q1", answer="x" * (9 << 20)))
    recorder.record(Answer(query="q2", answer="\ud800"))
    recorder.record(Answer(query="q3", actions=({"a": object()},)))
    assert recorder.counts == (0, 1, 2)


def test_a_file_that_cannot_be_opened_costs_its_lines_alone(tmp_path: Path):
    recorder = Recorder(tmp_path / "none" / "answers.jsonl")
    asked(recorder, "q1")
    recorder.close()
    assert recorder.counts == (0, 0, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_a_full_disk_costs_its_lines_alone():
    recorder = Recorder("/dev/full")
    asked(recorder, "q1")
    asked(recorder, "q2")
    recorder.close()
    assert recorder.counts == (0, 0, 2)


def test_a_line_that_fits_in_part_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "answers.jsonl"
    recorder = Recorder(path)
    asked(recorder, "q1")
    recorder.flush(30)
    before, real = path.read_bytes(), os.write

    def half(descriptor: int, line: bytes) -> int:
        monkeypatch.setattr(os, "write", full)
        return real(descriptor, line[: len(line) // 2])

    def full(descriptor: int, line: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", half)
    recorder.record(Answer(query="q2"))
    recorder.flush(30)
    monkeypatch.setattr(os, "write", real)
    assert path.read_bytes() == before
    recorder.record(Answer(query="q3"))
    recorder.close(30)
    assert [each.query for each in lines(path)] == ["q1", "q3"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_processes_that_share_a_file_write_whole_lines(tmp_path: Path):
    path = tmp_path / "answers.jsonl"
    recorder = Recorder(path)
    recorder.record(Answer(query="parent"))
    child = os.fork()
    if child == 0:
        for number in range(200):
            recorder.record(Answer(query=f"child-{number}", answer="x" * 5_000))
        os._exit(0 if recorder.flush(60) and recorder.counts.written == 200 else 1)
    for number in range(200):
        recorder.record(Answer(query=f"parent-{number}", answer="y" * 5_000))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    recorder.close(60)
    assert len(lines(path)) == 401


def test_what_waits_is_written_when_the_interpreter_ends(tmp_path: Path):
    path = tmp_path / "answers.jsonl"
    code = (
        "from ragassay.contract import Recorder\nfrom ragassay.records import Answer\nimport sys\n"
        "r = Recorder(sys.argv[1])\n[r.record(Answer(query=f'q{n}')) for n in range(50)]\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert len(lines(path)) == 50


def test_passages_without_an_id_are_packed_by_their_document(tmp_path: Path):
    recorder = Recorder(tmp_path / "answers.jsonl")
    asked(recorder, "q1", (replace(passage("TI-204@C#1"), passage=None),))
    recorder.close()
    assert lines(tmp_path / "answers.jsonl")[0].packed == ("TI-204",)
