"""Two runs beside each other: what may be compared at all, and what changed."""

from ragassay.comparison.comparability import comparability
from ragassay.comparison.comparing import compare
from ragassay.comparison.sides import Side

__all__ = ["Side", "comparability", "compare"]
