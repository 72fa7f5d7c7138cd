"""`ragassay run` from the command line to the exit code, against a real server that plays the judge."""

import base64
import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from ragassay.cli.main import run
from ragassay.records import ExitCode

TESTS = Path(__file__).resolve().parents[1]
HANDBOOK = TESTS.parent / "examples" / "handbook"
QUERIES = 8


@pytest.fixture
def desk(tmp_path, monkeypatch):
    lines = (HANDBOOK / "queries.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "queries.jsonl").write_text("".join(lines[:QUERIES]), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def endpoint(tmp_path):
    """Starts a judge; its requests are in `ledger.jsonl`."""
    servers = []

    def start(*options):
        command = [sys.executable, str(TESTS / "stub_endpoint.py"), "--port", "0", "--ledger", "ledger.jsonl", *options]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path, text=True)
        servers.append(server)
        return server.stdout.readline().removeprefix("ready ").strip()

    yield start
    for server in servers:
        server.kill()
        server.wait()
        server.stdout.close()


def asked(url, *more, model="any"):
    answers = str(HANDBOOK / "answers-v1.jsonl")
    return ["run", "queries.jsonl", "--system", answers, "--judge", f"llm:{model}@{url}", "--json", *more]


def ledger():
    return [json.loads(line) for line in Path("ledger.jsonl").read_text().splitlines()]


def metrics(capsys):
    return json.loads(capsys.readouterr().out)["metrics"]


def test_a_second_run_makes_no_call_and_says_the_same(desk, endpoint, capsys):
    url = endpoint()
    assert run(asked(url)) is ExitCode.PASSED
    first, calls = capsys.readouterr().out, len(ledger())
    assert calls > 0
    assert run(asked(url)) is ExitCode.PASSED
    assert capsys.readouterr().out == first
    assert len(ledger()) == calls
    assert run(["runs", "--json"]) is ExitCode.PASSED
    (entry,) = json.loads(capsys.readouterr().out)["runs"]
    assert (entry["state"], entry["done"], entry["failed"]) == ("finished", QUERIES, 0)
    assert run(["show", entry["id"][:8], "--json"]) is ExitCode.PASSED
    assert json.loads(capsys.readouterr().out)["metrics"] == json.loads(first)["metrics"]


def test_another_judge_judges_anew_under_another_plan(desk, endpoint, capsys):
    url = endpoint()
    assert run(asked(url, "--name", "nightly")) is ExitCode.PASSED
    calls = len(ledger())
    capsys.readouterr()
    assert run(asked(url, "--name", "nightly", model="other")) is ExitCode.FAULTY_INPUT
    (fault,) = json.loads(capsys.readouterr().out)["errors"]
    assert fault["code"] == "run_of_another_plan"
    assert "judge.name: any is now other" in fault["expected"]
    assert len(ledger()) == calls
    assert run(asked(url, model="other")) is ExitCode.PASSED
    assert len(ledger()) == 2 * calls


@pytest.mark.parametrize(
    "fault", ["500", "refusal", "reasoning", "two", "garbage", "half", "wrong-ids", "fewer", "truncated"]
)
def test_a_judge_that_fails_gives_errors_and_never_a_score(fault, desk, endpoint, capsys):
    url = endpoint("--faults", fault)
    code = run(asked(url, "--timeout", "5"))
    out = capsys.readouterr()
    if code is ExitCode.NOT_FINISHED:
        assert "the same command goes on" in out.err
        return
    assert code is ExitCode.PASSED
    grounded = json.loads(out.out)["metrics"]["grounded_claim_rate"]
    assert grounded["value"] is None or fault in ("reasoning", "fewer")
    assert grounded["value"] is not None or grounded["errored"] > 0
    assert json.loads(out.out)["metrics"]["recall@10"]["value"] is not None


def test_a_limit_on_calls_holds_and_the_same_command_goes_on(desk, endpoint, capsys):
    url = endpoint()
    assert run(asked(url, "--max-calls", "12")) is ExitCode.NOT_FINISHED
    assert "the same command goes on" in capsys.readouterr().err
    assert len(ledger()) <= 12
    assert run(asked(url)) is ExitCode.PASSED
    hashes = [each["sha256"] for each in ledger()]
    assert len(hashes) == len(set(hashes))


def test_a_limit_that_cannot_hold_is_refused_before_anything_is_asked(desk, capsys):
    Path("endpoint.toml").write_text('url = "http://127.0.0.1:9/ask"\n[request]\nquestion = "{question}"\n')
    for limit in ("tokens", "cost"):
        asked = ["run", "queries.jsonl", "--system", "endpoint.toml", f"--max-{limit}", "9", "--json"]
        assert run(asked) is ExitCode.FAULTY_INPUT
        (fault,) = json.loads(capsys.readouterr().out)["errors"]
        assert (fault["code"], fault["field"]) == ("unbounded_spend", limit)


def test_an_interrupted_run_returns_at_once_and_goes_on(desk, endpoint):
    url = endpoint("--latency", "2")
    command = [sys.executable, "-m", "ragassay", *asked(url)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not Path("ledger.jsonl").exists() or not ledger():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == ExitCode.INTERRUPTED
    assert b"the same command goes on" in said
    assert b"Traceback" not in said
    assert subprocess.run(command, check=True, capture_output=True).stdout.startswith(b"{")


CANARY = "canary/s3cret+of=the-test"


def test_no_secret_reaches_any_output(desk, endpoint, capsys, caplog, monkeypatch):
    monkeypatch.setenv("RAGASSAY_JUDGE_KEY", CANARY)
    caplog.set_level(logging.DEBUG)
    for place in (endpoint(), endpoint("--faults", "500"), "http://127.0.0.1:9/v1"):
        run(asked(place, "--timeout", "5", model=f"m{place[-6:-3]}"))
    run([*asked("http://127.0.0.1:9/v1"), "--store", f"postgresql://owner:{quote(CANARY, safe='')}@127.0.0.1:9/none"])
    out = capsys.readouterr()
    written = [path.read_bytes() for path in desk.rglob("*") if path.is_file() and path.name != "ledger.jsonl"]
    seen = b"\n".join([out.out.encode(), out.err.encode(), caplog.text.encode(), *written])
    forms = (CANARY.encode(), quote(CANARY, safe="").encode(), base64.b64encode(CANARY.encode()))
    assert os.environ["RAGASSAY_JUDGE_KEY"] == CANARY
    assert [form for form in forms if form in seen] == []
