"""What a stop would do to each query of a run, from what is known of the answer that was given."""

from collections.abc import Iterable
from typing import get_args

from ragassay.formats.runs import StoredRun
from ragassay.metrics.critical import conditions
from ragassay.metrics.evidence import gather
from ragassay.records import Query, Run
from ragassay.records.trying import Effect, Part
from ragassay.statistics.intervals import wilson

EFFECTS: tuple[Effect, ...] = get_args(Effect)
_SPOKE = ("answered", "partial", "unreadable")
_SEVERITY = {"high": 0, "medium": 1, "low": 2}


def effects(stored: StoredRun) -> dict[str, Effect]:
    """Per query. Whether an answer is correct is decided as for critical queries; where that is open, an answer with a
    claim that no passage holds is bad. A query that must be refused and has no recorded answer is rightly stopped."""
    evidence = gather(stored.matrices, stored.run.card.ties)
    correct = conditions(evidence)[0]
    ungrounded = _ungrounded(stored.run)
    kinds = evidence.matrices.abstention.select("query", "expected", "observed").iter_rows()
    rows = zip(kinds, correct.failed.tolist(), correct.undecided.tolist(), strict=True)
    return {
        query: _effect(expected, observed, bad=failed or (undecided and query in ungrounded), is_open=undecided)
        for (query, expected, observed), failed, undecided in rows
    }


def _effect(expected: str | None, observed: str | None, *, bad: bool, is_open: bool) -> Effect:
    if observed is None:
        return "rightly" if expected == "refuse" else "undetermined"
    if observed not in _SPOKE:
        has_invented = observed == "refused" and expected == "refuse" and bad
        return "rightly" if has_invented else "unchanged"
    if bad:
        return "rightly"
    return "undetermined" if is_open else "wrongly"


def _ungrounded(run: Run) -> frozenset[str]:
    names = ((each.query, cause.name) for each in run.findings.failed for cause in (each.cause, *each.others))
    return frozenset(query for query, name in names if name == "hallucinated")


def worst_first(queries: Iterable[Query]) -> list[str]:
    """The ids, critical queries first, then by severity, then by id."""
    ordered = sorted(queries, key=lambda each: (not each.critical, _SEVERITY.get(each.severity or "", 3), each.id))
    return [each.id for each in ordered]


def part(count: int, n: int, level: float) -> Part:
    """A share with its interval; undefined over no queries."""
    if not n:
        return Part(count=count, n=n, share=None, interval=None)
    return Part(count=count, n=n, share=count / n, interval=wilson(count, n, level))
