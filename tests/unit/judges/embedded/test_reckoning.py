import pytest

from ragassay.judges.embedded.quantities import quantities, within
from ragassay.judges.embedded.reckoning import follows, implied


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("40 percent", "two out of five applications"),
        ("50 %", "half of the budget"),
        ("at eight in the evening", "с 10 до 20 часов"),
    ],
)
def test_what_a_text_means_by_shares_and_hours(claim: str, text: str) -> None:
    (claimed,) = quantities(claim)
    assert any(within(claimed, amount) for amount in implied(text, quantities(text)))


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        ("72 applications", "Of 96 applications 24 were rejected.", True),
        ("120 applications", "Of 96 applications 24 were rejected.", True),
        ("25 %", "Of 96 applications 24 were rejected.", True),
        ("in 1896", "He moved in 1889 and stayed for 7 years.", True),
        ("73 applications", "Of 96 applications 24 were rejected.", False),
        ("30 kg", "20 km and 10 kg", False),
    ],
)
def test_what_follows_from_two_amounts(claim: str, text: str, expected: bool) -> None:
    (claimed,) = quantities(claim)
    assert follows(claimed, quantities(text)) is expected
