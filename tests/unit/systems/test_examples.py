"""The examples answer over the handbook, and every description that the documentation shows can be read."""

import re
import sys
import threading
import tomllib
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest
from unit.systems.asking import asked, flow

from ragassay.formats import load_dataset
from ragassay.formats.reading import Reading
from ragassay.formats.system import described, read_system
from ragassay.systems import FunctionSystem, HttpSystem

ROOT = Path(__file__).parents[3]
QUERIES = load_dataset(ROOT / "examples" / "handbook").queries


@pytest.fixture
def search(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", [*sys.path])
    system = FunctionSystem("examples.systems.search:answer", flow(tries=1))
    yield system, sys.modules["examples.systems.search"]
    for name in [name for name in sys.modules if name == "examples" or name.startswith("examples.")]:
        del sys.modules[name]


@contextmanager
def served(service):
    server = ThreadingHTTPServer(("127.0.0.1", 0), service)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/ask"
    server.shutdown()
    server.server_close()
    thread.join()


def untimed(answer):
    markers = tuple(msgspec.structs.replace(each, marker=None) for each in answer.citations)
    return msgspec.structs.replace(answer, total_ms=None, system=None, citations=markers)


def test_the_function_and_the_service_give_the_same_answers(search):
    function, module = search
    answers = asked(function, *QUERIES)
    assert not [answer.error for answer in answers if answer.error]
    assert not function.notices()
    assert any(answer.citations for answer in answers)
    assert not all(answer.citations for answer in answers)
    found = sum(
        any(result.document in {each.document for each in query.relevant or ()} for result in answer.retrieved)
        for query, answer in zip(QUERIES, answers, strict=True)
    )
    assert found > len(QUERIES) / 3
    description = read_system(ROOT / "examples" / "systems" / "handbook.toml")
    with served(module.Service) as url:
        service = HttpSystem(msgspec.structs.replace(description, url=url), flow())
        over_http = asked(service, *QUERIES[:20])
    assert [untimed(answer) for answer in over_http] == [untimed(answer) for answer in answers[:20]]
    assert {answer.system for answer in over_http} == {"handbook search 1.0"}


def test_every_description_in_the_documentation_can_be_read():
    page = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(shown) >= 2
    for text in shown:
        assert described(tomllib.loads(text), Reading("systems.md")).url
