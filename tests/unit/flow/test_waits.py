import pytest

from ragassay.flow import Outcome, asked_wait, outcome_of

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT"}, 30.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:00 GMT"}, 0.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT", "date": "Tue, 14 Nov 2023 22:13:45 GMT"}, 5.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT", "date": "yesterday"}, 30.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0.5s"}, 360.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-tokens": "12", "x-ratelimit-reset-tokens": "6m0s"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1h2m3s4ms"}, 3_723.004),
        ({"x-ratelimit-reset": "7"}, 7.0),
        ({"x-ratelimit-reset": "1700000010"}, 10.0),
        ({"x-ratelimit-reset": "1700000010500"}, 10.5),
        ({"ratelimit-reset": "3"}, 3.0),
    ],
)
def test_the_wait_that_a_reply_asks_for(headers, wait):
    assert asked_wait(headers, NOW) == pytest.approx(wait)


@pytest.mark.parametrize(
    "hostile",
    ["", "-1", "nan", "inf", "1e9", "٣", "9" * 10_000, "soon", "Tue, 99 Nov 2023 99:99:99 GMT", "\x00", "1_000"],
)
@pytest.mark.parametrize("header", ["retry-after", "retry-after-ms", "x-ratelimit-reset", "ratelimit-reset"])
def test_what_cannot_be_read_asks_for_nothing(header, hostile):
    assert asked_wait({header: hostile}, NOW) is None


@pytest.mark.parametrize("text", ["5x", "ms", "1s2m", "1e3s", "9" * 500 + "s"])
def test_a_duration_that_cannot_be_read_asks_for_nothing(text):
    assert asked_wait({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": text}, NOW) is None


@pytest.mark.parametrize(
    "headers", [{"retry-after": "999999999"}, {"retry-after": "Tue, 14 Nov 9999 22:13:50 GMT"}], ids=["number", "date"]
)
def test_no_wait_is_longer_than_a_day(headers):
    assert asked_wait(headers, NOW) == 86_400.0


@pytest.mark.parametrize(
    ("outcome", "statuses"),
    [
        (Outcome.DONE, (200, 201, 204)),
        (Outcome.AGAIN, (408, 409, 425, 500)),
        (Outcome.OVERLOAD, (429, 502, 503, 504, 529)),
        (Outcome.FINAL, (301, 302, 307, 400, 403, 404, 413, 422)),
        (Outcome.REFUSED, (401, 407)),
    ],
)
def test_what_a_status_asks_of_the_caller(outcome, statuses):
    assert {outcome_of(status) for status in statuses} == {outcome}
