"""The stub of a model server: what tests and measurements against it rest on."""

import asyncio
import json

import httpx
import pytest
from stub_endpoint import Faults, StubEndpoint

VERDICTS = "[{0} t1]\nThe pump weighs 36 kg.\n[/{0} t1]\n[{0} c1]\nIt weighs 36 kg.\n[/{0} c1]\nPairs: c1: t1"
CLAIMS = "[{0} question]\nWhy?\n[/{0} question]\n[{0} answer]\nIt costs 1.5 EUR. It is red.\n[/{0} answer]\nQuestions."


USUAL = VERDICTS.format("a" * 12)


def asked(*, times=1, model="any", message=USUAL, patience=30, **options):
    """The replies to one message, an exception where there was none, and the ledger."""

    async def ask(client, url):
        body = {"model": model, "messages": [{"role": "user", "content": message}]}
        try:
            return await client.post(f"{url}/chat/completions", json=body)
        except httpx.HTTPError as error:
            return type(error).__name__

    async def all_of_them():
        async with StubEndpoint(**options) as stub, httpx.AsyncClient(timeout=patience, verify=False) as client:
            replies = [await ask(client, stub.url) for _ in range(times)]
        return replies, stub.ledger

    return asyncio.run(all_of_them())


def content(reply):
    return reply.json()["choices"][0]["message"]["content"]


def test_verdicts_depend_on_claim_and_text_alone():
    first, second = (content(asked(message=VERDICTS.format(mark * 12))[0][0]) for mark in "ab")
    assert first == second
    (row,) = json.loads(first)["verdicts"]
    assert (row["c"], row["t"]) == ("c1", "t1")
    assert (row["q"] == "") == (row["v"] == "N")


def test_claims_are_the_sentences_of_the_answer():
    (reply,), (entry,) = asked(message=CLAIMS.format("a" * 12))
    said = json.loads(content(reply))
    assert [claim["text"] for claim in said["claims"]] == ["It costs 1.5 EUR.", "It is red."]
    assert len(said["questions"]) == 3
    assert entry.kind == "claims"


def test_the_ledger_knows_a_request_again_under_other_marks():
    hashes = {asked(message=VERDICTS.format(mark * 12))[1][0].sha256 for mark in "ab"}
    other = asked(message=VERDICTS.format("a" * 12).replace("36", "37"))[1][0].sha256
    assert len(hashes) == 1
    assert other not in hashes


def test_the_ledger_is_written_line_by_line(tmp_path):
    _, held = asked(times=2, faults="500@try1", ledger=tmp_path / "calls.jsonl")
    written = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert [(entry["tried"], entry["status"], entry["fault"]) for entry in written] == [(1, 500, "500"), (2, 200, None)]
    assert [entry.prompt_tokens for entry in held] == [entry["prompt_tokens"] for entry in written]
    assert all(entry["ended"] >= entry["started"] and entry["prompt_tokens"] > 0 for entry in written)


@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        ("hang", "ReadTimeout"),
        ("drop", "RemoteProtocolError"),
        ("half", "RemoteProtocolError"),
    ],
)
def test_a_connection_may_fail(fault, seen):
    assert asked(faults=fault, patience=1)[0] == [seen]


@pytest.mark.parametrize(
    ("fault", "status", "wait"), [("429", 429, None), ("429:2", 429, "2"), ("500", 500, None), ("503:0.5", 503, "0.5")]
)
def test_a_server_may_say_no(fault, status, wait):
    ((reply,), _) = asked(faults=fault)
    assert (reply.status_code, reply.headers.get("retry-after")) == (status, wait)


@pytest.mark.parametrize("fault", ["prose", "wrong-ids", "fewer", "reasoning", "two", "truncated", "cut"])
def test_a_message_may_be_wrong(fault):
    ((wrong,), _), ((right,), _) = asked(faults=fault), asked()
    assert wrong.status_code == 200
    assert content(wrong) != content(right)
    assert (wrong.json()["choices"][0]["finish_reason"] == "length") == (fault == "truncated")


def test_a_body_may_be_wrong():
    seen = {fault: asked(faults=fault)[0][0] for fault in ("garbage", "refusal", "other-model", "no-usage")}
    assert seen["garbage"].text.startswith("<html>")
    assert seen["refusal"].json()["choices"][0]["message"]["refusal"]
    assert seen["other-model"].json()["model"] != "any"
    assert "usage" not in seen["no-usage"].json()


@pytest.mark.parametrize(
    "given",
    [
        {"faults": "500"},
        {"model": "any~500"},
        {"message": "<<fault 500>>"},
    ],
)
def test_faults_come_from_the_server_the_model_or_the_message(given):
    assert [reply.status_code for reply in asked(**given)[0]] == [500]


@pytest.mark.parametrize(
    ("when", "due"), [("", "xxxxxx"), ("@2", " x    "), ("@2-3", " xx   "), ("@/3", "  x  x"), ("@try2", "xx    ")]
)
def test_faults_are_due_when_they_are_said_to_be(when, due):
    faults = Faults(f"500{when}")
    assert "".join("x" if faults.due("a", tried) else " " for tried in range(1, 7)) == due


def test_a_share_of_tries_fails_the_same_ones_every_time():
    runs = [[Faults("500@30%").due(str(number), 1) for number in range(400)] for _ in range(2)]
    assert runs[0] == runs[1]
    assert 80 < sum(map(bool, runs[0])) < 160


@pytest.mark.parametrize("written", ["nonsense", "500@sometimes", "200", "429:"])
def test_a_fault_that_does_not_exist_is_refused(written):
    with pytest.raises(ValueError, match="no such fault"):
        Faults(written)


def test_what_is_not_understood_is_the_callers_fault():
    ((reply,), _) = asked(model=None)
    assert reply.status_code == 400
