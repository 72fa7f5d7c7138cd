"""Answer relevancy: does the answer speak to the question? It says nothing of whether the answer is true."""

import polars as pl

from ragassay.metrics.citations import per_query
from ragassay.metrics.definition import Choice, Fractions, Metric, fractions
from ragassay.metrics.evidence import Evidence
from ragassay.metrics.groundedness import answer_absences


def answer_relevancy(evidence: Evidence, choice: Choice) -> Fractions:
    """Mean cosine of the question and the questions that the answer would answer, or of question and answer."""
    is_direct = choice.variant["method"] == "direct"
    rows = evidence.matrices.relevancy.filter(
        pl.col("question").is_null() if is_direct else pl.col("question").is_not_null()
    )
    mean = per_query(evidence, rows, pl.col("cosine").clip(0.0, 1.0).mean())
    observed = evidence.matrices.abstention["observed"]
    withheld = observed.is_in(["refused", "clarified", "empty"]).fill_null(False).to_numpy()
    absent = {"not_answered": withheld, **answer_absences(evidence), "no_questions": per_query(evidence, rows) == 0}
    return fractions(mean, 1.0, absent)


METRICS = (
    Metric(
        name="answer_relevancy",
        question="Does the answer speak to the question?",
        unit="query",
        formula="mean cosine of the question and N questions that the answer would answer, a negative one as 0;"
        " method=direct: cosine of question and answer",
        matrices=("relevancy", "abstention"),
        undefined=("not_answered", "answer_incomplete", "not_judged", "no_questions"),
        aggregation="macro",
        direction="higher",
        bounds=(0.0, 1.0),
        source="C",
        measure=answer_relevancy,
        variants={"method": ("questions", "direct")},
        spelled=("method",),
    ),
)
