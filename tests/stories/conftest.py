"""A person at the command line: files of their own, one command, what comes back."""

import json
from typing import NamedTuple

import pytest
from desk import ANSWERS, CORPUS, QUERIES, write_lines

from ragassay.cli.main import run
from ragassay.records import ExitCode


class Told(NamedTuple):
    code: ExitCode
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def ragassay(desk, capfdbinary):
    """Type a command; get its exit code and what it printed."""

    def typed(*arguments: object) -> Told:
        capfdbinary.readouterr()
        code = run([str(argument) for argument in arguments])
        printed = capfdbinary.readouterr()
        told = Told(code, printed.out.decode("utf-8"), printed.err.decode("utf-8"))
        assert "Traceback" not in told.out + told.err
        return told

    return typed


@pytest.fixture
def files(desk):
    """`queries.jsonl`, `answers.jsonl` and `corpus.jsonl` of a small, well-kept set."""
    write_lines(desk / "queries.jsonl", QUERIES)
    write_lines(desk / "answers.jsonl", ANSWERS)
    write_lines(desk / "corpus.jsonl", CORPUS)
    return desk
