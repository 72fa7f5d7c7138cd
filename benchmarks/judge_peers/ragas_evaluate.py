"""ragas as its documentation shows it for a whole data set: `evaluate()` over the LangChain wrapper, 16 workers."""

from importlib import import_module
from typing import Any

from samples import Sample
from stopwatch import Scores, Work, timed

METRICS = ("Faithfulness", "ResponseRelevancy", "LLMContextPrecisionWithReference", "LLMContextRecall")


def prepare(held: list[Sample], url: str) -> Work:
    ragas: Any = import_module("ragas")
    metrics: Any = import_module("ragas.metrics")
    langchain: Any = import_module("langchain_openai")
    llm = langchain.ChatOpenAI(model="gpt-4o-mini", base_url=url, api_key="none")
    embeddings = langchain.OpenAIEmbeddings(base_url=url, api_key="none", check_embedding_ctx_length=False)
    rows = [
        {
            "user_input": sample["question"],
            "response": sample["answer"],
            "retrieved_contexts": sample["contexts"],
            "reference": sample["reference"],
        }
        for sample in held
    ]
    dataset = ragas.EvaluationDataset.from_list(rows)
    chosen = [getattr(metrics, name)() for name in METRICS]

    def work() -> Scores:
        found = ragas.evaluate(dataset, metrics=chosen, llm=llm, embeddings=embeddings, show_progress=False)
        return {metric.name: [row.get(metric.name) for row in found.scores] for metric in chosen}

    return work


if __name__ == "__main__":
    timed(prepare)
