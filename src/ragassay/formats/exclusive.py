"""One process at a time: a lock on a folder, held by the operating system and gone with the process."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK = ".lock"


@contextmanager
def exclusive(folder: Path) -> Generator[None]:
    """Waits until no other process of this machine holds the folder, then holds it. The folder must be there."""
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
