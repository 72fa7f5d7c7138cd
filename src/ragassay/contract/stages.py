"""The deterministic half of the stages: numbers beside thresholds. No clock, no judge, no wording."""

import math
from collections.abc import Iterable

from ragassay.contract.admission import Admissible
from ragassay.records import (
    ASCENDING,
    Compared,
    Decision,
    GradeTerms,
    Removed,
    Result,
    ScoreKind,
    SearchTerms,
    Stage,
    WhenFails,
)

_SAMPLE = 20
_LONGEST_ID = 200


def meets(kind: ScoreKind, score: float | None, threshold: float) -> bool:
    """Whether a score reaches its threshold: at least, or at most for a distance. A missing score never does."""
    if score is None or not math.isfinite(score):
        return False
    return score <= threshold if kind in ASCENDING else score >= threshold


def search_decision(
    terms: SearchTerms, kind: ScoreKind, results: Iterable[Result], admissible: Admissible | None = None
) -> tuple[Decision, tuple[Result, ...]]:
    """What is left of the results, in their order: admissible and of sufficient score. None admits every document.

    Raises KeyError for a score kind without a threshold.
    """
    threshold = terms.thresholds[kind]
    kept: list[Result] = []
    removed: dict[str, list[Result]] = {}
    best: float | None = None
    for result in results:
        reason = admissible.reason(result.document, result.revision) if admissible is not None else None
        if reason is None:
            best = _better(kind, best, result.score)
            reason = _score_reason(kind, result.score, threshold)
        if reason is None:
            kept.append(result)
        else:
            removed.setdefault(reason, []).append(result)
    decision = Decision(
        stage="search",
        outcome="proceed" if kept else "abstain",
        reason="enough" if kept else _stop_reason(removed),
        numbers=(_compared(kind, best, threshold),),
        removed=tuple(removed_ids(reason, [passage_id(each) for each in found]) for reason, found in removed.items()),
    )
    return decision, tuple(kept)


def grade_decision(
    terms: GradeTerms, sufficiency: float | None, relevancy: float | None, error: str | None = None
) -> Decision:
    """Whether the context is good enough to write from. A number that is None fails as `when_judge_fails` says."""
    numbers = (
        Compared(name="context_sufficiency", value=sufficiency, at_least=terms.context_sufficiency),
        Compared(name="context_relevancy", value=relevancy, at_least=terms.context_relevancy),
    )
    if sufficiency is None or relevancy is None:
        return failed_decision("grade", terms.when_judge_fails, error or "no_number", numbers)
    short = [each.name for each in numbers if not each.is_reached]
    reason = "enough" if not short else "irrelevant_context" if "context_relevancy" in short else "insufficient_context"
    return Decision(stage="grade", outcome="clarify" if short else "proceed", reason=reason, numbers=numbers)


def failed_decision(
    stage: Stage, when: WhenFails, error: str, numbers: tuple[Compared, ...] = (), removed: tuple[Removed, ...] = ()
) -> Decision:
    """A judge gave nothing: the stage goes on unchecked, or stops; the decision says which."""
    outcome = "proceed" if when == "open" else "block"
    return Decision(
        stage=stage,
        outcome=outcome,
        reason="judge_failed",
        numbers=numbers,
        removed=removed,
        failed=when,
        error=error,
    )


def removed_ids(reason: str, ids: list[str]) -> Removed:
    """What was removed for one reason, with a sample of it."""
    return Removed(reason=reason, count=len(ids), ids=tuple(each[:_LONGEST_ID] for each in ids[:_SAMPLE]))


def passage_id(result: Result) -> str:
    """What a passage is called: its own id, or its document's."""
    return result.passage if result.passage is not None else result.document or ""


def titled(title: str | None, text: str) -> str:
    """The text as it is graded, under the title of its document: a passage need not say again what that is about."""
    return f"{title}\n{text}" if title and not text.startswith(title) else text


def _score_reason(kind: ScoreKind, score: float | None, threshold: float) -> str | None:
    if score is None or not math.isfinite(score):
        return "no_score"
    return None if meets(kind, score, threshold) else "below_threshold"


def _better(kind: ScoreKind, best: float | None, score: float | None) -> float | None:
    if score is None or not math.isfinite(score):
        return best
    if best is None:
        return score
    return min(best, score) if kind in ASCENDING else max(best, score)


def _compared(kind: ScoreKind, value: float | None, threshold: float) -> Compared:
    if kind in ASCENDING:
        return Compared(name="score", value=value, at_most=threshold)
    return Compared(name="score", value=value, at_least=threshold)


def _stop_reason(removed: dict[str, list[Result]]) -> str:
    if not removed:
        return "nothing_found"
    return "nothing_suitable" if removed.keys() & {"below_threshold", "no_score"} else "nothing_admissible"
