"""A scripted OpenAI-compatible server on the loopback: real HTTP, replies as told, everything asked kept."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Answer(NamedTuple):
    """One HTTP answer: a status, a body (text or a value for JSON), and headers. `drop` closes the line instead."""

    status: int
    body: object
    headers: dict[str, str] = {}
    drop: bool = False


def said(content, finish="stop", usage=(100, 10), refusal=None):
    """A chat completion with this content."""
    message = {"role": "assistant", "content": content}
    if refusal:
        message["refusal"] = refusal
    body = {"id": "x", "object": "chat.completion", "created": 0, "model": "stub-2026-01"}
    body["choices"] = [{"index": 0, "finish_reason": finish, "message": message}]
    if usage:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return Answer(200, body)


def verdicts(*rows):
    """A reply with verdicts: (claim, text, code, quote)."""
    return json.dumps({"verdicts": [dict(zip("ctvq", row, strict=True)) for row in rows]}, ensure_ascii=False)


def rejected(status, message, **more):
    return Answer(status, {"error": {"message": message, **more}})


class Stub:
    """`script` answers request after request, its last entry for ever; an entry may be a function of the request."""

    def __init__(self, url: str, script: list) -> None:
        self.url = url
        self.script = script
        self.requests: list[dict] = []
        self.headers: list[dict] = []

    @property
    def users(self) -> list[str]:
        """The last message of each request: what holds the data."""
        return [request["messages"][-1]["content"] for request in self.requests]

    def next(self, request: dict, headers: dict) -> Answer:
        self.requests.append(request)
        self.headers.append(headers)
        entry = self.script[min(len(self.requests), len(self.script)) - 1]
        entry = entry(request) if isinstance(entry, Callable) else entry
        return said(entry) if isinstance(entry, str) else entry


class Server(ThreadingHTTPServer):
    request_queue_size = 128


@contextmanager
def serving(*script) -> Iterator[Stub]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = stub.next(request, dict(self.headers.items()))
            if answer.drop:
                self.close_connection = True
                return
            body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            self.send_response_only(answer.status)
            for name, value in {"Content-Type": "application/json", "Connection": "close", **answer.headers}.items():
                self.send_header(name, value)
            with suppress(BrokenPipeError, ConnectionResetError):
                self.end_headers()
                self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = Server(("127.0.0.1", 0), Handler)
    stub = Stub(f"http://127.0.0.1:{server.server_port}/v1", list(script))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
