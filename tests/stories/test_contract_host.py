"""A contract in a host application: whatever a judge, a disk or a fork does, requests go on and the process ends."""

import asyncio
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from contracting import ANSWER, DOCUMENTS, GOOD, QUESTION, REQUESTER, TODAY, Held, Raising, Said, Waiting, contract

from ragassay.contract import Contract, Recorder
from ragassay.contract.asking import MOST_HUNG
from ragassay.records import BudgetTerms, Decision, Document, GradeTerms, Terms, WhenFails

TESTS = Path(__file__).resolve().parents[1]
PATIENCE = 60
"""Seconds that nothing here needs on any machine, and that a request held up for ever exceeds."""
PREAMBLE = """
import os, sys, threading, time
from pathlib import Path
from contracting import *
from ragassay.contract import Contract, Recorder
from ragassay.records import BudgetTerms, Terms

def ask(made):
    with made.request(QUESTION, requester=REQUESTER, as_of=TODAY) as request:
        request.search([GOOD])
        return request.grade()
"""


def short(*, grade: float = 50.0, fails: WhenFails = "closed") -> Terms:
    return Terms(name="host", budget=BudgetTerms(grade=grade), grade=GradeTerms(when_judge_fails=fails))


def asked(made: Contract) -> Decision:
    with made.request(QUESTION, requester=REQUESTER, as_of=TODAY) as request:
        assert request.search([GOOD]).proceeds
        return request.grade()


def run(code: str, *arguments: object) -> str:
    """What a host of its own prints; it has ended well, in time, and without a word of complaint."""
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("fails", ["closed", "open"])
def test_a_judge_that_never_returns_costs_no_request_more_than_its_budget(fails: WhenFails):
    judge = Held()
    made = contract(judge, short(fails=fails))
    begun = time.monotonic()
    decisions = [asked(made) for _ in range(40)]
    judge.let_go.set()
    assert time.monotonic() - begun < PATIENCE
    assert {(each.reason, each.failed, each.proceeds) for each in decisions} == {
        ("judge_failed", fails, fails == "open")
    }
    assert {each.error for each in decisions} <= {"deadline", "busy", "hung"}
    counts = made.counts
    assert (counts.asked, counts.failed) == (40, 40)
    assert counts.threads <= MOST_HUNG + 1


class Endless(Sequence[Any]):
    """Says that it is short, and is not."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, place: Any) -> Any:
        return 0.9

    def __iter__(self) -> Iterator[Any]:
        return repeat(0.9)


class Vast(Said):
    def __init__(self, given: Any) -> None:
        super().__init__()
        self.given = given

    async def relevance(self, question: str, texts: Sequence[str]) -> Any:
        return self.given

    async def verify(self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Any]) -> Any:
        return self.given


VAST = {
    "range": range(10**10),
    "generator": repeat(0.9),
    "endless": Endless(),
    "text": "0.9" * 10**6,
    "nothing": None,
    "number": 10**400,
}


@pytest.mark.parametrize("given", VAST.values(), ids=VAST.keys())
def test_a_reply_of_any_size_is_refused_unread(given: Any):
    made = contract(Vast(given))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3):
        decision = asked(made)
        assert (decision.failed, decision.proceeds) == ("closed", False)
    assert made.counts.failed == 3
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10


@pytest.mark.parametrize("given", VAST.values(), ids=VAST.keys())
def test_judgements_of_any_size_withhold_the_answer(given: Any):
    judge = Vast(given)
    judge.relevance = Said().relevance  # type: ignore[method-assign]
    made = contract(judge)
    with made.request(QUESTION, requester=REQUESTER, as_of=TODAY) as request:
        request.search([GOOD])
        assert request.grade().proceeds
        decision = request.verify(ANSWER)
    assert (decision.failed, request.answer) == ("closed", None)


@pytest.mark.parametrize(
    "raised",
    [ValueError("secret"), SystemExit(3), KeyboardInterrupt(), GeneratorExit(), MemoryError(), BaseException()],
)
def test_what_a_judge_raises_stays_in_the_decision(raised: BaseException):
    made = contract(Raising(raised))
    for _ in range(3):
        decision = asked(made)
        assert (decision.error, decision.failed) == (f"raised: {type(raised).__name__}", "closed")
        assert "secret" not in repr(decision)


def test_fifty_tasks_and_ten_threads_at_once():
    made = contract()
    decisions: list[Decision] = []

    async def one() -> Decision:
        with made.request(QUESTION, requester=REQUESTER, as_of=TODAY) as request:
            request.search([GOOD])
            return await request.agrade()

    async def all_of_them() -> list[Decision]:
        return list(await asyncio.gather(*(one() for _ in range(50))))

    threads = [threading.Thread(target=lambda: decisions.extend(asked(made) for _ in range(20))) for _ in range(10)]
    for thread in threads:
        thread.start()
    decisions += asyncio.run(all_of_them())
    for thread in threads:
        thread.join(PATIENCE)
    failed = [each for each in decisions if each.failed]
    assert len(decisions) == 250
    assert {each.error for each in failed} <= {"busy"}
    assert made.counts.failed == len(failed)
    assert made.counts.threads == 1


def test_tasks_that_wait_for_a_dead_judge_all_come_back():
    made = contract(Waiting(), short(grade=200))

    async def one() -> Decision:
        with made.request(QUESTION, requester=REQUESTER, as_of=TODAY) as request:
            request.search([GOOD])
            return await request.agrade()

    async def all_of_them() -> list[Decision]:
        return list(await asyncio.wait_for(asyncio.gather(*(one() for _ in range(80))), PATIENCE))

    assert {each.error for each in asyncio.run(all_of_them())} <= {"deadline", "busy"}


def test_a_host_that_forks_while_others_ask():
    code = """
made = contract()
assert made.warm()
stop = threading.Event()
def busy():
    while not stop.is_set():
        ask(made)
threads = [threading.Thread(target=busy) for _ in range(3)]
for thread in threads:
    thread.start()
children = []
for _ in range(6):
    child = os.fork()
    if not child:
        threading.Timer(40, os._exit, (9,)).start()
        os._exit(0 if ask(made).proceeds and made.counts.asked == 1 else 1)
    children.append(child)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
stop.set()
for thread in threads:
    thread.join()
print(ask(made).proceeds)
"""
    assert run(code).split("\n") == ["[0, 0, 0, 0, 0, 0]", "True", ""]


def test_spawned_workers_open_contracts_of_their_own(tmp_path: Path):
    script = tmp_path / "host.py"
    script.write_text(
        PREAMBLE
        + """
import multiprocessing

def work(number):
    made = contract()
    return ask(made).proceeds

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(work, range(4)))
""",
        encoding="utf-8",
    )
    env = {**os.environ, "PYTHONPATH": str(TESTS)}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=PATIENCE, env=env, check=True
    )
    assert (done.stdout, done.stderr) == ("[True, True, True, True]\n", "")


@pytest.mark.parametrize("judge", ["Held()", "Waiting()", "Raising(SystemExit(7))", "Said()"])
@pytest.mark.parametrize("ending", ["", "sys.exit(0)", "made.close()", "del made"])
def test_the_interpreter_ends_while_a_judge_works(judge: str, ending: str):
    code = f"""
made = contract({judge}, Terms(name="host", budget=BudgetTerms(grade=50)))
ask(made)
made.counts
print("end")
sys.stdout.flush()
{ending}
"""
    begun = time.monotonic()
    assert run(code) == "end\n"
    assert time.monotonic() - begun < PATIENCE / 2


def test_the_interpreter_ends_while_the_embedded_judge_loads_or_grades():
    code = """
made = Contract(Terms(name="host", budget=BudgetTerms(grade=1)), DOCUMENTS)
for _ in range(int(sys.argv[1])):
    assert ask(made).failed == "closed"
print("end")
"""
    for asked_so_often in (1, 500):
        assert run(code, asked_so_often) == "end\n"


def test_a_recorder_whose_file_nobody_reads_holds_up_neither_requests_nor_the_end(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    code = """
recorder = Recorder(Path(sys.argv[1]) / "pipe", capacity=10)
made = contract(recorder=recorder)
print(all(ask(made).proceeds for _ in range(50)))
counts = recorder.counts
print(counts.written, counts.dropped >= 50 - 2 * 10, counts.failed)
"""
    begun = time.monotonic()
    assert run(code, tmp_path) == "True\n0 True 0\n"
    assert time.monotonic() - begun < PATIENCE / 2


def test_what_no_longer_fits_is_counted_and_the_file_stays_whole(tmp_path: Path):
    code = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
recorder = Recorder(Path(sys.argv[1]) / "full.jsonl")
made = contract(recorder=recorder)
print(all(ask(made).proceeds for _ in range(100)), recorder.flush(30))
counts = recorder.counts
print(counts.written, counts.dropped, counts.failed)
"""
    first, second = run(code, tmp_path).splitlines()
    written, dropped, failed = map(int, second.split())
    assert first == "True True"
    assert (written > 0, dropped, failed) == (True, 0, 100 - written)
    lines = (tmp_path / "full.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == written
    assert all(json.loads(line)["actions"] for line in lines)


def test_a_path_that_becomes_unwritable_costs_its_lines_alone(tmp_path: Path):
    path = tmp_path / "answers.jsonl"
    recorder = Recorder(path)
    made = contract(recorder=recorder)
    asked(made)
    assert recorder.flush(PATIENCE)
    path.rename(tmp_path / "before.jsonl")
    path.mkdir()
    assert asked(made).proceeds
    assert recorder.flush(PATIENCE)
    path.rmdir()
    asked(made)
    assert recorder.flush(PATIENCE)
    assert recorder.counts == (2, 0, 1)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 1


def test_a_corpus_renewed_during_requests_is_the_old_one_or_the_new_one():
    made = contract()
    withdrawn = tuple(
        Document(document=each.document, revision=each.revision, status="withdrawn", readers=each.readers)
        for each in DOCUMENTS
    )
    stop = threading.Event()

    def renew() -> None:
        while not stop.is_set():
            made.renew(withdrawn)
            made.renew(DOCUMENTS)

    thread = threading.Thread(target=renew)
    thread.start()
    seen = set[tuple[bool, bool]]()
    for _ in range(300):
        with made.request(QUESTION, requester=REQUESTER, as_of=TODAY) as request:
            before = request.admissible.allows("TI-204", "C")
            seen.add((before, request.search([GOOD]).proceeds))
    stop.set()
    thread.join(PATIENCE)
    assert seen <= {(True, True), (False, False)}
    made.renew(DOCUMENTS)
    assert asked(made).proceeds
