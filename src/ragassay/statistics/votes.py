"""What several raters say together."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

V = TypeVar("V", bound=Hashable)


def majority(votes: Sequence[V]) -> V | None:
    """What most of them say; None where two lead or there are none."""
    counts = {vote: votes.count(vote) for vote in votes}
    top = max(counts.values(), default=0)
    leading = [vote for vote, count in counts.items() if count == top]
    return leading[0] if len(leading) == 1 else None
