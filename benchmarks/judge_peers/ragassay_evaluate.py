"""Ours: recorded answers through the judge behind an endpoint, to the four metrics with their intervals.

A third argument `read` has the references of the data set read before the clock starts, as an earlier version of the
system under test would have had them.
"""

import asyncio
import sys

from samples import Sample
from stopwatch import Scores, Work, timed

from ragassay.formats.bundle import Bundle
from ragassay.judges.embedded import EmbeddedJudge
from ragassay.judges.judging import Bench
from ragassay.judges.llm import Endpoint, LlmJudge
from ragassay.records import Answer, DatasetCard, Query, Result
from ragassay.runner import Settings, evaluate

METRICS = ("grounded_claim_rate", "answer_relevancy(method=questions)", "context_precision@5", "context_recall")


def prepare(held: list[Sample], url: str) -> Work:
    """The embedder of the embedded judge gives the cosines of answer relevancy; loading it is no part of the work."""
    embedder = EmbeddedJudge(with_cross_encoder=False, threads=1)
    asyncio.run(embedder.encode(["Loaded with the first text."]))
    judge = LlmJudge(Endpoint(base_url=url, model="stub"))
    if sys.argv[3:] == ["read"]:
        asyncio.run(_read_references(judge, held))
    bench = Bench(judge, embedder=embedder)
    settings = Settings(metrics=METRICS)
    observed = Bundle(
        queries=tuple(Query(id=each["id"], question=each["question"], reference=each["reference"]) for each in held),
        answers=tuple(_answer(each) for each in held),
        card=DatasetCard(k=(5,)),
    )

    def work() -> Scores:
        table = asyncio.run(evaluate(observed, settings, bench)).fractions
        scores: Scores = {}
        for row in table.iter_rows(named=True):
            is_defined = row["numerator"] is not None
            scores.setdefault(row["metric"], []).append(row["numerator"] / row["denominator"] if is_defined else None)
        return scores

    return work


async def _read_references(judge: LlmJudge, held: list[Sample]) -> None:
    await asyncio.gather(*(judge.read(each["reference"], each["question"]) for each in held))
    await judge.close()


def _answer(sample: Sample) -> Answer:
    results = (Result(passage=f"p{place}", text=text) for place, text in enumerate(sample["contexts"]))
    return Answer(query=sample["id"], answer=sample["answer"], retrieved=tuple(results))


if __name__ == "__main__":
    timed(prepare)
