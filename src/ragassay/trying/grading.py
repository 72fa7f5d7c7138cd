"""The numbers of the grade stage for recorded contexts: as a run holds them, or from a judge that is asked now."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from ragassay.contract.judges import EMBEDDED, Judges, graded, maker
from ragassay.contract.stages import passage_id
from ragassay.formats.runs import StoredRun
from ragassay.judges.together import finished
from ragassay.records import Failure, Fault, FaultyInput, Query, Result

NUMBERS = ("context_sufficiency", "context_relevancy")


class Graded(NamedTuple):
    """Both numbers, 0 to 1, or the `error` for which a judge gave none; `lacks` names what nobody recorded."""

    sufficiency: float | None = None
    relevancy: float | None = None
    error: str | None = None
    lacks: str | None = None


Grades = Mapping[str, Graded]
Context = tuple[Query, tuple[Result, ...]]


def recorded_grades(stored: StoredRun, contexts: Iterable[Context]) -> dict[str, Graded]:
    """As the run measured them, on the context that it recorded."""
    known = {name: _values(stored.fractions, name) for name in NUMBERS}
    found: dict[str, Graded] = {}
    for query, _ in contexts:
        sufficiency, relevancy = (known[name].get(query.id) for name in NUMBERS)
        is_known = sufficiency is not None and relevancy is not None
        found[query.id] = Graded(sufficiency, relevancy) if is_known else Graded(lacks="context_not_judged")
    return found


def _values(fractions: pl.DataFrame, metric: str) -> dict[str, float]:
    rows = fractions.filter((pl.col("metric") == metric) & pl.col("numerator").is_not_null())
    return dict(rows.select("query", pl.col("numerator") / pl.col("denominator")).iter_rows())


def other_contexts(stored: StoredRun, contexts: Iterable[Context]) -> list[str]:
    """Queries whose numbers were measured on other passages than the contract would have kept."""
    rows = stored.matrices.context.drop_nulls("position").select("query", "passage")
    judged: dict[str, set[str]] = {}
    for query, passage in rows.iter_rows():
        judged.setdefault(query, set()).add(passage)
    return [query.id for query, kept in contexts if {passage_id(each) for each in kept} != judged.get(query.id, set())]


def judged_grades(name: str, contexts: Sequence[Context]) -> dict[str, Graded]:
    """From the embedded judge, on the passages that the contract keeps. Raises `FaultyInput` for another judge."""
    if name != EMBEDDED:
        raise FaultyInput([_unknown(name)])
    return finished(_judged(maker(name)(), contexts))


async def _judged(judges: Judges, contexts: Sequence[Context]) -> dict[str, Graded]:
    try:
        return {query.id: await _grade(judges, query, kept) for query, kept in contexts}
    finally:
        await judges.judge.close()


async def _grade(judges: Judges, query: Query, kept: Sequence[Result]) -> Graded:
    texts = [each.text for each in kept if each.text]
    if query.question is None or len(texts) < len(kept):
        return Graded(lacks="question_not_recorded" if query.question is None else "text_not_recorded")
    said = await graded(judges, query.question, texts)
    return Graded(error=said.error) if isinstance(said, Failure) else Graded(said.sufficiency, said.relevancy)


def _unknown(name: str) -> Fault:
    return Fault(
        code="unknown_judge",
        message="a contract is tried with what the run recorded or with the embedded judge",
        field="--judge",
        value=repr(name[:60]),
        expected=f"none or {EMBEDDED}",
        remedy="another judge decides in `ragassay eval … --judge`; its run then holds the numbers",
    )
