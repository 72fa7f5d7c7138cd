"""Runs as a contract is tried on them, made by hand: what was found, and what is known of each answer."""

from typing import NamedTuple

import polars as pl
from msgspec.structs import replace

from ragassay.formats.bundle import Bundle
from ragassay.formats.runs import StoredRun
from ragassay.matrices.schema import frame
from ragassay.records import Answer, Query, Result, Terms
from ragassay.records.trying import Trial
from ragassay.runner import Settings, measure
from ragassay.trying import Ask, tried

SAID = {"right": "The limit is 80.", "wrong": "The limit is 70.", "open": "The limit is 60.", "must": "It is 50."}
REFUSED = "I could not find this in the documents I have."


class Row(NamedTuple):
    """One query. `known`: `right`, `wrong`, `open`: answerable, and how its answer is; `must`: must be refused and is
    answered; `silent`: answerable and refused; `refused`: must be refused and is; `blank`: must be refused, no answer.

    `scores` None: nothing about retrieval was recorded. `grades`: sufficiency and relevancy as the run measured them.
    """

    id: str
    known: str
    scores: tuple[float | None, ...] | None = (0.5,)
    grades: tuple[float, float] | None = None
    kind: str = "similarity"
    critical: bool = False


def recorded(*rows: Row) -> StoredRun:
    queries = tuple(
        Query(
            id=row.id,
            question=f"What is the limit of {row.id}?",
            answerable=row.known not in ("must", "refused", "blank"),
            critical=row.critical,
        )
        for row in rows
    )
    answers = tuple(map(_answer, rows))
    evaluation = measure(Bundle(queries=queries, answers=answers), Settings(resamples=10))
    judged = [row for row in rows if row.known in ("right", "wrong")]
    claims = [(row.id, "required", 1, "the limit is 80", None, None, True, False) for row in judged]
    verdicts = {"right": "supports", "wrong": "neutral"}
    said = [
        (row.id, "required", 1, "answer", verdicts[row.known], 1.0, 0.0, None, None, False, "hand", None)
        for row in judged
    ]
    matrices = evaluation.matrices._replace(claims=frame("claims", claims), entailment=frame("entailment", said))
    fractions = pl.concat([evaluation.fractions.filter(~pl.col("metric").is_in(_NUMBERS)), _fractions(rows)])
    return StoredRun(run=evaluation.run, matrices=matrices, fractions=fractions, queries=queries, answers=answers)


def trial(stored: StoredRun, *sweep: str, terms: Terms | None = None, limit: float = 0.05, documents=None) -> Trial:
    return tried(stored, terms or Terms(name="t"), documents, Ask(None, sweep, limit))


def with_answers(stored: StoredRun, **changed: object) -> StoredRun:
    return replace(stored, answers=tuple(replace(each, **changed) for each in stored.answers))


_NUMBERS = ("context_sufficiency", "context_relevancy")


def _answer(row: Row) -> Answer:
    scores = row.scores
    results = None if scores is None else tuple(
        Result(passage=f"D{n}@A#1", document=f"D{n}", revision="A", score=score, text=f"text {n}")
        for n, score in enumerate(scores, start=1)
    )  # fmt: skip
    said = None if row.known == "blank" else SAID.get(row.known, REFUSED)
    return Answer(query=row.id, answer=said, retrieved=results, score_kind=row.kind)


def _fractions(rows: tuple[Row, ...]) -> pl.DataFrame:
    schema = {
        "metric": pl.String(),
        "query": pl.String(),
        "numerator": pl.Float64(),
        "denominator": pl.Float64(),
        "undefined": pl.String(),
        "errored": pl.String(),
    }
    found = [
        (name, row.id, value, 1.0, None, None)
        for row in rows
        for name, value in zip(_NUMBERS, row.grades or (), strict=False)
    ]
    return pl.DataFrame(found, schema=schema, orient="row")
