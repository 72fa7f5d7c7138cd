import pytest

from ragassay.judges.embedded.eras import eras
from ragassay.judges.embedded.quantities import quantities, within


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("the 13th century", 1201, 1300),
        ("the sixteenth century", 1501, 1600),
        ("в XVIII веке", 1701, 1800),
        ("в середине XX столетия", 1901, 2000),
        ("конец XIX века", 1801, 1900),
        ("the late 1950s", 1950, 1959),
        ("в 1950-е годы", 1950, 1959),
    ],
)
def test_years_of_an_era(text: str, low: int, high: int) -> None:
    (era,) = eras(text)
    assert (era.low, era.high) == (low, high)


@pytest.mark.parametrize("text", ["Louis XIV reigned", "in 1950", "40 centuries", "XVI съезд"])
def test_what_is_no_era(text: str) -> None:
    assert eras(text) == []


def test_a_year_says_its_century_and_a_century_no_year() -> None:
    (year,), (century,) = quantities("в 1708 году"), quantities("в XVIII веке")
    assert within(century, year)
    assert not within(year, century)
