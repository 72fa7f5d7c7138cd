import pytest
from cases import case

from ragassay.judges.llm.reply import number, single_object
from ragassay.records import Failure


def error_of(outcome):
    return outcome.error if isinstance(outcome, Failure) else outcome


def test_C37_two_answers_are_no_answer():
    given, expected = case("C37")
    assert error_of(single_object(given["judge_reply"])) == expected["code"]


def test_C38_a_number_is_read_for_certain_or_not_at_all():
    rows, _ = case("C38")
    for row in rows:
        read = number(row["reply"], *row["scale"])
        value = "error" if isinstance(read, Failure) else read
        assert value in row["ok"], row
        assert value not in row["never"], row


def test_C39_what_cannot_be_read_is_not_a_verdict():
    given, expected = case("C39")
    for reply in given["judge_replies"]:
        said = reply.replace("(empty)", "")
        assert error_of(single_object(said)) == expected["code"]
        assert error_of(number(said, 0, 1)) == expected["code"]


def test_C48_reasoning_is_not_the_verdict_and_what_breaks_off_is_an_error():
    given, expected = case("C48")
    read = [single_object(reply) for reply in given["judge_replies"]]
    assert [each if isinstance(each, dict) else {"status": "error", "code": each.error} for each in read] == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": {"b": 2}}\n```', {"a": {"b": 2}}),
        ('Set A = {1; 2}. So: {"a": 1}', {"a": 1}),
        ('<THINK>{"a": 0}</THINK >{"a": 1}', {"a": 1}),
        ('{"a": "quoting </think> {\\"a\\": 2}"}', {"a": 'quoting </think> {"a": 2}'}),
        ('<think>one</think><think>two</think>{"a": 1}', {"a": 1}),
        ('{"a": 1, "a": 2}', "ambiguous_judge_output"),
        ('{"a": 1}\n{"a": 1}', "ambiguous_judge_output"),
        ('{"a": NaN}', "verdict_unreadable"),
        ("{'a': 1}", "verdict_unreadable"),
        ("[1, 2]", "verdict_unreadable"),
        ("   ", "verdict_unreadable"),
        ('{"a": [1, 2', "judge_output_truncated"),
        ('{"a": "the ans', "judge_output_truncated"),
        ("<reasoning>so", "judge_output_truncated"),
        ("I'm sorry, but I cannot help with that request.", "judge_refused"),
        ("Извините, я не могу ответить на этот вопрос.", "judge_refused"),
        ('{"a":' * 100_000, "verdict_unreadable"),
        ("{" * 1_000 + '"a": 1}', "verdict_unreadable"),
    ],
)
def test_one_object_or_the_name_of_the_fault(reply, expected):
    assert error_of(single_object(reply)) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("7,5", 7.5),
        (" 3 ", 3.0),
        ("<think>2 or 3?</think>3", 3.0),
        ("1,000", "verdict_unreadable"),
        ("11", "verdict_out_of_scale"),
        ("-1", "verdict_out_of_scale"),
        ("nan", "verdict_unreadable"),
        ("1e1", "verdict_unreadable"),
    ],
)
def test_a_number_stands_alone_and_on_its_scale(reply, expected):
    assert error_of(number(reply, 0, 10)) == expected
