"""Calls, tokens and time that four judged metrics cost, here and in other tools, on one workload.

Run by `make bench-judge`: 50 answers with five passages of 120 words, English and Russian, through faithfulness, answer
relevancy, context precision and context recall. Every tool is a process of its own and asks a stub of a model server
(`tests/stub_endpoint.py`) that answers after 200 ms and counts what it was sent, in the tokens of o200k_base with the
schemas of replies. Tools take turns, `--rounds` times; the least time of each counts. A bare client that sends as many
calls as we do, 16 at once, shows what no tool can go below. Imports and the loading of models stand apart. We read the
references once for a data set: the first row is a first run, the second one of any later version of a system.

Exits with 1 where a tool gave fewer than 200 scores, or where we miss a target.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from judge_peers.samples import ANSWERS, Sample, samples

ROOT = Path(__file__).resolve().parent.parent
PEERS, SCRIPTS, STUB = ROOT / "build" / "bench-judge", ROOT / "benchmarks" / "judge_peers", ROOT / "tests"
OURS, LATER, BARE = "ragassay", "ragassay later", "bare client"
TOOLS = {
    OURS: (Path(sys.executable), "ragassay_evaluate.py"),
    LATER: (Path(sys.executable), "ragassay_evaluate.py"),
    "ragas collections": (PEERS / "ragas" / "bin" / "python", "ragas_collections.py"),
    "ragas evaluate": (PEERS / "ragas" / "bin" / "python", "ragas_evaluate.py"),
    "deepeval": (PEERS / "deepeval" / "bin" / "python", "deepeval_evaluate.py"),
}
SCORES = 4 * ANSWERS
SETTINGS = {
    "OPENAI_API_KEY": "none",
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
}
"""Their telemetry would cost them time and send out data."""
CALLS, TOKENS, FASTER, OVER_BARE, CPU = 2.0, 3_000, 4.0, 1.3, 2.0
"""Targets: most calls and prompt tokens for an answer, the reading of references aside; how many times faster than the
fastest other tool, with the references read; in a first run, how many times the bare client's time; most seconds of
CPU."""


class Traffic(NamedTuple):
    """What a tool sent, for one answer: with the reading of references, and without. `tokens` by language."""

    calls: float
    tokens: float
    calls_without: float
    tokens_without: dict[str, float]
    failed: int
    in_flight: int
    size: int


class Taken(NamedTuple):
    """The least of all rounds, in seconds."""

    seconds: float
    cpu: float
    load: float
    scored: int
    traffic: Traffic


@contextmanager
def stub(latency: float, ledger: Path) -> Generator[str]:
    """The address of a stub of its own; the ledger is complete once it has ended."""
    options = ["--latency", str(latency), "--ledger", str(ledger), "--tokens", "o200k_base"]
    command = [PEERS / "stub" / "bin" / "python", STUB / "stub_endpoint.py", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield (server.stdout.readline() if server.stdout else "").split()[1]
        finally:
            server.terminate()


def once(folder: Path, latency: float, tool: str, *more: str) -> Taken:
    """One tool, once."""
    python, script = TOOLS.get(tool, (Path(sys.executable), "bare_client.py"))
    ledger = folder / "ledger.jsonl"
    ledger.unlink(missing_ok=True)
    with stub(latency, ledger) as url:
        done = subprocess.run(
            [python, SCRIPTS / script, folder / "samples.json", url, *more],
            cwd=folder,
            env=os.environ | SETTINGS,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{tool} failed:\n{done.stderr[-2_000:]}")
    found = json.loads(done.stdout.strip().rpartition("\n")[2])
    sent = traffic([json.loads(line) for line in ledger.read_text(encoding="utf-8").splitlines()])
    return Taken(found["seconds"], found["cpu_seconds"], found["load_seconds"], sum(found["scored"].values()), sent)


def traffic(ledger: list[dict[str, Any]]) -> Traffic:
    references = {sha256(sample["reference"].encode()).hexdigest() for sample in samples()}
    chats = [entry for entry in ledger if entry["kind"] != "embedding"]
    others = [entry for entry in chats if entry["about"] not in references]
    tokens: dict[str, float] = {}
    for language in ("en", "ru"):
        answers = sum(sample["language"] == language for sample in samples())
        tokens[language] = sum(_tokens(entry) for entry in others if entry["language"] == language) / answers
    return Traffic(
        calls=len(chats) / ANSWERS,
        tokens=sum(map(_tokens, chats)) / ANSWERS,
        calls_without=len(others) / ANSWERS,
        tokens_without=tokens | {"all": sum(map(_tokens, others)) / ANSWERS},
        failed=sum(entry["status"] != 200 for entry in ledger),
        in_flight=max(entry["in_flight"] for entry in ledger),
        size=round(sum(entry["bytes"] for entry in chats) / len(chats)),
    )


def _tokens(entry: dict[str, Any]) -> int:
    return entry["prompt_tokens"] + entry["schema_tokens"]


def least(rounds: list[Taken]) -> Taken:
    fastest = min(rounds, key=lambda taken: taken.seconds)
    return fastest._replace(
        cpu=min(taken.cpu for taken in rounds),
        load=min(taken.load for taken in rounds),
        scored=min(taken.scored for taken in rounds),
    )


def measured(folder: Path, latency: float, rounds: int) -> dict[str, Taken]:
    """All tools by turns; the bare client makes the calls that we made in the same round."""
    found: dict[str, list[Taken]] = {tool: [] for tool in (*TOOLS, BARE)}
    for _ in range(rounds):
        for tool in TOOLS:
            found[tool].append(once(folder, latency, tool, *(["read"] if tool == LATER else [])))
        sent = found[OURS][-1].traffic
        found[BARE].append(once(folder, latency, BARE, str(round(sent.calls * ANSWERS)), str(sent.size)))
    return {tool: least(taken) for tool, taken in found.items()}


def verdicts(found: dict[str, Taken]) -> list[tuple[bool, str]]:
    """Whether each target is met, in words."""
    ours, sent = found[OURS], found[OURS].traffic
    fastest = min(taken.seconds for tool, taken in found.items() if tool not in (OURS, LATER, BARE))
    first, later, over = fastest / ours.seconds, fastest / found[LATER].seconds, ours.seconds / found[BARE].seconds
    most = max(sent.tokens_without.values())
    lacking = [tool for tool, taken in found.items() if tool != BARE and taken.scored < SCORES]
    return [
        (not lacking, f"{SCORES} scores from every tool, lacking: {', '.join(lacking) or 'none'}"),
        (sent.calls_without <= CALLS, f"{sent.calls_without:.2f} calls an answer, at most {CALLS:g}"),
        (most <= TOKENS, f"{most:,.0f} prompt tokens an answer in the dearer language, at most {TOKENS:,}"),
        (
            later >= FASTER,
            f"{later:.1f} times as fast as the fastest other tool ({first:.1f} in a first run), at least {FASTER:g}",
        ),
        (over <= OVER_BARE, f"{over:.2f} times the time of the bare client, at most {OVER_BARE:g}"),
        (ours.cpu < CPU, f"{ours.cpu:.2f} s of CPU, less than {CPU:g}"),
    ]


def show(found: dict[str, Taken]) -> None:
    heads = {"calls": 7, "tokens": 9, "seconds": 9, "times": 7, "CPU s": 8, "load s": 8, "at once": 9, "failed": 8}
    print(" " * 18 + "".join(f"{head:>{width}}" for head, width in heads.items()))
    for tool, taken in found.items():
        sent, times = taken.traffic, taken.seconds / found[OURS].seconds
        calls, tokens = sent.calls, sent.tokens
        if tool == LATER:
            calls, tokens = sent.calls_without, sent.tokens_without["all"]
        print(
            f"{tool:18}{calls:7.2f}{tokens:9,.0f}{taken.seconds:9.2f}{times:7.1f}"
            f"{taken.cpu:8.2f}{taken.load:8.2f}{sent.in_flight:9}{sent.failed:8}"
        )
    sent = found[OURS].traffic
    by_language = ", ".join(f"{name} {tokens:,.0f}" for name, tokens in sent.tokens_without.items())
    print(f"\n{OURS} without the reading of references, once for a data set:")
    print(f"{sent.calls_without:.2f} calls, {by_language} prompt tokens an answer\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds before each reply of the stub")
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    if busy > 0.5:
        print(f"The machine is busy (load {busy:.1f}): times are upper bounds, and ratios may be off.\n")
    with tempfile.TemporaryDirectory() as name:
        held: list[Sample] = samples()
        (Path(name) / "samples.json").write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")
        found = measured(Path(name), options.latency, options.rounds)
    show(found)
    judged = verdicts(found)
    for is_met, words in judged:
        print(f"{'met' if is_met else 'MISSED':8}{words}")
    raise SystemExit(0 if all(is_met for is_met, _ in judged) else 1)


if __name__ == "__main__":
    main()
