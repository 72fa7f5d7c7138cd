"""A judge behind any OpenAI-compatible endpoint, local servers included. Needs the extra `[llm]`."""

from ragassay.judges.llm.description import read_endpoint
from ragassay.judges.llm.endpoint import Endpoint, Price
from ragassay.judges.llm.judge import LlmJudge

__all__ = ["Endpoint", "LlmJudge", "Price", "read_endpoint"]
