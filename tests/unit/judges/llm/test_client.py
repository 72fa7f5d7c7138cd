import logging

import pytest
from unit.judges.llm.stub import Answer, rejected, said, serving

from ragassay.flow import Budget, CredentialsRefused, Flow
from ragassay.judges.llm import Endpoint, Price, client
from ragassay.judges.llm.client import Chat
from ragassay.judges.llm.endpoint import key_of
from ragassay.judges.llm.prompts import load
from ragassay.judges.together import finished
from ragassay.records import Failure, Usage

PROMPT = load("verification", "en")
SECRET = "sk-canary-7f3a9"


def chat(stub, waits=None, **settings):
    endpoint = Endpoint(base_url=stub.url, model="m", **settings)

    async def sleep(seconds):
        if waits is not None:
            waits.append(seconds)

    flow = Flow("judge", endpoint.limits, Budget(), sleep=sleep, chance=lambda: 0.0)
    return Chat(endpoint, flow, key_of(endpoint))


def ask(judge, user="x"):
    """The outcome of one question: the content of a reply, or a failure."""

    async def asked():
        try:
            return await judge.ask(PROMPT, user)
        finally:
            await judge.close()

    outcome = finished(asked())
    return outcome if isinstance(outcome, Failure) else outcome.content


def test_content_tokens_and_money_are_taken_from_the_reply():
    with serving(said("{}", usage=(1_000, 50))) as stub:
        judge = chat(stub, price=Price(input=2.0, output=8.0))
        assert ask(judge, "x") == "{}"
        assert ask(judge, "x") == "{}"
        assert judge.spent() == Usage(calls=2, input_tokens=2_000, output_tokens=100, cost=pytest.approx(0.0048))


def test_unknown_usage_is_unknown_and_not_zero():
    with serving(said("{}"), said("{}", usage=None)) as stub:
        judge = chat(stub, price=Price(1.0, 1.0))
        ask(judge, "x")
        assert judge.spent().input_tokens == 100
        ask(judge, "x")
        assert judge.spent() == Usage(calls=2, input_tokens=None, output_tokens=None, cost=None)


def test_without_a_price_there_is_no_cost():
    with serving(said("{}")) as stub:
        judge = chat(stub)
        ask(judge, "x")
        assert judge.spent().cost is None


def test_what_does_not_change_comes_first_and_in_the_same_words():
    with serving(said("{}")) as stub:
        judge = chat(stub)
        ask(judge, "one")
        ask(judge, "two")
        first, second = (request["messages"] for request in stub.requests)
        assert first[:-1] == second[:-1]
        assert [first[-1]["content"], second[-1]["content"]] == ["one", "two"]
        assert stub.requests[0]["temperature"] == 0
        assert stub.requests[0]["response_format"]["json_schema"]["schema"] == PROMPT.shape


@pytest.mark.parametrize(
    ("parameter", "error"),
    [
        ("response_format", rejected(400, "This server does not support response_format of type json_schema")),
        ("response_format", rejected(422, "Extra inputs are not permitted", param="response_format")),
        ("temperature", rejected(400, "Unsupported value: 'temperature' does not support 0", param="temperature")),
    ],
)
def test_what_an_endpoint_does_not_take_is_left_out_once_learnt(parameter, error):
    def answer(request):
        return error if parameter in request else said("{}")

    with serving(answer) as stub:
        judge = chat(stub)
        assert ask(judge, "x") == ask(judge, "x") == "{}"
        assert [parameter in request for request in stub.requests] == [True, False, False]
        assert judge.unsupported == {parameter}


def test_a_model_that_wants_the_other_name_of_the_limit_gets_it():
    message = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."

    def answer(request):
        return rejected(400, message) if "max_tokens" in request else said("{}")

    with serving(answer) as stub:
        assert ask(chat(stub, max_tokens=77), "x") == "{}"
        assert stub.requests[1]["max_completion_tokens"] == 77


def test_an_endpoint_that_takes_nothing_is_not_asked_for_ever():
    def answer(request):
        return rejected(400, "bad: " + ", ".join(request))

    with serving(answer) as stub:
        outcome = ask(chat(stub), "x")
        assert outcome.error == "judge_request_rejected"
        assert len(stub.requests) <= 5


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_what_may_pass_is_tried_again_a_bounded_number_of_times(status):
    with serving(rejected(status, "busy")) as stub:
        outcome = ask(chat(stub, tries=3))
        assert outcome.error == ("judge_rate_limited" if status == 429 else "judge_unavailable")
        assert "busy" in outcome.detail
        assert "after 3 of 3 tries" in outcome.detail
        assert len(stub.requests) == 3


@pytest.mark.parametrize("status", [400, 403, 404])
def test_what_will_not_pass_is_not_tried_again(status):
    with serving(rejected(status, "no")) as stub:
        assert ask(chat(stub), "x").error == "judge_request_rejected"
        assert len(stub.requests) == 1


@pytest.mark.parametrize("status", [401, 407])
def test_who_is_refused_once_is_refused_for_every_call(status):
    with serving(rejected(status, "no")) as stub:
        with pytest.raises(
            CredentialsRefused, match=rf"the judge refuses who asks \(HTTP {status}: .*no.*\); check its key"
        ):
            ask(chat(stub), "x")
        assert len(stub.requests) == 1


def test_the_wait_that_a_server_asks_for_is_kept():
    waits = []
    busy = Answer(429, {"error": {"message": "slow down"}}, {"Retry-After": "7"})
    with serving(busy, said("{}")) as stub:
        assert ask(chat(stub, waits)) == "{}"
    assert waits[0] == pytest.approx(7.0, abs=0.1)


def test_a_wait_beyond_reason_ends_the_tries():
    with serving(Answer(429, {"error": {"message": "come back"}}, {"Retry-After": "3600"})) as stub:
        assert ask(chat(stub)).error == "judge_rate_limited"
        assert len(stub.requests) == 1


def test_a_server_that_never_answers_is_a_timeout_with_unknown_tokens():
    import threading

    free = threading.Event()

    def hang(_):
        free.wait(5)
        return said("{}")

    with serving(hang) as stub:
        judge = chat(stub, timeout=0.3, tries=2)
        outcome = ask(judge, "x")
        free.set()
        assert outcome.error == "judge_timeout"
        assert judge.spent() == Usage(calls=2, input_tokens=None, output_tokens=None)


def test_a_broken_line_is_tried_again():
    with serving(Answer(0, "", drop=True), said("{}")) as stub:
        assert ask(chat(stub), "x") == "{}"


def test_no_server_at_all_is_unavailable():
    with serving(said("{}")) as stub:
        judge = chat(stub, tries=1)
    assert ask(judge, "x").error == "judge_unavailable"


@pytest.mark.parametrize(
    "body",
    [
        "<html>welcome</html>",
        "",
        "[]",
        {"choices": []},
        {"choices": None},
        {"error": {"message": "overloaded"}},
        {"choices": [{"message": {"content": ["a"]}}]},
        '{"choices": [{"message": {"content": "cut o',
    ],
)
def test_what_is_no_chat_completion_is_named_so(body):
    with serving(Answer(200, body)) as stub:
        assert ask(chat(stub), "x").error == "judge_reply_malformed"
        assert len(stub.requests) == 1


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (said('{"verdicts": []}', finish="length"), "judge_output_truncated"),
        (said(None, refusal="I cannot help with that"), "judge_refused"),
        (said(None, finish="content_filter"), "judge_refused"),
        (
            rejected(400, "This model's maximum context length is 8192 tokens; reduce max_tokens"),
            "judge_context_overflow",
        ),
        (rejected(400, "too long", code="context_length_exceeded"), "judge_context_overflow"),
    ],
)
def test_each_fault_of_a_reply_has_its_name(answer, error):
    with serving(answer) as stub:
        judge = chat(stub)
        assert ask(judge, "x").error == error
        assert judge.unsupported == set()


def test_what_is_too_long_is_not_sent():
    with serving(said("{}")) as stub:
        assert ask(chat(stub, window=6_000), "x" * 20_000).error == "judge_context_overflow"
        assert stub.requests == []


def test_a_redirect_is_not_followed():
    with serving(said("{}")) as elsewhere, serving(Answer(307, "", {"Location": f"{elsewhere.url}/x"})) as stub:
        assert isinstance(ask(chat(stub), "x"), Failure)
        assert elsewhere.requests == []


def test_the_key_is_sent_and_shown_nowhere(monkeypatch, caplog):
    monkeypatch.setenv("JUDGE_KEY", SECRET)
    caplog.set_level(logging.DEBUG)
    with serving(rejected(401, f"Incorrect API key provided: {SECRET}")) as stub:
        judge = chat(stub, key_variable="JUDGE_KEY")
        with pytest.raises(CredentialsRefused) as refused:
            ask(judge, "x")
        assert stub.headers[0]["Authorization"] == f"Bearer {SECRET}"
        assert SECRET not in f"{refused.value} {refused.value!r} {judge!r} {judge.endpoint!r} {caplog.text}"


@pytest.mark.parametrize("key", [SECRET, "short"])
def test_a_reply_that_repeats_the_key_is_not_kept_unless_the_key_may_be_a_word(monkeypatch, key):
    monkeypatch.setenv("JUDGE_KEY", key)
    with serving(said(f"It is {key}.")) as stub:
        outcome = ask(chat(stub, key_variable="JUDGE_KEY"), "x")
    assert outcome == "It is short." if key == "short" else outcome.error == "judge_reply_has_secret"
    assert SECRET not in f"{outcome}"


def test_a_key_of_another_service_is_not_sent_along(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with serving(said("{}")) as stub:
        ask(chat(stub), "x")
        assert SECRET not in str(stub.headers)


def test_without_the_extra_the_error_names_it(monkeypatch):
    import importlib.util
    import sys

    monkeypatch.setitem(sys.modules, "openai", None)
    spec = importlib.util.spec_from_file_location("client_without_openai", client.__file__)
    with pytest.raises(ImportError, match=r"ragassay\[llm\]"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


@pytest.mark.parametrize("error", ["no", ["no"], {"message": 7, "param": ["body"], "code": {}}, None])
def test_an_error_of_any_form_is_a_failure(error):
    with serving(Answer(400, {"error": error})) as stub:
        assert ask(chat(stub), "x").error == "judge_request_rejected"
