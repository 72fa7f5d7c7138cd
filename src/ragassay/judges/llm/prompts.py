"""Prompts as versioned data, and data set into them once: between marks that no text can forge."""

import hashlib
import json
import secrets
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

Message = dict[str, str]
Token = Callable[[int], str]
"""A random text of so many characters, such as `digits`."""

PromptName = Literal["extraction", "verification"]
LANGUAGES: tuple[Literal["en", "ru"], ...] = ("en", "ru")
_MARK = 12


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


class Question(NamedTuple):
    """What is asked of a judge: named texts, which are data, and the line that says what to do with them."""

    blocks: tuple[tuple[str, str], ...]
    request: str

    def text(self, token: Token) -> str:
        """The question in words. Every text stands after a mark that occurs in none of them, up to the next one."""
        mark = delimiter((text for _, text in self.blocks), token)
        marked = (f"[{mark} {name}]\n{text}" for name, text in self.blocks)
        return "\n".join((*marked, f"[{mark} end]", self.request))


def delimiter(texts: Iterable[str], token: Token) -> str:
    """A random mark that occurs in none of the texts."""
    held = list(texts)
    mark = token(_MARK)
    while any(mark in text for text in held):
        mark += token(_MARK)
    return mark


def digits(count: int) -> str:
    """Random digits: tokenizers take several at once, unlike letters that make no word."""
    return f"{secrets.randbelow(10**count):0{count}}"


def sendable(text: str) -> str:
    """The text without half surrogate pairs, which no request can carry: they become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def estimated_tokens(messages: Sequence[Message], shape: Mapping[str, Any]) -> int:
    """An upper estimate, whatever the tokenizer: a token is hardly ever shorter than three bytes of prose."""
    texts = (*(message["content"] for message in messages), json.dumps(shape))
    return sum(len(text.encode("utf-8")) for text in texts) // 3
