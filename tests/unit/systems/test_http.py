import asyncio
import logging
from datetime import date

import msgspec
import pytest
from served import event, half, hang, huge, pieces, reply, serving
from unit.systems.asking import QUERY, asked, description, endpoint, flow

from ragassay.flow import Budget, BudgetSpent, Ceiling, CredentialsRefused, ServerDown
from ragassay.formats.reading import Reading
from ragassay.formats.system import described
from ragassay.records import Citation, FaultyInput, Query, Result
from ragassay.systems import HttpSystem
from ragassay.systems.http import LIMIT

CANARY = "sk-canary/7f3a9-very+secret"

PLAIN = """
version = "search 1.0"
url = "{url}/ask"

[request]
question = "{{question}}"
"""
MAPPED = """
version = "search 2.0"
url = "{url}/ask"
model = "declared-model"

[headers]
Authorization = "Bearer {{env:CANARY}}"

[request]
prompt = "Ответь: {{question}} ({{query}})"
user = {{ groups = "{{groups}}", as_of = "{{as_of}}" }}

[reply]
answer = "result.text"
error = "problem"
model = "model"
index_hash = "index"
retrieval_ms = "times.search"
total_ms = "times.total"
input_tokens = "usage.in"
output_tokens = "usage.out"

[reply.retrieved]
each = "result.sources[*]"
passage = "id"
document = "meta.doc"
revision = "meta.rev"
score = "score"
text = "body"

[reply.citations]
each = "result.cited[*]"
passage = "."

[price]
input = 1.0
output = 10.0
"""
REPLY = {
    "result": {
        "text": "80 Н·м [1].",
        "sources": [{"id": "TI-204#3", "meta": {"doc": "TI-204", "rev": "C"}, "score": 0.8, "body": "M12: 80"}],
        "cited": ["TI-204#3"],
    },
    "model": "served-model-2026",
    "index": "abc",
    "times": {"search": 41},
    "usage": {"in": 1000, "out": 100},
}


@pytest.fixture(autouse=True)
def canary(monkeypatch):
    monkeypatch.setenv("CANARY", CANARY)


def one(folder, served, text=PLAIN, **settings):
    with serving(*served) as stub:
        return asked(endpoint(folder, text.format(url=stub.url), **settings)), stub


def test_a_reply_in_our_own_format_needs_no_paths(tmp_path):
    own = {"query": "q1", "answer": "80 Н·м", "retrieved": [{"document": "TI-204", "score": 0.5}], "first_token_ms": 7}
    answer, stub = one(tmp_path, [reply(own)])
    assert (answer.query, answer.answer, answer.error) == ("q1", "80 Н·м", None)
    assert answer.retrieved == (Result(document="TI-204", score=0.5),)
    assert answer.first_token_ms == 7
    assert answer.complete is True
    assert answer.total_ms > 0
    assert answer.system == "search 1.0"
    assert stub.asked[0].body == {"question": QUERY.question}


def test_paths_lead_to_every_field_and_what_the_reply_reports_wins(tmp_path):
    with serving(reply(REPLY)) as stub:
        system = endpoint(tmp_path, MAPPED.format(url=stub.url))
        answer = asked(system)
    assert answer.answer == "80 Н·м [1]."
    assert answer.retrieved == (Result(passage="TI-204#3", document="TI-204", revision="C", score=0.8, text="M12: 80"),)
    assert answer.citations == (Citation(passage="TI-204#3"),)
    assert (answer.retrieval_ms, answer.input_tokens, answer.output_tokens) == (41, 1000, 100)
    assert answer.cost == pytest.approx(0.002)
    assert answer.total_ms is not None, "measured, since times.total is not in the reply"
    notices = {notice.code: notice for notice in system.notices()}
    assert notices["system_seen"].samples == ("model: served-model-2026", "index_hash: abc")
    assert stub.asked[0].body == {
        "prompt": f"Ответь: {QUERY.question} (q1)",
        "user": {"groups": ["assembly", "all"], "as_of": None},
    }
    assert stub.asked[0].headers["authorization"] == f"Bearer {CANARY}"


def test_times_that_the_endpoint_reports_win_over_measured_ones(tmp_path):
    answer, _ = one(tmp_path, [reply({**REPLY, "times": {"total": 123456}})], MAPPED)
    assert answer.total_ms == 123456


def test_what_is_filled_in_is_never_read_as_a_template(tmp_path):
    hostile = Query(id="q1", question='"}, {"x": {groups} {env:CANARY} {query}')
    with serving(reply(REPLY)) as stub:
        asked(endpoint(tmp_path, MAPPED.format(url=stub.url)), hostile)
    assert stub.asked[0].body["prompt"] == f"Ответь: {hostile.question} (q1)"
    assert stub.asked[0].body["user"] == {"groups": None, "as_of": None}


def test_experts_knowledge_is_never_sent(tmp_path):
    with pytest.raises(FaultyInput, match="reference"):
        description(tmp_path, PLAIN.format(url="http://x") + 'gold = "{reference}"\n')


def test_a_get_sends_parameters(tmp_path):
    text = (
        'url = "{url}/ask"\nmethod = "GET"\n[parameters]\nq = "{{question}}"\ngroup = "{{groups}}"\nday = "{{as_of}}"\n'
    )
    with serving(reply({"answer": "да"})) as stub:
        system = endpoint(tmp_path, text.format(url=stub.url))
        day = Query(id="q2", question="a b&c=d", as_of=date(2026, 10, 1))
        first, second = asked(system, QUERY, day)
    assert first.answer == second.answer == "да"
    assert stub.asked[0].parameters == [("q", QUERY.question), ("group", "assembly"), ("group", "all")]
    assert stub.asked[1].parameters == [("q", "a b&c=d"), ("day", "2026-10-01")]
    assert stub.asked[0].method == "GET"
    assert "content-type" not in stub.asked[0].headers


def test_a_failure_that_passes_leaves_no_trace_but_retries(tmp_path):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)
        await asyncio.sleep(0)

    ok = reply({"answer": "да"})
    script = [reply("slow down", 429, Retry_After="2"), reply("oops", 500), half(b'{"answer": '), ok]
    answer, stub = one(tmp_path, script, sleep=sleep)
    assert (answer.answer, answer.error, len(stub.asked)) == ("да", None, 4)
    assert any(2 <= wait <= 2.3 for wait in waits)
    assert answer.total_ms < 2_000, "the time of the try that was answered, not of the waits"


@pytest.mark.parametrize(
    ("served", "error", "tries"),
    [
        (reply("down for repair", 500), "system_unavailable: HTTP 500: down for repair; gave up after 4 of 4 tries", 4),
        (reply("", 429), "system_rate_limited: HTTP 429; gave up after 4 of 4 tries", 4),
        (reply("bad question", 400), "system_request_rejected: HTTP 400: bad question", 1),
        (reply("no", 403), "system_request_rejected: HTTP 403: no", 1),
        (reply("", 404), "system_request_rejected: HTTP 404", 1),
        (
            reply("", 307, Location="http://elsewhere.example/steal?key=1"),
            "system_redirected: HTTP 307 to elsewhere.example",
            1,
        ),
        (reply("", 302, Location="//[x"), "system_redirected: HTTP 302 to an unreadable address", 1),
        (reply("", 302, Location="/login"), "system_redirected: HTTP 302 to the same host", 1),
        (reply("<html>"), "system_reply_malformed: JSONDecodeError: Expecting value: line 1 column 1 (char 0)", 1),
        (reply('{"answer": NaN}'), "system_reply_malformed: ValueError: NaN is no JSON", 1),
        (reply("[1]"), "system_reply_malformed: ValueError: the reply is no JSON object", 1),
        (reply("[" * 100_000), "system_reply_malformed: ValueError: nested too deeply", 1),
        (reply(b'{"answer": "\xff"}'), "system_reply_malformed: UnicodeDecodeError", 1),
        (reply({"answer": 5, "retrieved": [{"score": "x"}]}), "system_reply_malformed: retrieved[0].score: ", 1),
        (reply({}), "system_reply_malformed: there is neither an answer nor a result in it", 1),
        (reply({"query": "q9", "answer": "x"}), "system_reply_malformed: the reply is for the query 'q9'", 1),
        (reply({"error": "index is gone\n\x1b[31m"}), r"system_error: index is gone\n\x1b[31m", 1),
        (huge(LIMIT + (1 << 20)), "system_reply_too_large: TooLarge: more than 16 MiB", 1),
        (half(b'{"answer": "80'), "system_unavailable: RemoteProtocolError: ", 4),
    ],
)
def test_every_failure_is_data_with_its_cause(tmp_path, served, error, tries):
    answer, stub = one(tmp_path, [served])
    assert answer.error.startswith(error)
    assert (answer.query, answer.answer, len(stub.asked)) == ("q1", None, tries)
    assert answer.complete is not True
    assert len(answer.error) < 450


def test_a_server_that_never_answers_ends_in_time(tmp_path):
    answer, stub = one(tmp_path, [hang()], timeout=0.1, tries=2, deadline=5)
    assert answer.error == "system_timeout: no reply in 0.1 s; gave up after 2 of 2 tries"
    assert len(stub.asked) == 2


def test_a_server_that_is_not_there_stops_the_run(tmp_path):
    with serving(reply("")) as stub:
        url = stub.url
    system = endpoint(tmp_path, PLAIN.format(url=url), tries=1)
    queries = [Query(id=str(number), question="?") for number in range(20)]
    with pytest.raises(ServerDown, match="system_unavailable"):
        asked(system, *queries)


@pytest.mark.parametrize("status", [401, 407])
def test_refused_credentials_stop_the_run_at_once_and_show_no_key(tmp_path, status):
    with serving(reply(f"bad key {CANARY}", status)) as stub:
        system = endpoint(tmp_path, MAPPED.format(url=stub.url))
        with pytest.raises(CredentialsRefused, match=f"HTTP {status}: bad key …") as refused:
            asked(system)
    assert len(stub.asked) == 1
    assert CANARY not in str(refused.value)


def test_a_declared_answer_that_is_missing_is_no_answer(tmp_path):
    answer, _ = one(tmp_path, [reply({"result": {"sources": []}})], MAPPED)
    assert answer.error == "system_reply_malformed: nothing at reply.answer"


def test_an_error_that_the_reply_reports_is_a_failure(tmp_path):
    answer, _ = one(tmp_path, [reply({"problem": {"code": 7}})], MAPPED)
    assert answer.error == "system_error: {'code': 7}"


def test_an_unknown_usage_is_unknown(tmp_path):
    answer, _ = one(tmp_path, [reply({"result": {"text": "да"}})], MAPPED)
    assert (answer.input_tokens, answer.output_tokens, answer.cost, answer.retrieved) == (None, None, None, None)


def test_fields_that_nobody_reads_are_noticed(tmp_path):
    with serving(reply({"answer": "да", "retreived": ["x"]})) as stub:
        system = endpoint(tmp_path, PLAIN.format(url=stub.url))
        asked(system)
    (notice,) = system.notices()
    assert notice.code == "unknown_fields"
    assert "did you mean retrieved?" in notice.samples[0]


def test_a_model_that_changes_during_the_run_is_noticed(tmp_path):
    with serving(reply(REPLY), reply({**REPLY, "model": "other"})) as stub:
        system = endpoint(tmp_path, MAPPED.format(url=stub.url))
        asked(system, QUERY, QUERY)
    assert {each.code: each for each in system.notices()}["system_changed"].samples[
        0
    ] == "model: other, served-model-2026"


def test_questions_are_strangers_and_share_connections(tmp_path):
    with serving(reply({"answer": "да"}, Set_Cookie="session=1; Path=/")) as stub:
        system = endpoint(tmp_path, PLAIN.format(url=stub.url))
        asked(system, *[Query(id=str(number), question="?") for number in range(5)])
    assert all("cookie" not in asked.headers for asked in stub.asked)
    assert stub.connections == 1


def test_a_query_without_a_text_is_not_asked(tmp_path):
    with serving(reply({"answer": "да"})) as stub:
        (answer,) = asked(endpoint(tmp_path, PLAIN.format(url=stub.url)), Query(id="q"))
    assert (answer.error, stub.asked) == ("no_question", [])


def test_the_card_holds_what_can_change_an_answer_and_no_label_or_price(tmp_path):
    first = endpoint(tmp_path, MAPPED.format(url="http://a.example")).card
    assert (first.kind, first.name, first.version, first.model) == (
        "http",
        "http://a.example/ask",
        "search 2.0",
        "declared-model",
    )
    relabelled = MAPPED.replace("search 2.0", "3").replace("output = 10.0", "output = 11")
    assert endpoint(tmp_path, relabelled.format(url="http://a.example")).card.code == first.code
    rewritten = MAPPED.replace("Ответь", "Ответь кратко")
    assert endpoint(tmp_path, rewritten.format(url="http://a.example")).card.code != first.code


def test_a_ceiling_holds_for_what_an_endpoint_is_expected_to_take(tmp_path):
    bounded = "most_tokens = 2000\n" + MAPPED
    budget = Budget(Ceiling(cost=0.025))
    with serving(reply(REPLY)) as stub:
        system = endpoint(tmp_path, bounded.format(url=stub.url), flow=flow(budget))
        with pytest.raises(BudgetSpent):
            asked(system, *[Query(id=str(number), question="?") for number in range(9)])
    assert len(stub.asked) == 3, "each takes 0.002 of 0.025 and reserves 0.02 before"
    with serving(reply(REPLY)) as stub, pytest.raises(FaultyInput, match="not known in advance"):
        asked(endpoint(tmp_path, MAPPED.format(url=stub.url), flow=flow(Budget(Ceiling(cost=1)))))


SECRETIVE = [
    reply(f"wrong: {CANARY}", 500),
    reply(f"wrong: {CANARY}", 400),
    reply({"result": {"text": f"your key is {CANARY}"}}),
    reply({"problem": f"Bearer {CANARY}"}),
    reply({"result": {"text": "да", "sources": [{"id": CANARY, "score": CANARY}]}}),
    reply({**REPLY, "model": CANARY}),
    pieces(CANARY.encode(), broken=True),
    hang(),
]


@pytest.mark.parametrize("served", SECRETIVE)
def test_no_secret_reaches_an_answer_a_card_a_repr_or_a_log(tmp_path, served, caplog):
    caplog.set_level(logging.DEBUG)
    with serving(served) as stub:
        system = endpoint(tmp_path, MAPPED.format(url=stub.url), timeout=0.3, tries=2)
        answer = asked(system)
        assert stub.asked[0].headers["authorization"] == f"Bearer {CANARY}"
    shown = [repr(answer), repr(system), repr(vars(system)), repr(system.card), repr(system.notices()), caplog.text]
    assert caplog.text
    assert not any(CANARY in text or "sk-canary" in text for text in shown)
    assert CANARY.encode() not in msgspec.json.encode(answer)


def test_a_missing_variable_is_named_and_a_value_never_shown(tmp_path, monkeypatch):
    monkeypatch.delenv("CANARY")
    with pytest.raises(FaultyInput) as missing:
        endpoint(tmp_path, MAPPED.format(url="http://a.example"))
    assert [(each.field, each.message) for each in missing.value.faults] == [
        ("headers.Authorization", "the variable CANARY is not set or cannot be sent")
    ]
    monkeypatch.setenv("CANARY", f"{CANARY}\r\nX-Injected: 1")
    with pytest.raises(FaultyInput) as injected:
        endpoint(tmp_path, MAPPED.format(url="http://a.example"))
    assert "canary/" not in str(injected.value)


def test_a_cancelled_question_gives_its_connection_back(tmp_path):
    async def cancel(system):
        task = asyncio.create_task(system.ask(QUERY))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        after = await system.ask(QUERY)
        await system.close()
        return after

    with serving(hang(event("{}")), reply({"answer": "да"})) as stub:
        answer = asyncio.run(cancel(endpoint(tmp_path, PLAIN.format(url=stub.url))))
    assert answer.answer == "да"


@pytest.mark.parametrize("host", ["999.1.1.1", "ьь_ь", "٣.a", "[1:2]"])
def test_a_host_that_cannot_be_is_a_fault(host):
    with pytest.raises(FaultyInput) as faulty:
        HttpSystem(described({"url": f"http://{host}/", "request": {"q": "{question}"}}, Reading("x")), flow())
    assert [fault.field for fault in faulty.value.faults] == ["url"]
