"""One reply as it arrives, so that a broken one is kept as far as it came."""

from collections.abc import Callable
from typing import Any, cast

from ragassay.formats.system import HttpDescription
from ragassay.systems.places import decoded, found, row_of
from ragassay.systems.streams import JsonLines, Parts, ServerSent, Whole

_CUT = ("length", "max_tokens", "content_filter")
"""How servers say that the answer was cut off."""


class Heard:
    """What came of the reply in the try that runs, and when. Times are in milliseconds since the try began.

    `has_ended`: nothing more will come. `is_whole`: everything came. `cut` says by what the answer was cut off.
    """

    def __init__(self, description: HttpDescription, clock: Callable[[], float]) -> None:
        self._description = description
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """A new try: what came in the one before is no part of its reply."""
        stream = self._description.stream
        self._parts: Parts = Whole() if stream is None else ServerSent() if stream.form == "sse" else JsonLines()
        self._began = self._clock()
        self._first_ms: float | None = None
        self._last_ms: float | None = None
        self._row: dict[str, Any] = {}
        self._pieces: list[str] = []
        self.has_ended = self.is_whole = False
        self.cut: str | None = None

    @property
    def has_begun(self) -> bool:
        """Whether a reader would have seen something of the answer."""
        return bool(self._pieces)

    def feed(self, chunk: bytes) -> None:
        """The next bytes. Raises ValueError where they are no reply, `ErrorEvent` where the server reports a fault."""
        for data in self._parts.feed(chunk):
            self._take(data)

    def end(self) -> None:
        """The body ended properly. Without a mark of the end that is all there is to know."""
        for data in self._parts.end():
            self._take(data)
        stream = self._description.stream
        self.has_ended = True
        self.is_whole |= stream is None or (stream.end is None and stream.finish is None)

    def row(self) -> dict[str, Any]:
        """The fields of the answer."""
        return self._row | ({"answer": "".join(self._pieces)} if self._pieces else {})

    def measured(self) -> dict[str, Any]:
        """What was measured of it, for what the reply does not say itself."""
        times = {"first_token_ms": self._first_ms, "total_ms": self._last_ms, "complete": self.is_whole}
        return {name: value for name, value in times.items() if value is not None}

    def _take(self, data: bytes) -> None:
        stream, reply = self._description.stream, self._description.reply
        if self.has_ended:
            return
        if stream is not None and stream.end is not None and data.strip() == stream.end.encode():
            self.has_ended = self.is_whole = True
            return
        document = decoded(data)
        self._last_ms = 1_000 * (self._clock() - self._began)
        row = _object(document) if reply is None else row_of(reply, document)
        if stream is not None:
            self._piece(row.pop("answer", None))
            self._finish(None if stream.finish is None else found(document, stream.finish))
        self._row |= row

    def _piece(self, piece: object) -> None:
        if piece is not None and not isinstance(piece, str):
            raise ValueError("a piece of the answer is no text")
        if piece:
            self._first_ms = self._last_ms if self._first_ms is None else self._first_ms
            self._pieces.append(piece)

    def _finish(self, mark: object) -> None:
        """More may follow the mark, such as the usage."""
        if mark not in (None, False, ""):
            self.is_whole = True
            self.cut = str(mark) if mark in _CUT else None


def _object(document: object) -> dict[str, Any]:
    if isinstance(document, dict):
        return cast("dict[str, Any]", document)
    raise ValueError("the reply is no JSON object")
