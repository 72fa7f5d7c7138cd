import math

import pytest

from ragassay.judges.embedded.quantities import Quantity, quantities, same_figure, within


def only(text: str) -> Quantity:
    (found,) = quantities(text)
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.5 km", "1500 m"),
        ("1,5 км", "1500 метров"),
        ("90 minutes", "1.5 hours"),
        ("полтора часа 90 минут", "5400 секунд"),
        ("2 years", "24 months"),
        ("0.5 t", "500 kg"),
        ("$5 million", "5,000,000 dollars"),
        ("2,5 млн рублей", "2 500 000 руб."),
        ("14:30", "2:30 pm"),
        ("250 hectares", "2.5 square kilometres"),
        ("двадцать пять процентов", "25 %"),
        ("two hundred and five", "205"),
    ],
)
def test_equal_amounts_carry_each_other(one: str, other: str) -> None:
    assert within(only(one), only(other))
    assert within(only(other), only(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [("36 kg", "36 t"), ("5 km", "5 miles"), ("10 %", "10 рублей"), ("14:30", "14:00"), ("1 284,50", "1284")],
)
def test_other_amounts_do_not(one: str, other: str) -> None:
    assert not within(only(one), only(other))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("between 10 and 15", 10, 15),
        ("from 10 to 15 items", 10, 15),
        ("10–15", 10, 15),
        ("от 10 до 15", 10, 15),
        ("at least 3", 3, math.inf),
        ("не менее 3", 3, math.inf),
        ("18 or older", 18, math.inf),
        ("no more than 7", -math.inf, 7),
        ("не более 7", -math.inf, 7),
    ],
)
def test_bounds_and_ranges(text: str, low: float, high: float) -> None:
    found = only(text)
    assert (found.low, found.high) == (low, high)


def test_a_range_carries_a_bound_and_not_a_value_inside() -> None:
    given = only("between 10 and 15")
    assert within(only("at most 15"), given)
    assert within(only("no fewer than 10"), given)
    assert not within(only("12"), given)
    assert not within(only("at most 14"), given)


def test_more_than_excludes_the_bound() -> None:
    assert not within(only("more than 50"), only("50"))
    assert within(only("more than 50"), only("51"))


def test_the_same_figure_in_another_unit_is_told_from_another_figure() -> None:
    assert same_figure(only("36 kg"), only("36 t"))
    assert not same_figure(only("36 kg"), only("37 kg"))


def test_years_have_no_bounds_and_no_unit() -> None:
    assert only("до 2024 года")[:3] == (2024.0, 2024.0, "")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("90 metres per minute", "1.5 m/s", True),
        ("90 метров в минуту", "1,5 м/с", True),
        ("$60 yearly", "$5 a month", True),
        ("300 рублей в год", "300 рублей в месяц", False),
        ("300 рублей", "300 рублей в месяц", True),
        ("2 mg per litre", "2 mg per hour", False),
    ],
)
def test_what_an_amount_is_counted_for(one: str, other: str, expected: bool) -> None:
    assert within(only(one), only(other)) is expected


def test_a_citation_mark_is_no_number() -> None:
    assert quantities("The rule is strict [3].") == []


def test_a_bare_one_is_no_number() -> None:
    assert quantities("one of them") == []
    assert quantities("один из них") == []
