"""A judge behind any OpenAI-compatible endpoint, local servers included. Needs the extra `[llm]`."""

from ragassay.judges.llm.client import Endpoint
from ragassay.judges.llm.judge import LlmJudge

__all__ = ["Endpoint", "LlmJudge"]
