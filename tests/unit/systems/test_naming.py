import json

import pytest
from served import event, pieces, reply, serving
from unit.systems.asking import QUERY, asked, flow

from ragassay.records import FaultyInput, Query
from ragassay.systems import FunctionSystem, HttpSystem, RecordedSystem, system_named

CHUNK = {"model": "m-2026", "choices": [{"delta": {"content": "Да"}, "finish_reason": None}]}
LAST = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
USAGE = {"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 3}}
CHAT = pieces(event(CHUNK), event(LAST), event(USAGE), event("[DONE]"))


def test_a_chat_endpoint_is_a_model_alone(monkeypatch):
    monkeypatch.setenv("RAGASSAY_SYSTEM_KEY", "sk-canary-7f3a9-long")
    with serving(CHAT) as stub:
        system = system_named(f"chat:org/m@v1@{stub.url}/v1/", flow())
        answer = asked(system)
    assert (answer.answer, answer.complete, answer.retrieved) == ("Да", True, None)
    assert (answer.input_tokens, answer.output_tokens, answer.cost) == (12, 3, None)
    assert answer.first_token_ms <= answer.total_ms
    (request,) = stub.asked
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-canary-7f3a9-long"
    assert request.body["messages"] == [{"role": "user", "content": QUERY.question}]
    assert request.body["model"] == "org/m@v1"
    assert (system.card.kind, system.card.model) == ("chat", "org/m@v1")
    assert "canary" not in repr(system.card)
    assert system.notices()[0].samples == ("model: m-2026",)


def test_a_chat_endpoint_without_a_key_sends_none(monkeypatch):
    monkeypatch.delenv("RAGASSAY_SYSTEM_KEY", raising=False)
    with serving(CHAT) as stub:
        asked(system_named(f"chat:m@{stub.url}", flow()))
    assert "authorization" not in stub.asked[0].headers


def test_a_chat_answer_cut_at_its_limit_is_not_whole():
    cut = {"choices": [{"delta": {}, "finish_reason": "length"}]}
    with serving(pieces(event(CHUNK), event(cut), event("[DONE]"))) as stub:
        answer = asked(system_named(f"chat:m@{stub.url}", flow()))
    assert (answer.answer, answer.complete, answer.error) == ("Да", False, "system_answer_cut: length")


def test_recorded_answers_are_found_by_query(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = [{"query": "q1", "answer": "да", "system": "v7"}, {"question": "Сколько?", "answer": "две", "system": "v7"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    known = Query(id="q2", question="Сколько?")
    system = system_named(str(path), flow(), [known])
    assert isinstance(system, RecordedSystem)
    first, second, missing = asked(system, QUERY, known, Query(id="q3", question="?"))
    assert (first.answer, second.answer, missing.error) == ("да", "две", "not_recorded")
    assert (system.card.kind, system.card.name) == ("recorded", "answers.jsonl")
    path.write_text(json.dumps(rows[0]))
    assert system_named(str(path), flow()).card.code != system.card.code


def test_each_kind_of_name_gives_its_system(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text('url = "http://a.example"\n[request]\nq = "{question}"\n')
    assert isinstance(system_named("s.toml", flow()), HttpSystem)
    assert isinstance(system_named("json:dumps", flow()), FunctionSystem)


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("http://a.example/ask", "unknown_system"),
        ("chat:model", "unknown_system"),
        ("chat:@http://a.example", "unknown_system"),
        ("no/such/file.jsonl", "unknown_system"),
        ("a b:c", "unknown_system"),
        ("\0", "unknown_system"),
        ("x" * 5000, "unknown_system"),
        ("missing.toml", "unreadable_file"),
        ("chat:m@ftp://a.example", "bad_value"),
        ("chat:m@http://user:sk-canary-7f3a9@a.example/v1", "bad_value"),
        ("no.such.module:f", "faulty_system"),
    ],
)
def test_another_name_is_a_fault_with_a_remedy(spec, code):
    with pytest.raises(FaultyInput) as faulty:
        system_named(spec, flow())
    assert [fault.code for fault in faulty.value.faults] == [code]
    assert faulty.value.faults[0].remedy
    assert "canary" not in str(faulty.value)


def test_a_file_of_queries_is_no_system(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"id": "q1", "question": "?", "answerable": true}')
    with pytest.raises(FaultyInput, match="no answers"):
        system_named(str(tmp_path / "q.jsonl"), flow())


def test_a_server_that_speaks_no_stream_is_said_so():
    with serving(reply({"choices": [{"message": {"content": "Да"}}]})) as stub:
        answer = asked(system_named(f"chat:m@{stub.url}", flow()))
    assert answer.error.startswith("system_stream_broken")
