"""Speed and memory of the embedded judge: passages of 120 words, five claims beside five passages a query.

python benchmarks/bench_judge_speed.py [--queries N]

Targets: 100 pairs a second without the cross-encoder, 40 with it, loaded within 2 s, under 600 MB.
"""

import argparse
import asyncio
import gzip
import json
import resource
import time
from collections.abc import Iterator
from pathlib import Path

from ragassay.judges.embedded import EmbeddedJudge

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "data" / "retrieval"
CLAIMS, PASSAGES, WORDS = 5, 5, 120
Work = list[tuple[list[str], list[str]]]


def words_of(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [word for line in lines for word in str(json.loads(line)["text"]).split()]


def queries(number: int) -> Iterator[tuple[list[str], list[str]]]:
    """Claims are sentences of the passages of this query, in English and Russian by turns."""
    texts = {lang: words_of(CORPUS / f"xquad_{lang}" / "corpus.jsonl.gz") for lang in ("en", "ru")}
    for query in range(number):
        words = texts["en" if query % 2 else "ru"]
        start = query * PASSAGES * WORDS % (len(words) - PASSAGES * WORDS)
        passages = [" ".join(words[start + n * WORDS : start + (n + 1) * WORDS]) for n in range(PASSAGES)]
        yield [" ".join(passage.split()[30:48]) for passage in passages[:CLAIMS]], passages


async def judge_all(judge: EmbeddedJudge, work: Work, pairs: list[tuple[int, int]]) -> None:
    for claims, passages in work:
        await judge.verify(claims, passages, pairs)


def measured(judge: EmbeddedJudge, number: int) -> float:
    """Pairs a second, each query's passages being new to the judge."""
    pairs = [(claim, passage) for claim in range(CLAIMS) for passage in range(PASSAGES)]
    work = list(queries(number))
    begun = time.perf_counter()
    asyncio.run(judge_all(judge, work, pairs))
    return number * len(pairs) / (time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=20)
    number = parser.parse_args().queries
    found: dict[str, float] = {}
    for name, with_cross_encoder in (("without", False), ("with", True)):
        begun = time.perf_counter()
        judge = EmbeddedJudge(with_cross_encoder=with_cross_encoder)
        asyncio.run(judge.verify(["a claim"], ["a text"], [(0, 0)]))
        found[f"load_seconds_{name}"] = round(time.perf_counter() - begun, 2)
        found[f"pairs_a_second_{name}"] = round(measured(judge, number), 1)
    found["peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 0)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
