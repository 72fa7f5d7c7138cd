"""How a result says its numbers: with enough digits to see on which side of the threshold they lie."""

from collections.abc import Mapping

FEWEST, MOST = 2, 10
USUAL = 4


def number(value: float) -> str:
    """A threshold: whole, or at least two decimals and every digit that was given."""
    if value == round(value):
        return f"{value:,.0f}"
    text = f"{value:.{MOST}f}".rstrip("0")
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals:0<{FEWEST}}"


def beside(value: float | None, threshold: float) -> str:
    """A value next to its threshold: whole where both are, else four decimals, and more where four would hide that the
    two differ.
    """
    if value is None:
        return "no bound"
    if value in (float("inf"), float("-inf")):
        return "without end"
    if value == round(value) and threshold == round(threshold):
        return f"{value:,.0f}"
    for digits in range(USUAL, MOST + 1):
        text = f"{value:.{digits}f}"
        if float(text) != threshold or value == threshold:
            return text
    return f"{value:.{MOST}f}"


def share(part: float) -> str:
    """A share of queries in percent, never rounded to all of them or to the limit of something."""
    text = f"{part * 100:.2f}".rstrip("0").rstrip(".")
    return f"{'>99.99' if text == '100' and part < 1 else text}%"


def counted(count: int, noun: str) -> str:
    """`1 query`, `3 critical queries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def named(counts: Mapping[str, int]) -> str:
    """`no_claims 3, not_recorded 2`."""
    return ", ".join(
        f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    )
