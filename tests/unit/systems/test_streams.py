import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from served import event, hang, pieces, reply, serving
from unit.systems.asking import asked, endpoint

from ragassay.systems.streams import ErrorEvent, JsonLines, ServerSent

SSE = """
url = "{url}/ask"
[request]
question = "{{question}}"
[stream]
form = "sse"
end = "[DONE]"
finish = "done"
[reply]
answer = "piece"
error = "error"
input_tokens = "usage.in"
output_tokens = "usage.out"
[reply.retrieved]
each = "sources[*]"
document = "id"
"""
LINES = SSE.replace('form = "sse"\nend = "[DONE]"\nfinish = "done"', 'form = "lines"')
SOURCES = event({"sources": [{"id": "TI-204"}]})
FIRST, SECOND = event({"piece": "Срок "}), event({"piece": "10 дней"})


def one(folder, served, text=SSE, **settings):
    with serving(*served) as stub:
        return asked(endpoint(folder, text.format(url=stub.url), **settings)), stub


def test_a_stream_gives_the_answer_its_first_token_and_its_end(tmp_path):
    usage = event({"done": True, "usage": {"in": 5, "out": 2}})
    answer, _ = one(tmp_path, [pieces(SOURCES, FIRST, SECOND, usage, event("[DONE]"), pause=0.02)])
    assert (answer.answer, answer.complete, answer.error) == ("Срок 10 дней", True, None)
    assert [each.document for each in answer.retrieved] == ["TI-204"]
    assert (answer.input_tokens, answer.output_tokens) == (5, 2)
    assert 0 < answer.first_token_ms < answer.total_ms


def test_usage_that_no_event_gives_is_unknown(tmp_path):
    answer, _ = one(tmp_path, [pieces(FIRST, SECOND, event("[DONE]"))])
    assert (answer.complete, answer.input_tokens, answer.output_tokens, answer.cost) == (True, None, None, None)


@pytest.mark.parametrize(
    ("served", "error"),
    [
        (pieces(SOURCES, FIRST, broken=True), "system_stream_broken: RemoteProtocolError"),
        (pieces(SOURCES, FIRST), "system_stream_broken: it ended without the mark of its end"),
        (pieces(SOURCES, FIRST, b'data: {"pie'), "system_reply_malformed: JSONDecodeError"),
        (pieces(SOURCES, FIRST, event({"error": "overloaded"})), "system_error: overloaded"),
        (pieces(SOURCES, FIRST, event("gone", name="error")), "system_stream_broken: ErrorEvent: gone"),
        (pieces(SOURCES, FIRST, event({"piece": 7})), "system_reply_malformed: ValueError: a piece of the answer"),
        (pieces(SOURCES, FIRST, event({"done": "length"}), event("[DONE]")), "system_answer_cut: length"),
        (hang(SOURCES, FIRST), "system_timeout: no reply in 0.3 s"),
    ],
)
def test_a_broken_stream_is_kept_as_far_as_it_came_and_never_as_whole(tmp_path, served, error):
    answer, _ = one(tmp_path, [served], timeout=0.3, tries=1)
    assert answer.error.startswith(error)
    assert (answer.answer, answer.complete) == ("Срок ", False)
    assert [each.document for each in answer.retrieved] == ["TI-204"]


def test_a_stream_that_breaks_before_its_first_word_is_asked_again(tmp_path):
    answer, stub = one(tmp_path, [pieces(SOURCES, broken=True), pieces(FIRST, event("[DONE]"))])
    assert (answer.answer, answer.complete, answer.retrieved) == ("Срок ", True, None)
    assert len(stub.asked) == 2


def test_a_stream_that_breaks_after_its_mark_is_whole(tmp_path):
    answer, _ = one(tmp_path, [pieces(FIRST, event({"done": "stop"}), broken=True)])
    assert (answer.answer, answer.complete, answer.error) == ("Срок ", True, None)


def test_a_stream_that_stays_open_after_its_end_is_whole(tmp_path):
    answer, _ = one(tmp_path, [hang(FIRST, event("[DONE]"))], timeout=5)
    assert (answer.answer, answer.complete, answer.error) == ("Срок ", True, None)


def test_a_stream_that_says_nothing_is_an_empty_answer(tmp_path):
    answer, _ = one(tmp_path, [pieces(event({"done": "stop"}), event("[DONE]"))])
    assert (answer.answer, answer.complete, answer.error) == ("", True, None)


def test_a_refused_stream_has_its_error(tmp_path):
    answer, _ = one(tmp_path, [pieces(event({"error": "no such index"}))])
    assert (answer.answer, answer.error) == (None, "system_error: no such index")


def test_json_lines_without_a_mark_end_with_the_body(tmp_path):
    line = json.dumps({"piece": "а\u2028б\x85"}, ensure_ascii=False).encode() + b"\r\n\n"
    answer, _ = one(tmp_path, [pieces(line, b'{"piece": "!"}')], LINES)
    assert (answer.answer, answer.complete) == ("а\u2028б\x85!", True)
    answer, _ = one(tmp_path, [pieces(line, broken=True)], LINES)
    assert (answer.answer, answer.complete) == ("а\u2028б\x85", False)


def test_halves_of_a_character_in_two_events_are_joined(tmp_path):
    halves = [b'{"piece": "\\ud83e"}\n', b'{"piece": "\\udd14"}\n', b'{"piece": " \\ud83e"}\n']
    answer, _ = one(tmp_path, [pieces(*halves)], LINES)
    assert answer.answer == "🤔 �"


def test_a_whole_reply_where_a_stream_was_expected_is_no_answer(tmp_path):
    answer, _ = one(tmp_path, [reply({"piece": "да"})])
    assert answer.error == "system_stream_broken: it ended without the mark of its end"


DATA = st.lists(st.text("aя:\u2028\r \n", min_size=1).filter(lambda text: text.strip("\r\n")), max_size=6)


def cuts(body, places):
    marks = sorted({place % (len(body) + 1) for place in places})
    return [body[start:end] for start, end in zip([0, *marks], [*marks, len(body)], strict=True)]


@given(DATA, st.lists(st.integers(0, 200), max_size=10), st.booleans())
def test_events_do_not_depend_on_how_the_bytes_arrive(texts, places, closed):
    texts = [text.replace("\r", "") for text in texts]
    texts = [text for text in texts if text]
    body = b"".join(
        b": note\nid: 1\n" + b"".join(b"data: %s\r\n" % part.encode() for part in text.split("\n")) + b"\n"
        for text in texts
    )
    parts = ServerSent()
    found = [data for chunk in cuts(body if closed else body[:-1], places) for data in parts.feed(chunk)] + parts.end()
    assert [data.decode() for data in found] == texts


@given(st.lists(st.text("aя\u2028\x85 "), max_size=6), st.lists(st.integers(0, 200), max_size=10))
def test_lines_do_not_depend_on_how_the_bytes_arrive(texts, places):
    parts = JsonLines()
    body = "\n".join(texts).encode()
    found = [data for chunk in cuts(body, places) for data in parts.feed(chunk)]
    found += [data for data in parts.end() if data.strip()]
    assert [data.decode() for data in found] == [text for text in texts if text.encode().strip()]


def test_an_error_event_is_told_apart_from_data():
    with pytest.raises(ErrorEvent, match="gone"):
        ServerSent().feed(b"event: error\ndata: gone\n\n")
    assert ServerSent().feed(b"event: token\ndata: x\n\n") == [b"x"]
