"""Systems under test by name, as the command line names them."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ragassay.flow import Flow
from ragassay.formats.reading import SHOWN, Reading, shown
from ragassay.formats.system import described, read_system
from ragassay.records import Fault, FaultyInput, Query
from ragassay.systems.function import FunctionSystem
from ragassay.systems.http import HttpSystem, card_of
from ragassay.systems.protocol import System
from ragassay.systems.recorded import RecordedSystem

_CHAT = re.compile(r"chat:(.+?)@(\w+://.*)", re.DOTALL)
KEY_VARIABLE = "RAGASSAY_SYSTEM_KEY"
"""The environment variable that holds the key of a chat endpoint; without it no key is sent."""
_FUNCTION = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def system_named(spec: str, flow: Flow, queries: Sequence[Query] = ()) -> System:
    """`package.module:function`, `chat:MODEL@URL`, a `.toml` that describes an endpoint, or a file of answers.

    `queries` give their ids to recorded answers that have only the text of a question. Raises `FaultyInput` for
    anything else, and for everything that is wrong with what is named.
    """
    if chat := _CHAT.fullmatch(spec):
        return _chat(chat[1], chat[2], flow)
    path = Path(spec)
    if path.suffix == ".toml":
        return HttpSystem(read_system(path), flow)
    if _is_there(path):
        return RecordedSystem(path, queries)
    if _FUNCTION.fullmatch(spec) and not spec.startswith("chat:"):
        return FunctionSystem(spec, flow)
    raise FaultyInput([_unknown(spec)])


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _chat(model: str, url: str, flow: Flow) -> HttpSystem:
    """A model alone behind an OpenAI-compatible endpoint: no retrieval, so whatever it says it knew by itself."""
    description = described(
        {
            "url": f"{url.rstrip('/')}/chat/completions",
            "model": model,
            "headers": {"authorization": f"Bearer {{env:{KEY_VARIABLE}}}"} if KEY_VARIABLE in os.environ else {},
            "request": {
                "model": model,
                "messages": [{"role": "user", "content": "{question}"}],
                "stream": True,
                "stream_options": {"include_usage": True},
            },
            "stream": {"form": "sse", "end": "[DONE]", "finish": "choices[0].finish_reason"},
            "reply": {
                "answer": "choices[0].delta.content",
                "error": "error.message",
                "model": "model",
                "input_tokens": "usage.prompt_tokens",
                "output_tokens": "usage.completion_tokens",
            },
        },
        Reading(f"chat:{model}"),
    )
    card = msgspec.structs.replace(card_of(description), kind="chat", name=f"{model}@{url}")
    return HttpSystem(description, flow, card)


def _unknown(spec: str) -> Fault:
    """An address may hold a password, so it is not shown."""
    scheme, is_address, _ = spec[:SHOWN].partition("://")
    return Fault(
        code="unknown_system",
        message="there is no such system",
        field="--system",
        value=f"{scheme}://…" if is_address else shown(spec),
        expected="package.module:function, chat:MODEL@URL, a .toml that describes an endpoint, or a file of answers",
        remedy="describe the endpoint in a small .toml" if is_address else "check the name, or the path of the file",
    )
