import pytest

from ragassay.flow import Limits, Spend
from ragassay.judges.llm import Endpoint, LlmJudge, Price, read_endpoint
from ragassay.records import FaultyInput

SECRET = "sk-canary-7f3a9"
WHOLE = """
kind = "llm"
model = "org/model"
base_url = "http://127.0.0.1:8000/v1"
key_variable = "JUDGE_KEY"
max_tokens = 2048
window = 8192
timeout = 30
tries = 2
concurrency = 8
price = {input = 2, output = 8.0}
"""


def described(folder, text):
    path = folder / "judge.toml"
    path.write_text(text, encoding="utf-8")
    return read_endpoint(path)


def faults_of(work):
    with pytest.raises(FaultyInput) as raised:
        work()
    return raised.value.faults


def test_everything_wrong_with_an_endpoint_is_said_at_once(monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    endpoint = Endpoint(
        base_url=f"http://user:{SECRET}@host/v1",
        model=" ",
        key_variable="NO_SUCH_KEY",
        max_tokens=0,
        window=0,
        timeout=0,
        tries=0,
        concurrency=0,
        price=Price(-1.0, float("nan")),
    )
    faults = faults_of(lambda: LlmJudge(endpoint))
    assert [fault.field for fault in faults] == [
        "base_url",
        "model",
        "max_tokens",
        "window",
        "timeout",
        "tries",
        "concurrency",
        "price.input",
        "price.output",
        "key_variable",
    ]
    assert SECRET not in str(faults)


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "file:///etc/passwd", "", "http://", "http://[", "http://h?key=1"]
)
def test_what_is_no_plain_address_is_refused(url):
    (fault,) = faults_of(lambda: LlmJudge(Endpoint(base_url=url, model="m")))
    assert fault.field == "base_url"


@pytest.mark.parametrize("key", ["", " ", "ключ", "sk\nX: 1"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(monkeypatch, key):
    monkeypatch.setenv("JUDGE_KEY", key)
    endpoint = Endpoint(base_url="http://127.0.0.1:1/v1", model="m", key_variable="JUDGE_KEY")
    assert [fault.value for fault in faults_of(lambda: LlmJudge(endpoint))] == ["JUDGE_KEY"]


def test_a_file_describes_an_endpoint(tmp_path, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", SECRET)
    found = described(tmp_path, WHOLE)
    assert found == Endpoint(
        base_url="http://127.0.0.1:8000/v1",
        model="org/model",
        key_variable="JUDGE_KEY",
        max_tokens=2_048,
        window=8_192,
        timeout=30.0,
        tries=2,
        concurrency=8,
        price=Price(2.0, 8.0),
    )
    assert found.limits == Limits(concurrency=8, tries=2, timeout=30.0, deadline=90.0)
    assert found.spend(1_000_000, 500_000) == Spend(1_500_000, 6.0)
    assert found.spend(None, 5) == Spend(None, None)


def test_everything_wrong_with_a_file_is_said_at_once(tmp_path, monkeypatch):
    monkeypatch.delenv("JUDGE_KEY", raising=False)
    text = """
kind = "lm"
base_url = "http://user:sk-canary-7f3a9@host/v1"
key_variable = "JUDGE_KEY"
api_key = "sk-canary-7f3a9"
max_token = 5
timeout = "long"
tries = 0
price = {input = 1, out = 2}
"""
    faults = faults_of(lambda: described(tmp_path, text))
    assert {fault.field for fault in faults} == {
        "kind", "api_key", "max_token", "timeout", "price.out", "price", "model", "base_url", "tries", "key_variable"
    }  # fmt: skip
    assert {fault.file for fault in faults} == {"judge.toml"}
    assert next(fault.remedy for fault in faults if fault.field == "max_token") == "did you mean max_tokens?"
    assert SECRET not in str(faults)


@pytest.mark.parametrize("text", ["kind = ", "\x00", "a" * 70_000])
def test_what_is_no_toml_is_a_fault(tmp_path, text):
    (fault,) = faults_of(lambda: described(tmp_path, text))
    assert (fault.code, fault.file) == ("unreadable_judge", "judge.toml")


def test_a_file_that_is_not_there_is_a_fault(tmp_path):
    (fault,) = faults_of(lambda: read_endpoint(tmp_path / "none.toml"))
    assert fault.code == "unreadable_judge"
