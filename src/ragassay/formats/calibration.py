"""A judge's calibration as a small TOML file that people can read and keep under version control."""

import math
import tomllib
from pathlib import Path

import msgspec

from ragassay.formats.atomic import replace_file
from ragassay.formats.encoding import decode, read_bytes
from ragassay.formats.reading import Reading
from ragassay.statistics.calibration import Calibration

LIMIT = 1 << 20


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Write it so that `read_calibration` gives back the same numbers to the last digit."""
    values = msgspec.structs.asdict(calibration)
    lines = [f"{name} = {msgspec.json.encode(value).decode()}" for name, value in values.items()]
    head = (
        "# Fitted by `ragassay judge calibrate`. A claim is supported where its mapped probability reaches threshold,"
    )
    replace_file(path, "\n".join([head, "# and people decide from low up to high.", *lines, ""]).encode())


def read_calibration(path: Path) -> Calibration:
    """Read a calibration. Raises `FaultyInput` where it is no TOML or a value is missing or out of range."""
    reading = Reading(path.name)
    text, _ = decode(read_bytes(path, reading, LIMIT), reading)
    try:
        found = msgspec.convert(tomllib.loads(text), Calibration)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise reading.stop("bad_calibration", str(error), remedy="run `ragassay judge calibrate` again") from None
    numbers = (found.slope, found.intercept, found.threshold, found.low, found.high)
    ordered = 0 <= found.low <= found.threshold <= found.high <= math.nextafter(1, 2)
    if not (all(map(math.isfinite, numbers)) and ordered and found.slope > 0):
        raise reading.stop(
            "bad_calibration",
            "the numbers of this calibration contradict each other",
            expected="a slope above 0, and 0 <= low <= threshold <= high <= 1",
            remedy="run `ragassay judge calibrate` again",
        )
    return found
