import asyncio
import sys
import threading
import time

import msgspec
import pytest
from unit.systems.asking import QUERY, asked, flow

from ragassay.records import FaultyInput, Query, Relevance
from ragassay.systems import FunctionSystem, System, asked_part

SOURCE = """
import asyncio, sys, time, threading
from ragassay.records import Answer, Result
SEEN = []
def text(question): return "ответ: " + question
CALLS = []
async def charges(question): CALLS.append(question); await asyncio.sleep(20)
def charges_and_fails(question): CALLS.append(question); raise TimeoutError("no reply of the bank")
def row(question, query):
    SEEN.append(query)
    return {"query": query.id, "answer": "да", "retrieved": [{"document": "d", "score": 0.5}], "total_ms": 7}
async def later(question, *, query=None): await asyncio.sleep(0); return {"answer": query.id}
def record(question): return Answer(query="q1", answer="да", retrieved=(Result(document="d"),), cost=0.5)
class Pipeline:
    async def __call__(self, question): return "из объекта"
    def method(self, question): return "из метода"
pipeline = Pipeline()
def broken(question): raise ValueError("bad\\n" + "x" * 1000)
async def broken_later(question): raise KeyError("k")
async def cancels(question): raise asyncio.CancelledError
def leaves(question): sys.exit(3)
def nothing(question): return None
def strange(question): return {"answer": object()}
def misnamed(question): return {"answr": "да"}
def partial(question): return {"answer": "да", "complete": False}
def half(question): return "\\ud83e\\udd14 \\ud83e"
def numbers(question):
    import numpy as np
    return {"retrieved": [{"document": np.int64(7), "score": np.float32(0.5)}], "answer": "да"}
def nan(question): return {"retrieved": [{"document": "d", "score": float("nan")}]}
def other(question): return Answer(query="q2", answer="да")
def hangs(question): time.sleep(20); return "поздно"
def meets(question): BARRIER.wait(10); return "все здесь"
BARRIER = threading.Barrier(12)
def secret(question):
    import os
    raise RuntimeError("401 for " + os.environ["MY_API_KEY"])
def two(a, b): return a
NUMBER = 5
"""


@pytest.fixture(autouse=True)
def pipelines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "pipelines.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "pipelines", raising=False)
    yield tmp_path
    sys.modules.pop("pipelines", None)


def one(function, **limits):
    return asked(FunctionSystem(f"pipelines:{function}", flow(tries=1, **limits)))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("text", f"ответ: {QUERY.question}"),
        ("row", "да"),
        ("later", "q1"),
        ("record", "да"),
        ("pipeline", "из объекта"),
        ("pipeline.method", "из метода"),
        ("numbers", "да"),
        ("half", "🤔 �"),
    ],
)
def test_whatever_a_function_returns_becomes_an_answer(function, said):
    answer = one(function)
    assert (answer.query, answer.answer, answer.error, answer.complete) == ("q1", said, None, True)
    assert answer.total_ms >= 0
    assert msgspec.json.decode(msgspec.json.encode(answer), type=type(answer)) == answer


def test_fields_are_those_of_our_answers():
    answer = one("row")
    assert (answer.retrieved[0].document, answer.retrieved[0].score, answer.total_ms) == ("d", 0.5, 7)
    assert one("numbers").retrieved[0].document == "7"


@pytest.mark.parametrize(
    ("function", "error"),
    [
        ("broken", r"system_exception: ValueError: bad\nxxx"),
        ("broken_later", "system_exception: KeyError: 'k'"),
        ("cancels", "system_exception: CancelledError"),
        ("leaves", "system_exception: SystemExit: 3"),
        ("nothing", "system_reply_malformed: no answer: NoneType"),
        ("strange", "system_reply_malformed: TypeError: an answer cannot hold object"),
        ("misnamed", "system_reply_malformed: there is neither an answer nor a result in it"),
        ("partial", "system_incomplete: the system says"),
        ("nan", "system_reply_malformed: retrieved[0].score: unusable value · found nan"),
        ("other", "system_reply_malformed: the reply is for the query 'q2'"),
    ],
)
def test_whatever_goes_wrong_is_a_failure_of_the_system(function, error):
    answer = one(function)
    assert answer.error.startswith(error)
    assert len(answer.error) < 400
    assert "Traceback" not in answer.error


def test_a_function_that_hangs_ends_in_time_and_holds_nobody_up():
    began = time.monotonic()
    answer = one("hangs", timeout=0.1)
    assert answer.error.startswith("system_timeout: no reply in 0.1 s")
    assert time.monotonic() - began < 15, "the thread sleeps for 20 s and is not waited for"


@pytest.mark.parametrize("function", ["charges", "charges_and_fails"])
def test_a_call_is_never_repeated_for_it_may_have_done_something(function):
    answer = asked(FunctionSystem(f"pipelines:{function}", flow(tries=4, timeout=0.1)))
    assert answer.error is not None
    assert [QUERY.question] == sys.modules["pipelines"].CALLS


def test_functions_run_at_once():
    async def ask(system):
        return await asyncio.gather(*(system.ask(Query(id=str(number), question="?")) for number in range(12)))

    system = FunctionSystem("pipelines:meets", flow(concurrency=64, tries=1))
    assert {answer.answer for answer in asyncio.run(ask(system))} == {"все здесь"}


def test_a_function_never_sees_what_experts_know():
    query = Query(
        id="q1", question="?", answerable=False, relevant=(Relevance(document="d"),), reference="x", slices=("secret",)
    )
    asked(FunctionSystem("pipelines:row", flow()), query)
    assert sys.modules["pipelines"].SEEN == [Query(id="q1", question="?")] == [asked_part(query)]


def test_a_key_in_an_exception_is_not_kept(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "sk-canary-7f3a9-long")
    assert one("secret").error == "system_exception: RuntimeError: 401 for …"


def test_the_card_changes_with_the_source(pipelines):
    system: System = FunctionSystem("pipelines:text", flow())
    assert (system.card.kind, system.card.name) == ("callable", "pipelines:text")
    (pipelines / "pipelines.py").write_text(SOURCE + "\n# changed", encoding="utf-8")
    assert FunctionSystem("pipelines:text", flow()).card.code != system.card.code


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pipelnes:text", "there is no module pipelnes"),
        ("pipelines:txt", "pipelines has no txt"),
        ("pipelines:NUMBER", "NUMBER cannot be called"),
        ("pipelines:two", "missing a required argument: 'b'"),
        ("needs:f", "its module cannot be imported: ModuleNotFoundError: No module named 'no_such_library'"),
        ("fails:f", "its module cannot be imported: ZeroDivisionError: division by zero"),
        ("leaves:f", "its module cannot be imported: SystemExit: 1"),
    ],
)
def test_what_cannot_be_called_is_a_fault(pipelines, name, message):
    (pipelines / "needs.py").write_text("import no_such_library")
    (pipelines / "fails.py").write_text("1 / 0")
    (pipelines / "leaves.py").write_text("raise SystemExit(1)")
    with pytest.raises(FaultyInput) as faulty:
        FunctionSystem(name, flow())
    (fault,) = faulty.value.faults
    assert message in fault.message
    assert fault.remedy
    assert fault.value == name


def test_no_thread_is_left_behind():
    before = set(threading.enumerate())
    one("text")
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
        assert not thread.is_alive()
