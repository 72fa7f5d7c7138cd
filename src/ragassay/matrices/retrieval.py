"""The matrix `retrieval`: every result at every stage, with what gold and corpus say of it."""

from collections.abc import Mapping, Sequence

import polars as pl

from ragassay.matrices.gold import gold_id
from ragassay.matrices.schema import frame
from ragassay.records import Answer, Corpus, DatasetCard, Query, Result, Unit

Grades = Mapping[tuple[str, str], float]


def grades_of(gold: pl.DataFrame) -> dict[tuple[str, str], float]:
    """(query, id) → grade; an id that serves several needs has its highest grade."""
    best = gold.group_by("query", "id").agg(pl.col("grade").max())
    return {(query, identity): grade for query, identity, grade in best.iter_rows()}


def retrieval_frame(
    pairs: Sequence[tuple[Query, Answer]], grades: Grades, corpus: Corpus, card: DatasetCard, unit: Unit
) -> pl.DataFrame:
    """Matrix `retrieval` for queries paired with their answers."""
    rows: list[tuple[object, ...]] = []
    for query, answer in pairs:
        rows.extend(_rows(query, answer, grades, corpus, (query.as_of or card.as_of, unit)))
    return frame("retrieval", rows)


def _rows(
    query: Query, answer: Answer, grades: Grades, corpus: Corpus, rules: tuple[object, Unit]
) -> list[tuple[object, ...]]:
    as_of, unit = rules
    rows: list[tuple[object, ...]] = []
    for stage, results, ordered in _stages(answer):
        for position, result in enumerate(results, start=1):
            identity = gold_id(unit, result.document, result.passage)
            standing = corpus.standing(result.document or result.passage, result.revision, query, as_of)  # type: ignore[arg-type]
            rows.append(
                (
                    query.id,
                    stage,
                    position,
                    position if ordered else None,
                    identity,
                    result.passage,
                    result.document,
                    result.revision,
                    result.score,
                    answer.score_kind,
                    grades.get((query.id, identity or "")),
                    standing.in_corpus,
                    standing.readable,
                    standing.in_force,
                    standing.in_scope,
                    None,
                    None,
                )
            )
    return rows


def _stages(answer: Answer) -> list[tuple[str, Sequence[Result], bool]]:
    stages: list[tuple[str, Sequence[Result], bool]] = []
    if answer.candidates is not None:
        stages.append(("candidates", answer.candidates, answer.ordered))
    if answer.retrieved is not None:
        stages.append(("retrieved", answer.retrieved, answer.ordered))
    if answer.packed is not None:
        stages.append(("packed", packed_results(answer), True))
    return stages


def packed_results(answer: Answer) -> list[Result]:
    """The passages that entered the prompt, with what retrieval recorded of them; an unknown id stays an id alone."""
    known = {result.passage: result for result in (*(answer.candidates or ()), *(answer.retrieved or ()))}
    return [known.get(passage) or Result(passage=passage) for passage in answer.packed or ()]


def context_results(answer: Answer, k: int) -> list[Result]:
    """The context: the packed passages where they are recorded, else the first k results."""
    return packed_results(answer) if answer.packed is not None else list((answer.retrieved or ())[:k])
