"""What a contract costs a request: milliseconds per stage, requests a second, and the import.

python benchmarks/bench_contract.py [--requests N]

A request has five passages of 120 words, English and Russian by turns, from XQuAD; the corpus has 1,000
documents. `fresh` passages are new to the judge; `seen` ones came before with other questions, as they do in a corpus
that is searched again and again. Exits with 1 above a target; on a shared machine, run it again when it is quiet.
"""

import argparse
import asyncio
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ragassay.contract import Contract, Request
from ragassay.records import BudgetTerms, Document, ExpandTerms, GradeTerms, Requester, Result, SearchTerms, Terms

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "retrieval"
PASSAGES, WORDS, DOCUMENTS, AT_ONCE = 5, 120, 1_000, 50
STAGES = ("rewrite", "expand", "filter", "search")
MOST_STAGES_P99, MOST_GRADE_P50 = 1.0, 50.0
TERMS = Terms(
    name="bench",
    search=SearchTerms(thresholds={"similarity": 0.1}),
    grade=GradeTerms(context_sufficiency=0.0, context_relevancy=0.0),
    expand=ExpandTerms(synonyms={"war": ("conflict",), "город": ("столица",)}),
    budget=BudgetTerms(grade=60_000, verify=60_000),
)


class Case(NamedTuple):
    """A question with what its search found."""

    question: str
    results: list[Result]


def read(path: Path) -> Iterable[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def cases(number: int) -> list[Case]:
    """No passage occurs twice as long as the texts last: some 50 requests of each language."""
    words = {
        lang: [word for row in read(DATA / f"xquad_{lang}" / "corpus.jsonl.gz") for word in row["text"].split()]
        for lang in ("en", "ru")
    }
    questions = {lang: [row["query"] for row in read(DATA / f"xquad_{lang}" / "qa.jsonl.gz")] for lang in words}
    found: list[Case] = []
    for place in range(number):
        lang = "ru" if place % 2 else "en"
        start = place // 2 * PASSAGES * WORDS % (len(words[lang]) - PASSAGES * WORDS)
        texts = [" ".join(words[lang][start + n * WORDS : start + (n + 1) * WORDS]) for n in range(PASSAGES)]
        results = [
            Result(passage=f"D{n}#{place}", document=f"D{n}", revision="1", score=0.8, text=text)
            for n, text in enumerate(texts)
        ]
        found.append(Case(questions[lang][7 * place % len(questions[lang])], results))
    return found


def opened() -> Contract:
    """With the judges that a contract takes by default, one thread each."""
    documents = [
        Document(document=f"D{n}", revision="1", status="in_force", readers=("*",), title=f"Document {n}")
        for n in range(DOCUMENTS)
    ]
    contract = Contract(TERMS, documents)
    if not contract.warm(120):
        sys.exit("the judges could not be loaded")
    return contract


def request(contract: Contract, question: str) -> Request:
    return contract.request(question, requester=Requester(groups=("all",)), scope={"site": "a"}, as_of=date(2026, 1, 1))


def prepared(contract: Contract, case: Case) -> Request:
    """A request that has gone through every stage without a judge."""
    made = request(contract, case.question)
    made.rewrite(case.question)
    made.expand()
    made.filter()
    made.search(case.results)
    return made


def deterministic(contract: Contract, work: list[Case]) -> dict[str, list[float]]:
    """Milliseconds by stage, of all together, and of all with the making of the request around them."""
    found: dict[str, list[float]] = {name: [] for name in (*STAGES, "all of these")}
    for case in [*work[:20], *work * 10]:
        begun = time.perf_counter()
        made = prepared(contract, case)
        found["all of these"].append((time.perf_counter() - begun) * 1000)
        for decision in made.trail.decisions:
            found[decision.stage].append(decision.ms)
    return {name: values[20:] for name, values in found.items()}


def judged(contract: Contract, work: list[Case]) -> dict[str, list[float]]:
    """Grade twice, the second time with another question, and verify three sentences of which one is no quotation."""
    found: dict[str, list[float]] = {"grade, fresh": [], "grade, seen": [], "verify": []}
    for case in work:
        found["grade, fresh"].append(prepared(contract, case).grade().ms)
    for place, case in enumerate(work):
        other = case._replace(question=work[place - 2].question)
        made = prepared(contract, other)
        found["grade, seen"].append(made.grade().ms)
        found["verify"].append(made.verify(answer_of(case)).ms)
    return found


def answer_of(case: Case) -> str:
    words = [(each.text or "").split() for each in case.results]
    return " ".join(f"{' '.join(part[30:48]).strip('.,;:')} [{n}]." for n, part in enumerate(words[:3], start=1))


async def throughput(contract: Contract, work: list[Case]) -> float:
    """Requests a second to the end of grade, fifty at once."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(case: Case) -> None:
        async with gate:
            decision = await prepared(contract, case).agrade()
            assert decision.failed is None, decision.error

    many = work * 4
    begun = time.perf_counter()
    await asyncio.gather(*map(one, many))
    return len(many) / (time.perf_counter() - begun)


def imported() -> tuple[float, int]:
    """Milliseconds beyond an empty interpreter, the least of five, and modules loaded."""
    code = "import sys, time; b = time.perf_counter(); n = len(sys.modules); import ragassay.contract; "
    code += "print((time.perf_counter() - b) * 1000, len(sys.modules) - n)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(5)
    ]
    return min(float(ms) for ms, _ in runs), int(runs[0][1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100)
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; the machine may be shared")
    ms, modules = imported()
    print(f"import ragassay.contract: {ms:.0f} ms, {modules} modules")
    contract, work = opened(), cases(options.requests)
    found = deterministic(contract, work) | judged(contract, work)
    print(f"\n{'added milliseconds':24}{'n':>6}{'p50':>9}{'p99':>9}")
    for name, values in found.items():
        print(f"{name:24}{len(values):6}{np.percentile(values, 50):9.3f}{np.percentile(values, 99):9.3f}")
    rate = asyncio.run(throughput(contract, work))
    print(f"\n{rate:.0f} requests a second to the end of grade, {AT_ONCE} at once, passages seen before")
    contract.close()
    targets = {
        f"deterministic stages p99 < {MOST_STAGES_P99} ms": np.percentile(found["all of these"], 99) < MOST_STAGES_P99,
        f"grade p50 < {MOST_GRADE_P50} ms on fresh passages": np.percentile(found["grade, fresh"], 50) < MOST_GRADE_P50,
    }
    for name, is_met in targets.items():
        print(f"{name}: {'met' if is_met else 'MISSED'}")
    return 0 if all(targets.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
