"""Finished requests as observations: one line of JSON each, written in the background, never at the request's cost."""

import atexit
import os
import sys
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from ragassay.records import Answer

if sys.platform != "win32":
    import fcntl

_MOST_BYTES = 64 << 20
_LONGEST_LINE = 8 << 20
_AT_EXIT = 1.0
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)


class Recorded(NamedTuple):
    """Lines of this process: written whole, dropped because there was no room, failed because they could not be
    encoded or written."""

    written: int
    dropped: int
    failed: int


class Recorder:
    """Appends observations to a JSON Lines file that `ragassay eval` reads.

    A line is written whole or not at all, also where processes share the file. At most `capacity` lines (and 64 MiB)
    wait; what has no room is dropped and counted. The file holds what users asked and were told: it is created for its
    owner alone.
    """

    def __init__(self, path: str | Path, capacity: int = 1000) -> None:
        self._path = Path(path)
        self._capacity = capacity
        self._desks: dict[int, _Desk] = {}

    def record(self, answer: Answer) -> None:
        """Takes the observation for writing. Never raises, never waits."""
        self._desk().take(answer)

    def flush(self, timeout: float = 1.0) -> bool:
        """Whether everything taken was dealt with before the timeout, in seconds."""
        return self._desk().flush(timeout)

    def close(self, timeout: float = 1.0) -> None:
        """Flushes, and ends the writer of this process. A record that comes later starts another one."""
        self._desk().close(timeout)

    @property
    def counts(self) -> Recorded:
        return self._desk().counts()

    def _desk(self) -> "_Desk":
        pid = os.getpid()
        return self._desks.get(pid) or self._desks.setdefault(pid, _Desk(self._path, self._capacity))


class _Desk:
    """The lines of one process, and the thread that writes them. What a parent had waiting the parent writes."""

    def __init__(self, path: Path, capacity: int) -> None:
        self._path = path
        self._capacity = capacity
        self._lines: deque[bytes] = deque()
        self._size = 0
        self._is_writing = self._is_closing = False
        self._written = self._dropped = self._failed = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def take(self, answer: Answer) -> None:
        try:
            line = msgspec.json.encode(answer) + b"\n"
        # A value that is no JSON is the application's; it costs the line, not the request.
        except Exception:
            line = None
        with self._changed:
            if line is None:
                self._failed += 1
            elif not self._has_room(len(line)) or not self._is_started():
                self._dropped += 1
            else:
                self._lines.append(line)
                self._size += len(line)
                self._changed.notify_all()

    def flush(self, timeout: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._lines and not self._is_writing, timeout)

    def close(self, timeout: float = _AT_EXIT) -> None:
        self.flush(timeout)
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        atexit.unregister(self.close)

    def counts(self) -> Recorded:
        with self._changed:
            return Recorded(self._written, self._dropped, self._failed)

    def _has_room(self, size: int) -> bool:
        return size <= _LONGEST_LINE and len(self._lines) < self._capacity and self._size + size <= _MOST_BYTES

    def _is_started(self) -> bool:
        if self._thread is not None and self._thread.is_alive() and not self._is_closing:
            return True
        thread = threading.Thread(target=self._write_all, name="ragassay-recorder", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            return False
        self._is_closing = False
        self._thread = thread
        atexit.register(self.close)
        return True

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._lines or self._is_closing)
                if not self._lines:
                    return
                lines = list(self._lines)
                self._lines.clear()
                self._is_writing = True
            written = _append(self._path, lines)
            with self._changed:
                self._size -= sum(map(len, lines))
                self._written += written
                self._failed += len(lines) - written
                self._is_writing = False
                self._changed.notify_all()


def _append(path: Path, lines: list[bytes]) -> int:
    """How many lines are in the file. It is opened anew each time: a log may have been rotated meanwhile."""
    written = 0
    with suppress(OSError):
        descriptor = os.open(path, _FLAGS, 0o600)
        try:
            if sys.platform != "win32":
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            for line in lines:
                written += _write(descriptor, line)
        finally:
            os.close(descriptor)
    return written


def _write(descriptor: int, line: bytes) -> bool:
    """Whether the line was written whole; a part of it is taken back, so that the file stays readable."""
    start = os.fstat(descriptor).st_size
    done = 0
    try:
        while done < len(line):
            done += os.write(descriptor, line[done:])
    except OSError:
        if done:
            os.ftruncate(descriptor, start)
        return False
    return True
