"""The body of a reply into documents, as it arrives and within bounds."""

from typing import Protocol

LIMIT = 16 << 20


class TooLarge(Exception):
    """A reply went beyond the bound."""


class ErrorEvent(Exception):
    """The server says in the midst of a reply that it failed."""


class Parts(Protocol):
    """Takes chunks and gives the documents that are complete; `end` gives what the last of them left."""

    def feed(self, chunk: bytes) -> list[bytes]: ...
    def end(self) -> list[bytes]: ...


class Whole:
    """A body that is one document."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        self._chunks.append(chunk)
        return []

    def end(self) -> list[bytes]:
        return [b"".join(self._chunks)]


class Lines:
    """Lines without their ends. Only a line feed ends one: text may hold every other kind of line separator."""

    def __init__(self) -> None:
        self._pending: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        first, *others = chunk.split(b"\n")
        self._pending.append(first)
        if not others:
            return []
        ended = [b"".join(self._pending), *others[:-1]]
        self._pending = [others[-1]]
        return [line.removesuffix(b"\r") for line in ended]

    def end(self) -> list[bytes]:
        rest = b"".join(self._pending).removesuffix(b"\r")
        return [rest] if rest else []


class JsonLines(Lines):
    """Every line that is not blank."""

    def feed(self, chunk: bytes) -> list[bytes]:
        return [line for line in super().feed(chunk) if line.strip()]


class ServerSent:
    """The data of server-sent events (HTML standard, section 9.2). Raises `ErrorEvent` with the data of an `error`."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._name = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        return [data for line in self._lines.feed(chunk) if (data := self._line(line)) is not None]

    def end(self) -> list[bytes]:
        """An event that the last blank line is missing from; where it broke off, its data tell."""
        rest = [*self._lines.end(), b""]
        return [data for line in rest if (data := self._line(line)) is not None]

    def _line(self, line: bytes) -> bytes | None:
        """The data of the event that this line ends."""
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data.append(value.removeprefix(b" "))
        elif field == b"event":
            self._name = value.strip()
        if line:
            return None
        name, data, self._name, self._data = self._name, self._data, b"", []
        joined = b"\n".join(data)
        if name == b"error":
            raise ErrorEvent(joined.decode("utf-8", "replace"))
        return joined if data else None
