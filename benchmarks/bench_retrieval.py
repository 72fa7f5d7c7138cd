"""CPU time and memory of the retrieval metrics beside other libraries, on one synthetic workload in three formats.

Run by `make bench-retrieval`; `--sizes 1k,10k,100k` sets the numbers of queries, 100 results each. Every measurement
is a process of its own, in interleaved rounds; the least CPU time (user and system, all threads) of its repeats
counts, and the memory is what the process had at most above what it had before the work. All libraries must give the
same six means. Exits with 1 where they do not, or where a ratio is below its target.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

METRICS = ("recall@10", "precision@10", "hit_rate@10", "mrr", "ndcg@10", "map@100")
RESULTS, CORPUS = 100, 100_000
SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000}
OURS = "ragassay"
PEERS = {
    "dict": ("pytrec_eval", "ir_measures", "ranx"),
    "lists": ("toolkit-rag-quality",),
    "trec": ("pytrec_eval", "ir_measures", "ranx"),
    "parquet": ("pytrec_eval", "ir_measures", "ranx"),
    "shuffled": (),
}
SLOW = ("ir_measures", "ranx")
"""Left out at 100k queries, where they need minutes and many GB."""
TARGETS = {
    ("dict", "pytrec_eval"): 3.5,
    ("trec", "pytrec_eval"): 4.0,
    ("parquet", "pytrec_eval"): 5.0,
    ("lists", "toolkit-rag-quality"): 1.0,
    ("dict", "ranx"): 40.0,
    ("trec", "ranx"): 40.0,
    ("parquet", "ranx"): 40.0,
    ("dict", "ir_measures"): 15.0,
    ("trec", "ir_measures"): 15.0,
    ("parquet", "ir_measures"): 15.0,
}
TARGET_SIZE = "10k"
ROUNDS, REPEATS, SLOW_REPEATS = 3, 5, 1
Means = list[float]
Work = Callable[[], Means]


def generate(folder: Path, queries: int) -> None:
    """4.9 relevant and 3 judged-zero ids a query, 60 % of the relevant among the results, all scores different."""
    dice = np.random.Generator(np.random.PCG64(queries))
    corpus = np.array([str(uuid.UUID(bytes=dice.bytes(16))) for _ in range(CORPUS)])
    found: list[np.ndarray] = []
    judged: list[np.ndarray] = []
    grades: list[np.ndarray] = []
    scores: list[np.ndarray] = []
    counts: list[int] = np.maximum(1, dice.poisson(4.9, queries)).tolist()
    for relevant in counts:
        drawn = dice.permutation(np.unique(dice.integers(0, CORPUS, RESULTS + relevant + 20)))
        is_found = dice.random(relevant) < 0.6
        results = np.concatenate([drawn[:relevant][is_found], drawn[relevant + 3 :]])[:RESULTS]
        found.append(dice.permutation(results))
        judged.append(drawn[: relevant + 3])
        grades.append(np.concatenate([dice.integers(1, 4, relevant), np.zeros(3, dtype=np.int64)]))
        scores.append(np.sort(dice.choice(1_000_000, RESULTS, replace=False))[::-1] / 1e4)
    ids = [f"q{number}" for number in range(queries)]
    run = pl.DataFrame(
        {"query_id": np.repeat(ids, RESULTS), "doc_id": corpus[np.concatenate(found)], "score": np.concatenate(scores)}
    )
    gold = pl.DataFrame(
        {"query_id": np.repeat(ids, list(map(len, judged))), "doc_id": corpus[np.concatenate(judged)]}
    ).with_columns(pl.Series("grade", np.concatenate(grades)))
    write(folder, gold, run)


def write(folder: Path, gold: pl.DataFrame, run: pl.DataFrame) -> None:
    gold.write_parquet(folder / "gold.parquet")
    run.write_parquet(folder / "run.parquet", row_group_size=250_000)
    rank = pl.int_range(pl.len()).mod(RESULTS).add(1).alias("rank")
    lines = run.select("query_id", pl.lit("Q0").alias("Q0"), "doc_id", rank, "score", pl.lit("bench").alias("tag"))
    lines.write_csv(folder / "run.trec", separator=" ", include_header=False)
    judged = gold.select("query_id", pl.lit("0").alias("0"), "doc_id", "grade")
    judged.write_csv(folder / "gold.trec", separator=" ", include_header=False)
    by_chance = np.random.Generator(np.random.PCG64(1)).permuted(np.arange(len(run)).reshape(-1, RESULTS), axis=1)
    run[by_chance.ravel()].write_parquet(folder / "shuffled.parquet", row_group_size=250_000)


def by_query(path: Path) -> dict[str, dict[str, Any]]:
    held: dict[str, dict[str, Any]] = {}
    for query, identity, value in pl.read_parquet(path).iter_rows():
        held.setdefault(query, {})[identity] = value
    return held


def data_frame(path: Path, **renamed: str) -> object:
    """What ir_measures and ranx read tables from; columns of Python objects, as both expect."""
    pandas: Any = import_module("pandas")
    frame = pl.read_parquet(path).rename(renamed)
    kinds = {name: object if frame.schema[name] == pl.String else None for name in frame.columns}
    return pandas.DataFrame({name: pandas.Series(frame[name].to_list(), dtype=kind) for name, kind in kinds.items()})


def sources(kind: str, folder: Path) -> Callable[[], tuple[Any, Any]]:
    """How the worker gets gold and run: as files to be read each time, or as mappings made once."""
    if kind in ("dict", "lists"):
        gold, run = by_query(folder / "gold.parquet"), by_query(folder / "run.parquet")
        held = {query: list(ids) for query, ids in run.items()} if kind == "lists" else run
        return lambda: (gold, held)
    suffix = "trec" if kind == "trec" else "parquet"
    name = "shuffled" if kind == "shuffled" else "run"
    return lambda: (folder / f"gold.{suffix}", folder / f"{name}.{suffix}")


def ragassay(kind: str, folder: Path) -> Work:
    measure_retrieval: Any = import_module("ragassay.retrieval").measure_retrieval
    given = sources(kind, folder)

    def work() -> Means:
        measured = measure_retrieval(*given(), METRICS)
        return [measured.mean(metric) or 0.0 for metric in METRICS]

    return work


def pytrec_eval(kind: str, folder: Path) -> Work:
    peer: Any = import_module("pytrec_eval")
    names = ("recall_10", "P_10", "success_10", "recip_rank", "ndcg_cut_10", "map_cut_100")
    asked = {"recall.10", "P.10", "success.10", "recip_rank", "ndcg_cut.10", "map_cut.100"}
    given = sources(kind, folder)

    def work() -> Means:
        gold, run = given()
        if kind == "trec":
            with gold.open() as judged, run.open() as found:
                gold, run = peer.parse_qrel(judged), peer.parse_run(found)
        elif kind == "parquet":
            gold, run = by_query(gold), by_query(run)
        values = peer.RelevanceEvaluator(gold, asked).evaluate(run).values()
        return [sum(query[name] for query in values) / len(values) for name in names]

    return work


def ir_measures(kind: str, folder: Path) -> Work:
    peer: Any = import_module("ir_measures")
    asked: list[Any] = [peer.R @ 10, peer.P @ 10, peer.Success @ 10, peer.RR, peer.nDCG @ 10, peer.AP @ 100]
    given = sources(kind, folder)

    def work() -> Means:
        gold, run = given()
        if kind == "trec":
            gold, run = peer.read_trec_qrels(str(gold)), peer.read_trec_run(str(run))
        elif kind == "parquet":
            gold, run = data_frame(gold, grade="relevance"), data_frame(run)
        means: Any = peer.calc_aggregate(asked, gold, run)
        return [means[measure] for measure in asked]

    return work


def ranx(kind: str, folder: Path) -> Work:
    peer: Any = import_module("ranx")
    names = ["recall@10", "precision@10", "hit_rate@10", "mrr", "ndcg@10", "map@100"]
    given = sources(kind, folder)

    def work() -> Means:
        gold, run = given()
        if kind == "trec":
            judged, found = peer.Qrels.from_file(str(gold), kind="trec"), peer.Run.from_file(str(run), kind="trec")
        elif kind == "parquet":
            columns = {"q_id_col": "query_id", "doc_id_col": "doc_id", "score_col": "score"}
            judged = peer.Qrels.from_df(data_frame(gold, grade="score"), **columns)
            found = peer.Run.from_df(data_frame(run), **columns)
        else:
            judged, found = peer.Qrels(gold), peer.Run(run)
        means: Any = peer.evaluate(judged, found, names)
        return [float(means[name]) for name in names]

    return work


def toolkit_rag_quality(kind: str, folder: Path) -> Work:
    peer: Any = import_module("toolkit_rag_quality.retrieval")
    gold, run = sources(kind, folder)()

    def work() -> Means:
        """It knows one cut-off at a time, so the six means take two calls."""
        ten, all_results = [peer.score_run(qrels=gold, run=run, k=k).summary for k in (10, RESULTS)]
        names = ("recall_at_k", "precision_at_k", "hit_rate_at_k")
        return [*(ten[name] for name in names), all_results["mrr_at_k"], ten["ndcg_at_k"], all_results["map_at_k"]]

    return work


LIBRARIES: dict[str, Callable[[str, Path], Work]] = {
    OURS: ragassay,
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
    "toolkit-rag-quality": toolkit_rag_quality,
}


def peak_mb() -> float:
    status = Path("/proc/self/status")
    if status.exists():  # on Linux ru_maxrss starts at the parent's
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1e3
    # ru_maxrss is in bytes on macOS and in KiB elsewhere.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def worker(library: str, kind: str, folder: Path, repeats: int) -> None:
    work = LIBRARIES[library](kind, folder)
    before = peak_mb()
    seconds: list[float] = []
    means: Means = []
    for _ in range(repeats + 1):  # the first one warms up
        start = time.process_time()
        means = work()
        seconds.append(time.process_time() - start)
    print(json.dumps({"cpu": min(seconds[1:]), "mb": peak_mb() - before, "peak": peak_mb(), "means": means}))


def measure(library: str, kind: str, folder: Path, repeats: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--worker", library, kind, str(folder), str(repeats)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{library} failed on {kind}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(size: str, folder: Path) -> list[str]:
    """Prints the table of one size; the failures."""
    failures: list[str] = []
    print(f"\n{SIZES[size]:,} queries x {RESULTS} results, 6 metrics")
    print(f"{'input':<10}{'library':<22}{'CPU s':>9}{'ratio':>8}{'target':>8}{'extra MB':>10}{'peak MB':>9}")
    reference: Means = []
    for kind, peers in PEERS.items():
        libraries = [OURS, *(peer for peer in peers if size != "100k" or peer not in SLOW)]
        best: dict[str, dict[str, Any]] = {}
        for round_number in range(ROUNDS):
            for library in libraries:
                if round_number and library in SLOW:
                    continue
                found = measure(library, kind, folder, SLOW_REPEATS if library in SLOW else REPEATS)
                if library not in best or found["cpu"] < best[library]["cpu"]:
                    best[library] = found
        reference = reference or best[OURS]["means"]
        for library, found in best.items():
            if not np.allclose(found["means"], reference, rtol=0, atol=1e-9):
                failures.append(f"{size} {kind}: {library} has other means: {found['means']}, not {reference}")
            ratio = found["cpu"] / best[OURS]["cpu"]
            target = TARGETS.get((kind, library)) if size == TARGET_SIZE else None
            if target is not None and ratio < target:
                failures.append(f"{size} {kind}: {ratio:.1f} times as fast as {library}, target {target:g}")
            shown = f"{ratio:8.1f}{target or '-':>8}" if library != OURS else f"{'':>16}"
            print(f"{kind:<10}{library:<22}{found['cpu']:9.4f}{shown}{found['mb']:10.0f}{found['peak']:9.0f}")
    if size == "100k":
        print(f"left out at this size, for time and memory: {', '.join(SLOW)}")
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1k,10k", help="of 1k, 10k, 100k")
    parser.add_argument("--worker", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        library, kind, folder, repeats = given.worker
        worker(library, kind, Path(folder), int(repeats))
        return 0
    failures: list[str] = []
    for size in given.sizes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            generate(Path(folder), SIZES[size])
            failures += compare(size, Path(folder))
    print("\n" + ("\n".join(failures) or "same means everywhere, every target met"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
