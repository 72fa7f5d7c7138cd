"""The six controls: what a run shows about itself, and what it does not."""

from ragassay.acceptance.accepting import accept
from ragassay.acceptance.presented import Presented

__all__ = ["Presented", "accept"]
