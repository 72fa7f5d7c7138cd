"""Control: were the rules of access, revision and refusal measured, and do they hold?"""

from collections.abc import Iterator

from ragassay.acceptance.presented import Presented, check, estimate_link, gates_of, plural, together
from ragassay.metrics.dictionary import find
from ragassay.records import Estimate
from ragassay.records.acceptance import Check, Shown

ASKS = "Were the rules of access, revision and refusal measured, and do they hold?"
INADMISSIBLE = ("dangling", "superseded", "forbidden", "not_applicable")
FAULT = {
    "dangling": "No citation names a source that does not exist",
    "superseded": "No citation rests on a revision that was not in force",
    "forbidden": "No citation shows what the requester may not read",
    "not_applicable": "No citation rests on a document for something else",
}


def control(presented: Presented) -> Iterator[Check]:
    last = max(presented.run.card.k)
    yield _requesters(presented)
    yield _rule(
        presented, f"forbidden@{last}", "Nothing was retrieved that the requester may not read", is_absolute=True
    )
    yield _rule(
        presented,
        f"stale@{last}",
        "Results that were not in force are counted, and within the policy",
        is_absolute=False,
    )
    for fault in INADMISSIBLE:
        yield _rule(presented, f"citation_faults(fault={fault})", FAULT[fault], is_absolute=True)
    yield _rule(
        presented,
        "missed_refusal_rate",
        "Answers where refusal is due are counted, and within the policy",
        is_absolute=False,
    )
    yield _rule(
        presented,
        "withheld_rate",
        "Refusals where an answer is due are counted, and within the policy",
        is_absolute=False,
    )


def _requesters(presented: Presented) -> Check:
    number = len(presented.queries) - presented.matrices.queries["groups"].null_count()
    return check(
        "requesters",
        "Queries are asked on behalf of somebody, so that access matters",
        "met" if number else "not_shown",
        f"{number:,} of {plural(len(presented.queries), 'query', 'queries')} say who asks",
        "`requester` on queries: where nobody is named, everything may be read",
        ("matrices/queries.parquet#groups",),
    )


def _rule(presented: Presented, metric: str, states: str, *, is_absolute: bool) -> Check:
    """The policy's gate on the metric decides. Without one, an absolute rule bears no exception; any other rule is only
    measured.
    """
    estimate = presented.run.summary.metrics.get(metric)
    gates = gates_of(presented, metric)
    links = (estimate_link(metric),) if estimate is not None else ("run.json#/not_shown",)
    if estimate is None or estimate.value is None:
        why = presented.run.not_shown.get(metric, "not selected").replace("_", " ")
        outcome, found = "not_shown", f"{metric} has no value: {why}"
    elif gates:
        outcome = together([_outcome(result.outcome) for _, result in gates])
        found = "; ".join(f"{metric}: {result.message}" for _, result in gates)
        links += tuple(f"acceptance.json#/verdict/gates/{place}" for place, _ in gates)
    else:
        outcome, found = _ungated(presented, estimate, is_absolute=is_absolute), _told(metric, estimate)
    needed = (
        "none at all, or a gate in the policy that says how much is borne"
        if is_absolute
        else "its value, and within the limit where the policy sets one"
    )
    return check(metric, states, outcome, found, needed, links)


def _outcome(outcome: str) -> Shown:
    return {"passed": "met", "breached": "not_met"}.get(outcome, "not_shown")  # pyright: ignore[reportReturnType]


def _ungated(presented: Presented, estimate: Estimate, *, is_absolute: bool) -> Shown:
    if is_absolute and estimate.value:
        return "not_met"
    is_covered = estimate.coverage is not None and estimate.coverage >= presented.floor
    return "met" if is_covered and estimate.n else "not_shown"


def _told(metric: str, estimate: Estimate) -> str:
    value = estimate.value or 0.0
    is_count = find(metric).metric.aggregation == "count"
    return f"{metric} = {value:,.0f}, n = {estimate.n:,}" if is_count else f"{metric} = {value:.4g}, n = {estimate.n:,}"
