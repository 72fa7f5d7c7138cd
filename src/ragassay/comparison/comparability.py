"""What two runs must agree in before a difference between them means anything."""

from collections.abc import Iterator

import msgspec

from ragassay.metrics.dictionary import find
from ragassay.records import JudgeCard, Mismatch, RunCard

JUDGED = ("claims", "support", "entailment", "relevancy", "context", "citations")
"""Matrices that a judge fills: metrics that need one of them rest on it."""

_PIN = (
    "measure the answers of the baseline again and pin a new baseline with"
    " `ragassay baseline set NAME RUN --reason WHY`"
)
_REFUSING = (
    ("dataset_hash", f"the queries or their labels differ: {_PIN}"),
    ("unit", "one counts documents, the other passages"),
    ("ties", "equal scores count differently"),
    ("labelling_rules", "the labels mean different things"),
    ("exclusions", "different queries are kept out of the denominators"),
    ("as_of", "revisions were judged at different dates"),
)
_FLAGGED = (
    ("corpus_hash", "the corpus differs: what is in force, stale or forbidden may have changed"),
    ("score_precision", "scores were compared with different precision"),
    ("ragassay", "measured by different versions"),
    ("dataset_version", "the dataset has another version"),
)


def comparability(baseline: RunCard, candidate: RunCard) -> tuple[Mismatch, ...]:
    """Every difference of the two cards that matters, by name; empty where nothing stands in the way."""
    return (
        *_fields(baseline, candidate),
        *_definitions(baseline, candidate),
        *_judges(baseline, candidate),
        *_relabelled(baseline, candidate),
    )


def _fields(baseline: RunCard, candidate: RunCard) -> Iterator[Mismatch]:
    for fields, refuses in ((_REFUSING, True), (_FLAGGED, False)):
        for field, message in fields:
            before, after = getattr(baseline, field), getattr(candidate, field)
            if before != after:
                yield _mismatch(field, before, after, message, refuses=refuses)


def _definitions(baseline: RunCard, candidate: RunCard) -> Iterator[Mismatch]:
    """Metrics measured under two versions of their definition."""
    before, after = _versions(baseline), _versions(candidate)
    for metric in sorted(before.keys() & after.keys()):
        if before[metric] != after[metric]:
            message = f"the definition of {metric} changed: {_PIN}"
            yield _mismatch(f"metrics.{metric}", before[metric], after[metric], message, metrics=(metric,))


def _judges(baseline: RunCard, candidate: RunCard) -> Iterator[Mismatch]:
    if baseline.judge == candidate.judge:
        return
    judged = tuple(sorted(metric for metric in map(_unversioned, candidate.metrics) if _is_judged(metric)))
    message = "another judge, or the same judge set otherwise, gave the verdicts"
    yield _mismatch("judge", _named(baseline.judge), _named(candidate.judge), message, metrics=judged)


def _relabelled(baseline: RunCard, candidate: RunCard) -> Iterator[Mismatch]:
    """One version label for two systems: the comparison would say that nothing changed, and something did."""
    before, after = (None if card.asked is None else card.asked.system for card in (baseline, candidate))
    if before is None or after is None or before.version is None or before.version != after.version:
        return
    for field in ("model", "prompt_hash", "index_hash", "code", "parameters"):
        one, other = getattr(before, field), getattr(after, field)
        if one != other:
            message = f"the system changed under its version {before.version}"
            yield _mismatch(f"system.{field}", one, other, message)


def _versions(card: RunCard) -> dict[str, str]:
    """The version of each metric's definition, by the metric's identity without it."""
    parts = [identity.rpartition(":v") for identity in card.metrics]
    return {metric: version for metric, _, version in parts}


def _is_judged(metric: str) -> bool:
    return not set(JUDGED).isdisjoint(find(metric).metric.matrices)


def _unversioned(identity: str) -> str:
    return identity.rpartition(":v")[0]


def _named(judge: JudgeCard | None) -> str:
    return "none" if judge is None else msgspec.json.encode(judge, order="deterministic").decode()


def _mismatch(
    field: str, before: object, after: object, message: str, *, refuses: bool = True, metrics: tuple[str, ...] = ()
) -> Mismatch:
    return Mismatch(
        field=field,
        baseline="none" if before is None else str(before),
        candidate="none" if after is None else str(after),
        refuses=refuses,
        message=message,
        metrics=metrics,
    )
