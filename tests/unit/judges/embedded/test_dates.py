import pytest

from ragassay.judges.embedded.dates import dates


@pytest.mark.parametrize(
    "text",
    ["3 March 2024", "March 3, 2024", "03.03.2024", "2024-03-03", "3 марта 2024 г.", "3/3/24", "the 3rd of March 2024"],
)
def test_notations_of_one_day(text: str) -> None:
    (date,) = dates(text)
    assert date[:3] == (2024, 3, 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in March 2024", (2024, 3, None)),
        ("на 3 марта", (None, 3, 3)),
        ("3/14/2024", (2024, 3, 14)),
        ("15 мая 1999", (1999, 5, 15)),
    ],
)
def test_parts_that_are_not_given_are_none(text: str, expected: tuple[int | None, ...]) -> None:
    (date,) = dates(text)
    assert date[:3] == expected


@pytest.mark.parametrize("text", ["99.99.2024", "version 1.2.3", "it may be 12", "2024"])
def test_what_is_no_date(text: str) -> None:
    assert dates(text) == []


def test_a_full_date_says_its_month_and_not_another_day() -> None:
    (full,), (month,), (other,) = dates("3 March 2024"), dates("март 2024"), dates("4 марта 2024")
    assert full.says(month)
    assert not month.says(full)
    assert not full.says(other)


def test_the_year_may_be_said_elsewhere() -> None:
    (open_year,), (full,) = dates("1 апреля"), dates("01.04.2024")
    assert open_year.says(full, {2024})
    assert not open_year.says(full, {2023})
