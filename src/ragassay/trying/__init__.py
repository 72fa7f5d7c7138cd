"""A contract, tried on a run before it stands in anybody's way."""

from ragassay.trying.trial import SWEPT, Ask, is_empty, tried

__all__ = ["SWEPT", "Ask", "is_empty", "tried"]
