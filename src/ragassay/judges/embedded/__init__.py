"""The embedded judge: packaged weights and rules, no network."""

from ragassay.judges.embedded.embedder import UseEmbedder
from ragassay.judges.embedded.judge import EmbeddedJudge

__all__ = ["EmbeddedJudge", "UseEmbedder"]
