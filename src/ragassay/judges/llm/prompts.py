"""Prompts as versioned data, and data set into them once: between marks that no text can forge."""

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct

Message = dict[str, str]
Token = Callable[[int], str]
"""A random text in hexadecimal for a number of bytes, such as `secrets.token_hex`."""

PromptName = Literal["extraction", "verification"]
LANGUAGES: tuple[Literal["en", "ru"], ...] = ("en", "ru")
_NONCE_BYTES = 6


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """A question to the judge and its model answer."""

    user: str
    assistant: str


class Prompt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a judge is told. `request` begins the last line of a question; `shape` is the JSON schema of the reply."""

    id: PromptName
    version: int
    language: Literal["en", "ru"]
    request: str
    system: str
    examples: tuple[Example, ...]
    shape: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.id}.{self.language}"

    @property
    def hash(self) -> str:
        """Changes with every character that a judge may see."""
        return f"sha256:{hashlib.sha256(msgspec.json.encode(self, order='deterministic')).hexdigest()}"

    def messages(self, user: str) -> list[Message]:
        """The conversation that asks for `user`. All but the last message are the same in every call, so that a
        provider may cache them."""
        shown = [
            {"role": role, "content": content.strip()}
            for example in self.examples
            for role, content in (("user", example.user), ("assistant", example.assistant))
        ]
        return [{"role": "system", "content": self.system.strip()}, *shown, {"role": "user", "content": user}]


def load(name: PromptName, language: Literal["en", "ru"]) -> Prompt:
    folder = files("ragassay.judges") / "prompts"
    written = tomllib.loads((folder / f"{name}.{language}.toml").read_text(encoding="utf-8"))
    shape = json.loads((folder / f"{name}.schema.json").read_text(encoding="utf-8"))
    return msgspec.convert({**written, "shape": shape}, type=Prompt)


def delimiter(texts: Iterable[str], token: Token) -> str:
    """A random mark that occurs in none of the texts."""
    held = list(texts)
    mark = token(_NONCE_BYTES)
    while any(mark in text for text in held):
        mark += token(_NONCE_BYTES)
    return mark


def block(mark: str, name: str, text: str) -> str:
    """The text as a block of data. Half surrogate pairs, which no request can carry, become question marks."""
    return f"[{mark} {name}]\n{text.encode('utf-8', 'replace').decode('utf-8')}\n[/{mark} {name}]"


def estimated_tokens(messages: Sequence[Message]) -> int:
    """An upper estimate, whatever the tokenizer: a token is hardly ever shorter than three bytes of prose."""
    return sum(len(message["content"].encode("utf-8")) for message in messages) // 3
