"""Files into bytes, bytes into text: size limits, compression, byte order marks, encodings."""

import gzip
import io
import zlib
from pathlib import Path

from charset_normalizer import from_bytes

from ragassay.formats.reading import Reading, shown

UNPACKED_LIMIT = 1 << 30
GZIP_MAGIC = b"\x1f\x8b"
MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig", "UTF-8 with a byte order mark"),
    (b"\xff\xfe", "utf-16", "UTF-16 LE"),
    (b"\xfe\xff", "utf-16", "UTF-16 BE"),
)
LEGACY = ["cp1251", "koi8_r", "cp866", "cp1252"]
SAMPLE = 1 << 16


def read_bytes(path: Path, reading: Reading, limit: int = UNPACKED_LIMIT) -> bytes:
    """The content of a file, unpacked if it is gzip. Raises `FaultyInput` where it cannot be had or is empty."""
    try:
        if path.is_dir():
            raise reading.stop("not_a_file", "a folder stands where a file is expected", remedy="name the file itself")
        if path.exists() and not path.is_file():
            raise reading.stop("not_a_file", "not a regular file", remedy="save the data to a file first")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise reading.stop(
            "unreadable_file", f"cannot be read: {reason}", remedy="check the path and its rights"
        ) from None
    if data.startswith(GZIP_MAGIC):
        data = _unpacked(data, reading, limit)
    if not data:
        raise reading.stop("empty_file", "the file is empty", expected="at least one record")
    return data


def _unpacked(data: bytes, reading: Reading, limit: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            unpacked = stream.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise reading.stop(
            "broken_file", f"the gzip data are broken: {error}", remedy="compress the file again"
        ) from None
    if len(unpacked) > limit:
        raise reading.stop(
            "too_large", f"unpacks to more than {limit >> 20} MiB", remedy="split the file, or unpack it and check it"
        )
    return unpacked


def decode(data: bytes, reading: Reading) -> tuple[str, str]:
    """Text and the name of its encoding. Everything but plain UTF-8 is noted; undecodable bytes raise `FaultyInput`."""
    for mark, codec, name in MARKS:
        if data.startswith(mark):
            reading.note("encoding", f"read as {name}")
            return _strictly(data, codec, reading), codec.removesuffix("-sig")
    if b"\x00" in data[:4]:
        raise reading.stop(
            "encoding",
            "NUL bytes at the start",
            expected="UTF-8, or UTF-16 with a byte order mark",
            remedy="save as UTF-8",
        )
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        return _legacy(data, error, reading), "cp1251"


def _strictly(data: bytes, codec: str, reading: Reading) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise _undecodable(data, error, reading) from None


def _legacy(data: bytes, error: UnicodeDecodeError, reading: Reading) -> str:
    """cp1251, if the file is no damaged UTF-8 and reads as cp1251; a wrong guess would corrupt text silently."""
    sample = data[max(0, error.start - SAMPLE) : error.start + SAMPLE]
    lenient = sample.decode("utf-8", errors="replace")
    broken = lenient.count("\ufffd")
    valid = sum(1 for character in lenient if character > "\x7f") - broken
    if valid > broken:
        raise _undecodable(data, error, reading)
    best = from_bytes(sample, cp_isolation=LEGACY).best()
    if best is None or best.encoding != "cp1251":
        raise _undecodable(data, error, reading)
    text = _strictly(data, "cp1251", reading)
    reading.note("encoding", "read as Windows-1251; save it as UTF-8 to be sure")
    return text


def _undecodable(data: bytes, error: UnicodeDecodeError, reading: Reading) -> Exception:
    reading.line = data.count(b"\n", 0, error.start) + 1
    return reading.stop(
        "encoding",
        f"byte {error.start + 1} cannot be decoded",
        value=shown(data[error.start : error.start + 4]),
        expected="UTF-8, UTF-16 with a byte order mark, or Windows-1251",
        remedy="save the file as UTF-8",
    )
