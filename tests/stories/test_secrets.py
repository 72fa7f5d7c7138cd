"""A key that every server sends back, in every place it can: nothing that a run leaves behind holds it."""

import base64
import json
import logging
from urllib.parse import quote

import polars as pl
import pytest
from desk import QUERIES, write_lines
from served import reply, serving

from ragassay.cli.main import run as ragassay
from ragassay.records import ExitCode

CANARY = "canary/s3cret+of=the-test"
FORMS = (CANARY, quote(CANARY, safe=""), json.dumps(CANARY)[1:-1], base64.b64encode(CANARY.encode()).decode())


def completion(content, **message):
    choice = {"message": {"role": "assistant", "content": content, **message}, "finish_reason": "stop"}
    return {"model": "any", "choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}


CLAIMS = {
    "claims": [{"text": "M12 is tightened to 80 N·m.", "quote": "M12", "checkable": True}],
    "questions": ["M12?"] * 3,
}
SYSTEM = {
    "in the answer": reply({"answer": f"The key is {CANARY}."}),
    "in a name": reply({"answer": "Fine.", CANARY: 1, "retrieved": [{"document": CANARY, "text": "x"}]}),
    "in the model": reply({"answer": "Fine.", "system": CANARY, "retrieved": []}),
    "in an error": reply({"error": f"no {CANARY}"}, 500),
    "in a refusal": reply(f"who is {CANARY}", 401),
    "in a redirect": reply("", 302, Location=f"http://127.0.0.1:9/?key={quote(CANARY, safe='')}"),
    "in rubbish": reply(f"<html>{CANARY}"),
    "in a reason to wait": reply(f"busy {CANARY}", 429, Retry_After=CANARY),
}
JUDGE = {
    "in an error": reply({"error": {"message": f"no {CANARY}"}}, 400),
    "in a refusal": reply({"error": {"message": f"who is {CANARY}"}}, 401),
    "in words": reply(completion(f"I think {CANARY}")),
    "in a refusal to judge": reply(completion(None, refusal=f"not for {CANARY}")),
    "in the name of the model": reply({**completion(json.dumps(CLAIMS)), "model": CANARY}),
    "in a claim": reply(
        completion(json.dumps({**CLAIMS, "claims": [{"text": CANARY, "quote": "", "checkable": True}]}))
    ),
    "in rubbish": reply(f"<html>{CANARY}"),
}


@pytest.fixture
def seen(desk, capsys, caplog, monkeypatch):
    """Runs a command; everything that came of it, as text."""
    for variable in ("RAGASSAY_JUDGE_KEY", "RAGASSAY_SYSTEM_KEY", "SHOP_TOKEN"):
        monkeypatch.setenv(variable, CANARY)
    caplog.set_level(logging.DEBUG)
    write_lines(desk / "queries.jsonl", QUERIES)

    def run(*arguments):
        code, told = ragassay(["run", "queries.jsonl", "--out", "out", *arguments]), capsys.readouterr()
        assert code in (ExitCode.PASSED, ExitCode.NOT_FINISHED)
        written = [_text(path) for path in desk.rglob("*") if path.is_file()]
        assert any("q1" in each for each in written)
        # What a server says in its headers is in the wire log of the HTTP library, where somebody turns that on.
        logged = [record.getMessage() for record in caplog.records if not record.name.startswith("httpcore")]
        return "\n".join((told.out, told.err, *logged, *written))

    return run


def _text(path):
    if path.suffix == ".parquet":
        return repr(pl.read_parquet(path).to_dicts())
    return path.read_bytes().decode("utf-8", "replace")


@pytest.mark.parametrize("where", SYSTEM)
def test_a_key_of_a_system_is_nowhere(where, seen, desk):
    with serving(SYSTEM[where]) as stub:
        lines = (f'url = "{stub.url}"', "[headers]", 'Authorization = "Bearer {env:SHOP_TOKEN}"', "[request]")
        (desk / "shop.toml").write_text("\n".join((*lines, 'question = "{question}"')))
        found = seen("--system", "shop.toml", "--judge", "none", "--timeout", "5")
        assert stub.asked[0].headers["authorization"] == f"Bearer {CANARY}"
    assert [form for form in FORMS if form in found] == []


@pytest.mark.parametrize("where", JUDGE)
def test_a_key_of_a_judge_is_nowhere(where, seen, desk):
    answers = [
        {"query": "q1", "answer": "M12 is tightened to 80 N·m.", "retrieved": [{"document": "TI-204", "text": "M12"}]}
    ]
    write_lines(desk / "answers.jsonl", answers)
    with serving(JUDGE[where]) as stub:
        found = seen("--system", "answers.jsonl", "--judge", f"llm:any@{stub.url}")
        assert stub.asked[0].headers["authorization"] == f"Bearer {CANARY}"
    assert [form for form in FORMS if form in found] == []
