import pytest

from ragassay.judges.embedded.clocks import clocks


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("It closes at 14:30.", 14.5),
        ("It closes at 2:30 pm.", 14.5),
        ("It closes at 9 p.m.", 21),
        ("at nine in the evening", 21),
        ("at 12 a.m.", 0),
        ("в восемь вечера", 20),
        ("в 8 часов утра", 8),
    ],
)
def test_times_of_day(text: str, hour: float) -> None:
    assert [clock.minutes for clock in clocks(text)] == [hour * 60]


@pytest.mark.parametrize("text", ["9 pumps", "eighteen in the evening class", "3 дня", "1:2:3"])
def test_what_is_no_time_of_day(text: str) -> None:
    assert clocks(text) == []
