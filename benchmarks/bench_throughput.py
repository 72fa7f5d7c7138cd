"""20,000 recorded answers through plan, store and metrics, without a model: seconds and memory of the whole command.

Prints what it took beside `ragassay eval` of the same files, which keeps no store. Exits with 1 above the target of 60
seconds or 1 GiB.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUERIES, DOCUMENTS, RESULTS = 20_000, 5_000, 10
MOST_SECONDS, MOST_MIB = 60.0, 1024
TEXT = "The limit of the pump is given in the table below, with its date and its unit. " * 2


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


def timed(folder: Path, *arguments: str) -> tuple[float, float]:
    """Seconds and peak memory in MiB of one command; peaks grow, so the smaller command goes first."""
    began = time.monotonic()
    command = [sys.executable, "-m", "ragassay", *arguments, "--json"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        rows = {
            "eval": timed(folder, "eval", "queries.jsonl", "answers.jsonl"),
            "run": timed(folder, "run", "queries.jsonl", "--system", "answers.jsonl"),
            "run again": timed(folder, "run", "queries.jsonl", "--system", "answers.jsonl"),
        }
    print(f"{QUERIES:,} recorded answers, {RESULTS} passages each")
    for what, (seconds, memory) in rows.items():
        print(f"{what:10} {seconds:7.1f} s {memory:7.0f} MiB at most so far  {seconds / rows['eval'][0]:5.2f} of eval")
    seconds, memory = rows["run"]
    return 0 if seconds <= MOST_SECONDS and memory <= MOST_MIB else 1


if __name__ == "__main__":
    sys.exit(main())
