"""A model server that needs no model: it speaks the OpenAI interface and fails on demand. For tests and measurements.

    python tests/stub_endpoint.py --port 0 --latency 0.2 --ledger calls.jsonl --faults 429:1@try1,hang@/20

prints `ready http://127.0.0.1:PORT/v1` and serves until it is ended. In a test:

    async with StubEndpoint(faults="500@try1") as stub:
        ...  # stub.url, stub.ledger

Replies depend on the request alone (`stub_replies`). A fault is `NAME` or `NAME@WHEN`; several stand with commas, and
the first that is due counts. They are given to the server, after `~` in the name of a model (`any~half@try1`), or in
the last message as `<<fault NAME@WHEN>>`.

NAME: a status from 400 to 599, with the seconds of `Retry-After` after a colon (`429:2`); `hang` never answers; `drop`
closes the connection; `half` sends half a body; `garbage` is no JSON; `prose` no JSON in the message; `wrong-ids`,
`fewer` change the verdicts; `refusal`; `reasoning` thinks aloud first; `two` answers twice; `truncated` stops at
`length`, `cut` stops without saying so; `other-model` answers as another model; `no-usage` tells no tokens.
WHEN: `3-5` or `3`, requests by their number among those that this list was asked about; `/4`, every fourth; `try2`,
the first two tries of the same request; `30%`, that share of tries, by their hash. Without it: always.
"""

import argparse
import asyncio
import contextlib
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from stub_replies import Reply, embedding, reply_to

Count = Callable[[str], int]
_MARK = re.compile(r"\[(/?)[0-9a-f]{12,} (\w+)\]")
_IN_TEXT = re.compile(r"<<fault ([^>\s]+)>>")
_PER_MESSAGE, _PER_REQUEST = 3, 3
"""Tokens of the chat format itself, as OpenAI's cookbook counts them."""


def quarter_of_bytes(text: str) -> int:
    """An estimate for any tokenizer: four bytes of UTF-8 a token."""
    return -(-len(text.encode()) // 4)


def o200k_base() -> Count:
    """Exact counts of one public tokenizer, shipped in the package bpe-openai."""
    from bpe_openai import get_encoding

    encoding = get_encoding("o200k_base")
    return lambda text: len(encoding.encode_ordinary(text))


@dataclass(kw_only=True)
class Entry:
    """One request. `sha256` is the request without its random marks, `about` the text whose claims were asked for;
    times are in seconds since the server began, `prompt_tokens` without those of the reply's schema."""

    number: int
    path: str
    model: str
    kind: str = ""
    about: str = ""
    sha256: str = ""
    tried: int = 1
    language: str = ""
    bytes: int = 0
    prompt_tokens: int = 0
    schema_tokens: int = 0
    completion_tokens: int = 0
    fault: str | None = None
    status: int | None = None
    in_flight: int = 0
    started: float = 0.0
    ended: float | None = None


@dataclass
class Answer:
    """What goes over the wire. `status` None: nothing ever; 0: the connection is closed."""

    status: int | None
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    sent: float = 1.0


def normalised(body: dict[str, Any]) -> str:
    """The hash of a request whatever random marks stand around its data."""
    return sha256(_MARK.sub(r"[\1CODE \2]", json.dumps(body, ensure_ascii=False, sort_keys=True)).encode()).hexdigest()


class Faults:
    """A list of faults in writing, and how often it was asked."""

    def __init__(self, written: str):
        self.asked = 0
        self.each = [part.partition("@")[::2] for part in written.split(",") if part]
        for name, when in self.each:
            if _named(name) is None or not re.fullmatch(r"|\d+(-\d+)?|/[1-9]\d*|try\d+|\d+%", when):
                raise ValueError(f"no such fault: {name}@{when}")

    def due(self, digest: str, tried: int) -> str | None:
        self.asked += 1
        return next((name for name, when in self.each if self._is_due(when, digest, tried)), None)

    def _is_due(self, when: str, digest: str, tried: int) -> bool:
        if when.startswith("/"):
            return self.asked % int(when[1:]) == 0
        if when.startswith("try"):
            return tried <= int(when[3:])
        if when.endswith("%"):
            return sha256(f"{digest} {tried}".encode()).digest()[0] * 100 < int(when[:-1]) * 256
        first, _, last = when.partition("-")
        return not when or int(first) <= self.asked <= int(last or first)


class StubEndpoint:
    """The server. `ledger` has an entry for every request, in the order in which they came."""

    def __init__(
        self,
        *,
        latency: float = 0.0,
        faults: str = "",
        ledger: Path | None = None,
        count: Count = quarter_of_bytes,
        port: int = 0,
    ):
        self.ledger: list[Entry] = []
        self._latency, self._count, self._port, self._path = latency, count, port, ledger
        self._faults = {"": Faults(faults)}
        self._tries: Counter[str] = Counter()
        self._counted: dict[str, int] = {}
        self._in_flight, self._begun = 0, time.monotonic()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self):
        self._file = self._path.open("a", encoding="utf-8") if self._path else None
        self._open: set[asyncio.Task] = set()
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self._port, limit=1 << 20)
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        if self._file:
            self._file.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        task = asyncio.current_task()
        self._open.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._exchange(reader, writer):
                    pass
        finally:
            self._open.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; False ends the connection."""
        request, headers = _head(await reader.readuntil(b"\r\n\r\n"))
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        entry = Entry(number=len(self.ledger), path=request[1], model="", bytes=len(body), started=self._now())
        self.ledger.append(entry)
        self._in_flight += 1
        entry.in_flight = self._in_flight
        try:
            answer = self._answer(entry, body)
            await asyncio.sleep(self._latency - (self._now() - entry.started))
            if answer.status is None:
                await reader.read(1)
            entry.status = answer.status
            if answer.status:
                writer.write(_sent(answer))
                await writer.drain()
        finally:
            self._in_flight -= 1
            entry.ended = self._now()
            self._written(entry)
        return bool(answer.status) and answer.sent == 1.0 and headers.get("connection", "").lower() != "close"

    def _now(self) -> float:
        return time.monotonic() - self._begun

    def _written(self, entry: Entry):
        if self._file:
            self._file.write(json.dumps(asdict(entry)) + "\n")
            self._file.flush()

    def _answer(self, entry: Entry, body: bytes) -> Answer:
        kind = {"/v1/chat/completions": self._chat, "/v1/embeddings": self._embeddings}.get(entry.path)
        if kind is None:
            return _json(404, _error(f"no such path: {entry.path}"))
        try:
            asked = json.loads(body)
            entry.model = asked["model"].partition("~")[0]
            entry.sha256 = normalised(asked)
            self._tries[entry.sha256] += 1
            entry.tried = self._tries[entry.sha256]
            return kind(entry, asked)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            return _json(400, _error(f"not understood: {error!r}"))

    def _chat(self, entry: Entry, asked: dict[str, Any]) -> Answer:
        messages = [text_of(message) for message in asked["messages"]]
        shape = asked.get("response_format", {}).get("json_schema") or asked.get("tools")
        entry.language = "ru" if len(re.findall("[а-яё]", messages[-1])) > len(messages[-1]) / 4 else "en"
        entry.prompt_tokens = sum(map(self._tokens, messages)) + _PER_MESSAGE * len(messages) + _PER_REQUEST
        entry.schema_tokens = self._tokens(json.dumps(shape, ensure_ascii=False)) if shape else 0
        reply = reply_to(messages, shape)
        entry.kind, entry.about = reply.kind, reply.about
        entry.fault = self._due(entry, asked["model"], messages[-1])
        return self._faulty(entry, asked, reply)

    def _tokens(self, text: str) -> int:
        """Counted once: most of what a judge sends is the same every time."""
        if text not in self._counted:
            self._counted[text] = self._count(text)
        return self._counted[text]

    def _due(self, entry: Entry, model: str, last: str) -> str | None:
        lists = [*_IN_TEXT.findall(last), model.partition("~")[2], ""]
        for written in dict.fromkeys(lists):
            faults = self._faults.setdefault(written, Faults(written))
            if found := faults.due(entry.sha256, entry.tried):
                return found
        return None

    def _faulty(self, entry: Entry, asked: dict[str, Any], reply: Reply) -> Answer:
        name = entry.fault or ""
        if name in ("hang", "drop", "garbage"):
            return {"hang": Answer(None), "drop": Answer(0), "garbage": Answer(200, b"<html>Bad gateway</html>")}[name]
        if name[:1].isdigit():
            status, _, after = name.partition(":")
            return _json(int(status), _error(f"fault {status}"), {"Retry-After": after} if after else {})
        content = _CONTENTS.get(name, lambda reply: reply.text())(reply)
        entry.completion_tokens = self._count(content)
        answer = _json(200, _completion(entry, asked, content))
        answer.sent = 0.5 if name == "half" else 1.0
        return answer

    def _embeddings(self, entry: Entry, asked: dict[str, Any]) -> Answer:
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        entry.kind, entry.prompt_tokens = "embedding", sum(map(self._count, map(str, texts)))
        is_packed = asked.get("encoding_format") == "base64"
        rows = [
            {"object": "embedding", "index": number, "embedding": embedding(str(text), is_packed=is_packed)}
            for number, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": entry.prompt_tokens, "total_tokens": entry.prompt_tokens}
        return _json(200, {"object": "list", "model": entry.model, "data": rows, "usage": usage})


_CONTENTS: dict[str, Callable[[Reply], str]] = {
    "prose": lambda reply: "I looked at everything, and most of it seems to hold.",
    "wrong-ids": lambda reply: reply.text(with_ids="c99"),
    "fewer": lambda reply: reply.text(left_out=1),
    "refusal": lambda reply: "",
    "reasoning": lambda reply: f'<think>\nFirst thought: {{"verdicts": []}} or not?\n</think>\n\n{reply.text()}',
    "two": lambda reply: f"Draft:\n{reply.text()}\nOn reflection:\n{reply.text(left_out=1)}",
    "truncated": lambda reply: reply.text()[: len(reply.text()) * 2 // 3],
    "cut": lambda reply: reply.text()[: len(reply.text()) * 2 // 3],
}
_OTHERS = ("hang", "drop", "garbage", "half", "other-model", "no-usage")


def _named(fault: str) -> str | None:
    """The fault, where it is one."""
    return fault if fault in _CONTENTS or fault in _OTHERS or re.fullmatch(r"[45]\d\d(:\d+(\.\d+)?)?", fault) else None


def text_of(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def _completion(entry: Entry, asked: dict[str, Any], content: str) -> dict[str, Any]:
    prompt, said = entry.prompt_tokens + entry.schema_tokens, entry.completion_tokens
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
    if entry.fault == "refusal":
        message |= {"content": None, "refusal": "I cannot help with that."}
    elif asked.get("tools"):
        called = {"name": asked["tools"][0]["function"]["name"], "arguments": content}
        message |= {"content": None, "tool_calls": [{"id": "call_0", "type": "function", "function": called}]}
    finished = "length" if entry.fault == "truncated" else "stop"
    usage = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
    return {
        "id": f"chatcmpl-{entry.sha256[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": "another-model" if entry.fault == "other-model" else entry.model,
        "choices": [
            {"index": index, "message": message, "finish_reason": finished} for index in range(asked.get("n") or 1)
        ],
        **({} if entry.fault == "no-usage" else {"usage": usage}),
    }


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "stub", "code": None}}


def _json(status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> Answer:
    said = {"Content-Type": "application/json", **(headers or {})}
    return Answer(status, json.dumps(body, ensure_ascii=False).encode(), said)


def _head(raw: bytes) -> tuple[list[str], dict[str, str]]:
    first, *rest = raw.decode("latin-1").strip().split("\r\n")
    return first.split(" "), {
        name.strip().lower(): value.strip() for name, _, value in (r.partition(":") for r in rest)
    }


def _sent(answer: Answer) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} -", f"Content-Length: {len(answer.body)}"]
    lines += [f"{name}: {value}" for name, value in answer.headers.items()]
    return "\r\n".join((*lines, "", "")).encode() + answer.body[: int(len(answer.body) * answer.sent)]


async def _serve(options: argparse.Namespace):
    count = o200k_base() if options.tokens == "o200k_base" else quarter_of_bytes
    stub = StubEndpoint(
        latency=options.latency, faults=options.faults, ledger=options.ledger, count=count, port=options.port
    )
    async with stub:
        sys.stdout.write(f"ready {stub.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds before each answer")
    parser.add_argument("--ledger", type=Path, help="a file that gets one line of JSON for each request")
    parser.add_argument("--faults", default="")
    parser.add_argument("--tokens", choices=("bytes", "o200k_base"), default="bytes", help="how tokens are counted")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(parser.parse_args()))
    sys.exit(0)


if __name__ == "__main__":
    main()
