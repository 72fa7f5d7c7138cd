"""Files to read, and a short way to the faults of reading them."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ragassay.records import Fault, FaultyInput

Save = Callable[..., Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Write text, bytes or rows (as JSON Lines) to a file in a folder of the test's own."""

    def save_file(name: str, content: str | bytes | list[object], *, packed: bool = False) -> Path:
        if isinstance(content, list):
            content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data) if packed else data)
        return path

    return save_file


@pytest.fixture
def faults_of() -> Callable[[Callable[[], object]], tuple[Fault, ...]]:
    """The faults that a call raises; it fails the test if there are none."""

    def call(read: Callable[[], object]) -> tuple[Fault, ...]:
        with pytest.raises(FaultyInput) as raised:
            read()
        assert raised.value.faults
        return raised.value.faults

    return call
