"""ragas through its newer metrics (`ragas.metrics.collections`), every row at once: the fastest way through it."""

import asyncio
from importlib import import_module
from typing import Any

from samples import Sample
from stopwatch import Scores, Work, timed


def prepare(held: list[Sample], url: str) -> Work:
    metrics: Any = import_module("ragas.metrics.collections")
    client: Any = import_module("openai").AsyncOpenAI(base_url=url, api_key="none")
    llm: Any = import_module("ragas.llms").llm_factory("gpt-4o-mini", client=client)
    embeddings: Any = import_module("ragas.embeddings").OpenAIEmbeddings(client=client)
    rows: list[dict[str, Any]] = [
        {
            "user_input": sample["question"],
            "response": sample["answer"],
            "retrieved_contexts": sample["contexts"],
            "reference": sample["reference"],
        }
        for sample in held
    ]
    takes = {"user_input", "retrieved_contexts"}
    chosen: list[tuple[Any, set[str]]] = [
        (metrics.Faithfulness(llm=llm), takes | {"response"}),
        (metrics.AnswerRelevancy(llm=llm, embeddings=embeddings), {"user_input", "response"}),
        (metrics.ContextPrecision(llm=llm), takes | {"reference"}),
        (metrics.ContextRecall(llm=llm), takes | {"reference"}),
    ]

    async def all_of_them() -> Scores:
        found: Any = await asyncio.gather(
            *(metric.abatch_score([{key: row[key] for key in fields} for row in rows]) for metric, fields in chosen)
        )
        named = zip(chosen, found, strict=True)
        return {metric.name: [each.value for each in scores] for (metric, _), scores in named}

    return lambda: asyncio.run(all_of_them())


if __name__ == "__main__":
    timed(prepare)
