"""A scripted HTTP server on the loopback: real sockets, replies and faults as told, everything asked kept."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit


class Asked(NamedTuple):
    """One request as it came."""

    method: str
    path: str
    parameters: list[tuple[str, str]]
    headers: dict[str, str]
    body: object


def reply(body, status=200, **headers):
    """A whole reply; `body` is bytes, text, or a value for JSON. `Retry_After` becomes a header."""
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()

    def serve(handler):
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return serve


def half(body):
    """A reply that ends before the length it promised."""

    def serve(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(2 * len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        handler.close_connection = True

    return serve


def hang(*chunks):
    """The chunks of a reply, then nothing for as long as the test runs."""

    def serve(handler):
        if chunks:
            _stream(handler, chunks)
        handler.server.stopping.wait(30)
        handler.close_connection = True

    return serve


def pieces(*chunks, broken=False, pause=0.0):
    """A reply in chunks; `broken` cuts the line instead of ending the reply properly."""

    def serve(handler):
        _stream(handler, chunks, pause)
        if broken:
            handler.close_connection = True
        else:
            handler.wfile.write(b"0\r\n\r\n")

    return serve


def event(value, name=None):
    """One server-sent event."""
    data = value if isinstance(value, str) else json.dumps(value)
    return (f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode()


def huge(size):
    """A reply without end, up to `size` bytes."""

    def serve(handler):
        chunk = b"x" * 65_536
        _stream(handler, (chunk for _ in range(size // len(chunk))))
        handler.close_connection = True

    return serve


def _stream(handler, chunks, pause=0.0):
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for chunk in chunks:
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        handler.wfile.flush()
        time.sleep(pause)


class Stub:
    """`script` answers request after request, its last entry for ever. `connections` counts the lines opened."""

    def __init__(self, script):
        self.url = ""
        self.asked = []
        self.connections = 0
        self._script = list(script)
        self._lock = threading.Lock()

    def next(self, asked):
        with self._lock:
            self.asked.append(asked)
            return self._script[min(len(self.asked), len(self._script)) - 1]


@contextmanager
def serving(*script):
    """A running stub."""
    stub = Stub(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self):
            super().setup()
            stub.connections += 1

        def do_POST(self):
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, parts.path, parse_qsl(parts.query), headers, json.loads(body) if body else None)
            try:
                stub.next(asked)(self)
            except OSError:
                self.close_connection = True

        do_GET = do_PUT = do_POST

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.stopping = threading.Event()
    stub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()
