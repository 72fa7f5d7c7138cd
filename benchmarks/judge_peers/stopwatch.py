"""How every tool is timed: alike, in a process of its own."""

import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

from samples import Sample

Scores = dict[str, list[float | None]]
"""One value for each sample and metric; None where the tool gave none."""
Work = Callable[[], Scores]


def timed(prepare: Callable[[list[Sample], str], Work]) -> None:
    """Arguments of the process: a file with the samples, the address of the endpoint. Prints one line of JSON.

    `prepare` imports and builds whatever can be built before the first sample is seen; its time is `load_seconds`.
    `cpu_seconds` is user and system time of all threads of the process during the work.
    """
    held, url = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.argv[2]
    begun = time.perf_counter()
    work = prepare(held, url)
    loaded, cpu = time.perf_counter(), time.process_time()
    scores = work()
    found = {
        "load_seconds": loaded - begun,
        "seconds": time.perf_counter() - loaded,
        "cpu_seconds": time.process_time() - cpu,
        "scored": {metric: sum(_is_number(each) for each in values) for metric, values in scores.items()},
    }
    print(json.dumps(found))


def _is_number(value: float | None) -> bool:
    return value is not None and not math.isnan(value)
