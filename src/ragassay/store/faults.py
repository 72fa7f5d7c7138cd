"""What the databases say, in words for people. No password, statement or value ever gets into them."""

import shutil
import sqlite3
from pathlib import Path
from typing import Literal

from sqlalchemy.exc import DBAPIError, OperationalError

from ragassay.text.normalise import visible

Trouble = Literal["full", "passing", "other"]

_FULL_CODES = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMOPEN,
}
_PASSING_STATES = ("08", "40001", "40P01", "53300", "55P03", "57P01", "57P02", "57P03")


class StoreFull(OSError):
    """The disk of the store took no more. What was stored is sound, and the same store goes on once space is free."""


class StoreUnavailable(OSError):
    """The store did not answer in time, or its disk failed. What was being written may or may not be stored:
    writing it again is safe.
    """


def trouble(error: DBAPIError | sqlite3.Error) -> Trouble:
    """Whether the disk is full, whether it may pass by itself (contention, a lost connection), or neither."""
    said = driver_error(error)
    code: int = getattr(said, "sqlite_errorcode", 0)
    state: str = getattr(said, "sqlstate", None) or ""
    if code in _FULL_CODES or state == "53100":
        return "full"
    # A server that is not there has no code to give.
    cut = isinstance(error, OperationalError) and not code and not state
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    return "passing" if cut or lost or _busy(said) or state.startswith(_PASSING_STATES) else "other"


def explained(error: DBAPIError | sqlite3.Error, name: str, folder: Path | None) -> OSError:
    """`StoreFull` or `StoreUnavailable` for the store of this name; the folder is where its file lies."""
    kind, said = trouble(error), driver_error(error)
    if kind == "full":
        free = "" if folder is None else f" ({shutil.disk_usage(folder).free // 2**20:,} MiB free)"
        return StoreFull(f"the disk is full or over quota{free}: {name} · what was stored is sound; free space, go on")
    if _busy(said):
        return StoreUnavailable(f"another process keeps the store busy: {name} · nothing was lost; try again")
    return StoreUnavailable(f"the store failed: {name} · {reason(error)} · mend it, then go on")


def reason(error: DBAPIError | sqlite3.Error) -> str:
    """The first line of what the driver said: drivers name hosts, users and files there, and no values."""
    said = driver_error(error)
    return visible(str(said).strip().partition("\n")[0]) or type(said).__name__


def driver_error(error: DBAPIError | sqlite3.Error) -> BaseException:
    return (error.orig or error) if isinstance(error, DBAPIError) else error


def _busy(said: BaseException) -> bool:
    return getattr(said, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
