"""20,000 recorded answers through plan, store and metrics, without a model: seconds and memory of the whole command.

Prints what it took beside `ragassay eval` of the same files, which keeps no store, and the share of each stage. Exits
with 1 where a command is above the target of 60 seconds or 1 GB.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

QUERIES, DOCUMENTS, RESULTS = 20_000, 5_000, 10
MOST_SECONDS, MOST_MB = 60.0, 1000
TEXT = "The limit of the pump is given in the table below, with its date and its unit. " * 2
STAGES = {
    "load_to_ask": "read the dataset",
    "system_named": "read the answers",
    "plan_for": "plan",
    "ask": "ask and keep",
    "_measured": "measure",
    "record": "write the run",
}
"""Function in `ragassay.cli.run` → what it does."""


def write(folder: Path) -> None:
    chance = random.Random(20_261_130)
    with (folder / "queries.jsonl").open("w") as queries, (folder / "answers.jsonl").open("w") as answers:
        for number in range(QUERIES):
            gold = f"d{chance.randrange(DOCUMENTS)}"
            found = [gold, *(f"d{chance.randrange(DOCUMENTS)}" for _ in range(RESULTS - 1))]
            query = {"id": f"q{number}", "question": f"What is the limit of pump {number}?", "answerable": True}
            relevant = {"relevant": [{"document": gold}], "slices": [f"s{number % 5}"]}
            queries.write(json.dumps(query | relevant) + "\n")
            retrieved = [{"passage": f"{name}#{at}", "document": name, "text": TEXT} for at, name in enumerate(found)]
            said = {"query": f"q{number}", "answer": f"It is {number} bar [1].", "total_ms": 1000 * chance.random()}
            answers.write(json.dumps(said | {"retrieved": retrieved}) + "\n")


def clocked(function: Callable[..., Any], stage: str, seconds: defaultdict[str, float]) -> Callable[..., Any]:
    def work(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  whatever it is given and gives
        began = time.monotonic()
        try:
            return function(*args, **kwargs)
        finally:
            seconds[stage] += time.monotonic() - began

    return work


def worker(report: Path, arguments: list[str]) -> int:
    """One command in this process, with a clock around every stage."""
    began, seconds = time.monotonic(), defaultdict[str, float](float)
    verb, live = import_module("ragassay.cli.run"), import_module("ragassay.live").Live
    asked = live.run

    async def ask(self: Any) -> Any:  # noqa: ANN401  the class is imported late, to be part of what is timed
        start = time.monotonic()
        try:
            return await asked(self)
        finally:
            seconds["ask"] += time.monotonic() - start

    live.run = ask
    for stage in STAGES.keys() - {"ask"}:
        setattr(verb, stage, clocked(getattr(verb, stage), stage, seconds))
    code = import_module("ragassay.cli.main").run([*arguments, "--json"])
    seconds["all"] = time.monotonic() - began
    report.write_text(json.dumps(seconds))
    return code


def timed(folder: Path, *arguments: str) -> tuple[float, float, dict[str, float]]:
    """Seconds and peak MB of one command in a process of its own, and the seconds of its stages."""
    report, began = folder / "stages.json", time.monotonic()
    command = [sys.executable, __file__, str(report), *arguments]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)} failed")
    # ru_maxrss is in bytes on macOS and in KiB elsewhere.
    peak = used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024)
    return time.monotonic() - began, peak, json.loads(report.read_text())


def main() -> int:
    asking = ("run", "queries.jsonl", "--system", "answers.jsonl")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        rows = {
            "eval": timed(folder, "eval", "queries.jsonl", "answers.jsonl"),
            "run": timed(folder, *asking),
            "run again": timed(folder, *asking),
        }
    print(f"{QUERIES:,} recorded answers, {RESULTS} passages each")
    for what, (seconds, memory, _) in rows.items():
        print(f"{what:20} {seconds:6.1f} s {memory:6.0f} MB {seconds / rows['eval'][0]:6.2f} of eval")
    whole, _, stages = rows["run"]
    stages["start and the rest"] = whole - sum(stages[stage] for stage in STAGES)
    for stage, does in {**STAGES, "start and the rest": "start and the rest"}.items():
        print(f"  {does:18} {stages[stage]:6.1f} s {stages[stage] / whole:6.0%}")
    is_met = all(seconds <= MOST_SECONDS and memory <= MOST_MB for seconds, memory, _ in rows.values())
    print(f"target {MOST_SECONDS:g} s and {MOST_MB:,} MB: {'met' if is_met else 'missed'}")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(worker(Path(sys.argv[1]), sys.argv[2:]) if sys.argv[1:] else main())
