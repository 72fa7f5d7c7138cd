"""Judgements into matrices: claims, support, entailment, relevancy, and what they add to citations and refusals."""

from collections.abc import Mapping, Sequence

import polars as pl

from ragassay.matrices.judged_links import judged_citations
from ragassay.matrices.schema import RECORDED, Matrices, frame
from ragassay.records import Case, Entailment, Failure, Judged, Passage, Support

Rows = list[tuple[object, ...]]


def with_judgements(matrices: Matrices, cases: Sequence[Case], judged: Sequence[Judged]) -> Matrices:
    """The matrices with everything that a judge said, at most once a query. A case of which it said nothing is not
    judged.
    """
    said = {each.query: each for each in judged}
    cases = [case for case in cases if case.query in said]
    judged = [said[case.query] for case in cases]
    passages = {case.query: case.passages for case in cases}
    frames = {
        "claims": frame("claims", [row for each in judged for row in _claims(each)]),
        "support": frame("support", [row for each in judged for row in _support(each, passages[each.query])]),
        "entailment": frame("entailment", [row for each in judged for row in _entailment(each)]),
        "relevancy": frame("relevancy", [row for each in judged for row in _relevancy(each)]),
        "context": frame("context", [row for each in judged for row in _context(each, passages[each.query])]),
    }
    states = {each.query: f"errored: {each.failure.error}" if each.failure else RECORDED for each in judged}
    frames["citations"] = judged_citations(matrices.citations, cases, judged)
    queries = _with_states(matrices.queries, states, {case.query for case in cases if case.passages is None})
    return matrices._replace(queries=queries, **frames)


def _with_states(queries: pl.DataFrame, states: Mapping[str, str], without_context: set[str]) -> pl.DataFrame:
    state = pl.col("query").replace_strict(states, default="not_recorded", return_dtype=pl.String)
    no_context = pl.col("query").is_in(list(without_context))
    support = pl.when(no_context).then(pl.lit("not_recorded")).otherwise(state)
    return queries.with_columns(state.alias("claims"), support.alias("support"))


def _claims(judged: Judged) -> Rows:
    disputed = {
        (each.side, each.number)
        for each in (*judged.support, *judged.entailment)
        if not isinstance(each.outcome, Failure) and each.outcome.disputed
    }
    return [
        (judged.query, c.side, c.number, c.text, c.start, c.end, c.checkable, (c.side, c.number) in disputed)
        for c in judged.claims
    ]


def _support(judged: Judged, passages: Sequence[Passage] | None) -> Rows:
    return [
        (judged.query, each.side, each.number, *_places(each, passages), *_outcome(each)) for each in judged.support
    ]


def _places(support: Support, passages: Sequence[Passage] | None) -> tuple[object, ...]:
    """Position of the passage in the context from 1, its id, and the position of the second one of a joint verdict."""
    first, *rest = support.passages
    identity = None if passages is None else passages[first].id
    return first + 1, identity, rest[0] + 1 if rest else None


def _entailment(judged: Judged) -> Rows:
    return [(judged.query, each.side, each.number, each.other, *_outcome(each)) for each in judged.entailment]


def _outcome(judgement: Support | Entailment) -> tuple[object, ...]:
    """verdict, probability, contradiction, quote, reason, disputed, judge, error"""
    outcome = judgement.outcome
    if isinstance(outcome, Failure):
        return (None, None, None, None, outcome.detail, None, None, outcome.error)
    return (
        outcome.verdict,
        outcome.probability,
        outcome.contradiction,
        outcome.quote,
        outcome.reason,
        outcome.disputed,
        outcome.judge,
        None,
    )


def _relevancy(judged: Judged) -> Rows:
    direct: Rows = [] if judged.direct is None else [(judged.query, None, judged.direct)]
    return direct + [(judged.query, question, cosine) for question, cosine in judged.questions]


def _context(judged: Judged, passages: Sequence[Passage] | None) -> Rows:
    """One row per passage with its relevance, and one without position for the context as a whole."""
    whole: Rows = [] if judged.sufficiency is None else [(judged.query, None, None, judged.sufficiency)]
    ids = [passage.id for passage in passages or ()]
    return whole + [(judged.query, i, ids[i - 1], value) for i, value in enumerate(judged.relevance, start=1)]
