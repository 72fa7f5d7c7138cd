"""A long passage cut to what a claim's words point at: by the run time's own code, so that training cannot differ."""

from ragassay.judges.embedded.window import CHUNK, STEM
from ragassay.judges.embedded.window import window as cut

__all__ = ["CHUNK", "LIMIT", "STEM", "window"]
LIMIT = 42


def window(claim: str, passage: str, limit: int = LIMIT) -> str:
    """The passage itself up to `limit` words, else its best chunks in their own order."""
    return cut(claim, passage, limit)
