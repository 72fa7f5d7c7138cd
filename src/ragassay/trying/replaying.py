"""Recorded retrievals, sent through the deterministic stages of a contract."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ragassay.contract.admission import Admissible
from ragassay.contract.stages import grade_decision, search_decision, titled
from ragassay.formats.runs import StoredRun
from ragassay.records import (
    ASCENDING,
    Answer,
    Corpus,
    Decision,
    Document,
    Query,
    Result,
    ScoreKind,
    SearchTerms,
    Stage,
    Terms,
)
from ragassay.trying.grading import Grades


class Found(NamedTuple):
    """A query as it left the search. `best` is the best admissible score, None where there is none.

    `lacks` says what a threshold would need and was not recorded, or that the contract has none; None where it was
    tried. Without `is_scored` no threshold can be.
    """

    query: Query
    kind: ScoreKind
    decisions: tuple[Decision, ...]
    passages: tuple[Result, ...]
    best: float | None
    is_scored: bool
    lacks: str | None


class Replayed(NamedTuple):
    """A query with every decision taken on it; `lacks` says per stage what a threshold of it would have needed."""

    found: Found
    decisions: tuple[Decision, ...]
    numbers: dict[str, float]
    lacks: dict[Stage, str]

    @property
    def stop(self) -> Decision | None:
        last = self.decisions[-1] if self.decisions else None
        return last if last is not None and not last.proceeds else None

    def reached(self, stage: Stage) -> bool:
        return stage in self.lacks or any(each.stage == stage for each in self.decisions)


def searched(
    stored: StoredRun, terms: Terms, documents: Sequence[Document] | None
) -> tuple[list[Found], dict[str, list[str]]]:
    """Every query with a recorded retrieval behind filter and search, and the ids of the others by reason.

    Without documents nothing is filtered.
    """
    corpus = None if documents is None else Corpus(documents)
    answers = {each.query: each for each in stored.answers}
    excluded = dict(stored.matrices.queries.select("query", "excluded").drop_nulls().iter_rows())
    found: list[Found] = []
    untried: dict[str, list[str]] = {}
    for query in stored.queries:
        answer = answers.get(query.id)
        results = None if answer is None else _results(answer)
        if query.id in excluded:
            untried.setdefault("excluded", []).append(query.id)
        elif answer is None or results is None:
            untried.setdefault("retrieval_not_recorded", []).append(query.id)
        else:
            admissible = None if corpus is None else _admissible(corpus, terms, query, stored)
            found.append(_searched(query, answer.score_kind, results, terms, admissible))
    return found, untried


def _results(answer: Answer) -> tuple[Result, ...] | None:
    """The candidates, unless only what was retrieved of them has scores."""
    if answer.candidates is None or (_has_scores(answer.retrieved) and not _has_scores(answer.candidates)):
        return answer.retrieved
    return answer.candidates


def _has_scores(results: Sequence[Result] | None) -> bool:
    return any(each.score is not None for each in results or ())


def _admissible(corpus: Corpus, terms: Terms, query: Query, stored: StoredRun) -> Admissible:
    as_of = query.as_of or stored.run.card.as_of
    return Admissible(corpus, terms.filter, query.requester, query.scope, as_of)


def _graded_as(result: Result, admissible: Admissible) -> Result:
    """With the text as the grade stage sees it."""
    title = admissible.title(result.document, result.revision)
    return replace(result, text=titled(title, result.text)) if result.text else result


def _searched(
    query: Query, kind: ScoreKind, results: tuple[Result, ...], terms: Terms, admissible: Admissible | None
) -> Found:
    is_scored = kind != "unknown" and (not results or _has_scores(results))
    if admissible is not None and admissible.is_empty():
        stop = Decision(stage="filter", outcome="abstain", reason="nothing_admissible")
        return Found(query, kind, (stop,), (), None, is_scored, None)
    lacks = _lacks(kind, is_scored, terms)
    search = terms.search if lacks is None else SearchTerms(thresholds={kind: _loosest(kind)})
    shown = results if is_scored else tuple(replace(each, score=0.0) for each in results)
    decision, passages = search_decision(search, kind, shown, admissible)
    if admissible is not None:
        passages = tuple(_graded_as(each, admissible) for each in passages)
    best = decision.numbers[0].value if is_scored else None
    passed = () if admissible is None else (Decision(stage="filter", outcome="proceed", reason="admissible"),)
    return Found(query, kind, (*passed, decision), passages, best, is_scored, lacks)


def _lacks(kind: ScoreKind, is_scored: bool, terms: Terms) -> str | None:
    if kind == "unknown":
        return "score_kind_unknown"
    if not is_scored:
        return "scores_not_recorded"
    return None if kind in terms.search.thresholds else f"no_threshold_for_{kind}"


def _loosest(kind: ScoreKind) -> float:
    """What every score reaches: admission is looked at, the score is not."""
    return math.inf if kind in ASCENDING else -math.inf


def graded(found: Sequence[Found], terms: Terms, grades: Grades) -> list[Replayed]:
    """Every query behind the grade as well, where its numbers are known."""
    return [_graded(each, terms, grades) for each in found]


def _graded(found: Found, terms: Terms, grades: Grades) -> Replayed:
    lacks: dict[Stage, str] = {}
    if found.lacks is not None:
        lacks["search"] = found.lacks
    if not found.decisions[-1].proceeds:
        return Replayed(found, found.decisions, {}, lacks)
    graded = grades[found.query.id]
    if graded.lacks is not None:
        lacks["grade"] = graded.lacks
        return Replayed(found, found.decisions, {}, lacks)
    decision = grade_decision(terms.grade, graded.sufficiency, graded.relevancy, graded.error)
    numbers = {each.name: each.value for each in decision.numbers if each.value is not None}
    return Replayed(found, (*found.decisions, decision), numbers, lacks)
