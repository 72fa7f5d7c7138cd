"""`dataset.lock`: content hashes of the files of a dataset folder."""

import hashlib
import json
import tomllib
from pathlib import Path
from typing import cast

from ragassay.formats.atomic import replace_file
from ragassay.formats.folder import data_files, is_file
from ragassay.formats.reading import Reading, shown
from ragassay.records import Notice

LOCK_NAME = "dataset.lock"


def write_lock(folder: Path) -> Path:
    """Pin the files of a dataset folder as they are now; returns the path of the lock."""
    lines = [
        f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(digest)}" for name, digest in _hashes(folder).items()
    ]
    path = folder / LOCK_NAME
    replace_file(path, "\n".join(["[files]", *lines, ""]).encode())
    return path


def check_lock(folder: Path) -> Notice | None:
    """Notice `lock_mismatch` that names every file changed, added or missing since it was locked; None where all agree.

    A folder without a lock has nothing to disagree with. Raises `FaultyInput` where the lock cannot be read.
    """
    path = folder / LOCK_NAME
    if not is_file(path):
        return None
    locked, present = _locked(path), _hashes(folder)
    differing = sorted(name for name in locked.keys() | present.keys() if locked.get(name) != present.get(name))
    if not differing:
        return None
    return Notice(
        code="lock_mismatch",
        count=len(differing),
        message=f"{LOCK_NAME}: files differ from what was locked; this is another dataset",
        samples=tuple(differing),
    )


def _locked(path: Path) -> dict[str, object]:
    reading = Reading(path.name)
    try:
        files = tomllib.loads(path.read_text(encoding="utf-8")).get("files")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise reading.stop("broken_lock", f"cannot be read: {error}", remedy="lock the dataset again") from None
    if not isinstance(files, dict):
        raise reading.stop(
            "broken_lock", "no table of files", value=shown(files), expected="[files]", remedy="lock the dataset again"
        )
    return cast("dict[str, object]", files)


def _hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        for path in data_files(folder)
    }
