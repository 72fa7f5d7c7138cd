"""deepeval as its documentation shows it: `evaluate()` with its defaults, 20 test cases at once, reasons included."""

from importlib import import_module
from typing import Any

from samples import Sample
from stopwatch import Scores, Work, timed

METRICS = ("FaithfulnessMetric", "AnswerRelevancyMetric", "ContextualPrecisionMetric", "ContextualRecallMetric")


def prepare(held: list[Sample], url: str) -> Work:
    deepeval: Any = import_module("deepeval")
    metrics: Any = import_module("deepeval.metrics")
    cases: Any = import_module("deepeval.test_case")
    model = import_module("deepeval.models").OpenAIModel(model="gpt-4o-mini", base_url=url, api_key="none")
    chosen = [getattr(metrics, name)(model=model) for name in METRICS]
    rows = [
        cases.LLMTestCase(
            input=sample["question"],
            actual_output=sample["answer"],
            expected_output=sample["reference"],
            retrieval_context=sample["contexts"],
        )
        for sample in held
    ]
    display: Any = import_module("deepeval.evaluate.configs").DisplayConfig(show_indicator=False, print_results=False)

    def work() -> Scores:
        found = deepeval.evaluate(test_cases=rows, metrics=chosen, display_config=display)
        scores: Scores = {}
        for result in found.test_results:
            for said in result.metrics_data or ():
                scores.setdefault(said.name, []).append(said.score)
        return scores

    return work


if __name__ == "__main__":
    timed(prepare)
