"""Disputed claims of a run: out to people, sorted by what would change a verdict most, and their labels back in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
import polars as pl

from ragassay.formats.labels import current, item_id, read_history, write_labels
from ragassay.formats.review import Beside, Disputed, Review
from ragassay.formats.runs import StoredRun
from ragassay.matrices import cases
from ragassay.records import Case, DatasetCard, Fault, FaultyInput, Label, Query, Run, Side

LABELS = "labels.jsonl"
"""Where a run folder keeps what people said about it: a growing file beside the run, which itself never changes."""

USUAL_THRESHOLD = 0.5
_SETTINGS = ("calibration.threshold", "threshold")
Row = Mapping[str, Any]


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """A label that was not taken: its rater has labelled the claim anew since the queue was exported."""

    id: str
    claim: str
    rater: str | None
    given: str
    current: str
    line: int


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did. `history` is all labels of the run after it; `repeated` counts labels that stood already."""

    history: tuple[Label, ...]
    accepted: int
    repeated: int
    conflicts: tuple[Conflict, ...]


def labels_of(folder: Path) -> tuple[Label, ...]:
    """Every label that people gave to this run, oldest first."""
    return read_history(folder / LABELS)


def keep(folder: Path, history: Iterable[Label]) -> None:
    """Store the labels of a run; an interrupted write leaves the old ones."""
    write_labels(folder / LABELS, history)


def queue(stored: StoredRun, history: Sequence[Label]) -> list[Disputed]:
    """The disputed claims that people have not settled, the most consequential first.

    Critical queries come first; then claims count by what deciding them can move: nearness of the probability to the
    judge's threshold, divided by the claims among which the answer's value is shared. Settled is what all of its raters
    call the same.
    """
    labels, _ = current(history)
    said: dict[str | None, set[str]] = {}
    for label in labels:
        said.setdefault(label.id, set()).add(label.label)
    threshold = _threshold(stored.run)
    unsettled = [row for row in disputed(stored, history) if len(said.get(row.id, ())) != 1]
    return sorted(unsettled, key=lambda row: (not row.critical, -_consequence(row, threshold), row.query, row.id))


def disputed(stored: StoredRun, history: Sequence[Label]) -> list[Disputed]:
    """Every disputed claim of a run with the texts that it was judged beside."""
    known = {case.query: case for case in cases(stored.queries, stored.answers, None, DatasetCard(k=stored.run.card.k))}
    queries = {query.id: query for query in stored.queries}
    claims = {_key(row): row for row in stored.matrices.claims.iter_rows(named=True)}
    sizes = _sizes(claims.values())
    seen: dict[str | None, int] = {}
    for label in history:
        seen[label.id] = seen.get(label.id, 0) + 1
    found: list[Disputed] = []
    for key, beside, rows in _groups(stored):
        query = queries.get(key[0])
        if query is not None:
            context = _texts(known.get(key[0]), beside, rows)
            found.append(_disputed(query, claims[key], beside, rows, (context, sizes[key[:2]])))
    return [msgspec.structs.replace(row, seen=seen.get(row.id, 0)) for row in found]


def take(rows: Sequence[Disputed], reviews: Sequence[Review], history: Sequence[Label]) -> Taken:
    """Add reviews to a run's labels. Nothing is overwritten: labels are appended, and the last of a rater is current.

    A review is a conflict where its rater has labelled the claim since the export; other raters' labels never matter.
    Raises `FaultyInput` with every review of a claim that this run does not dispute.
    """
    known = {row.id: row for row in rows}
    faults = [_unknown(review) for review in reviews if review.id not in known]
    if faults:
        raise FaultyInput(faults)
    labels, added, repeated, conflicts = list(history), 0, 0, list[Conflict]()
    for review in reviews:
        row = known[review.id]
        given = [label for label in labels if label.id == review.id]
        own = [label for label in given if label.rater == review.rater]
        if own and own[-1].label == review.label:
            repeated += 1
        elif any(label.rater == review.rater for label in given[review.seen :]):
            conflicts.append(_conflict(row, review, own[-1]))
        else:
            labels.append(_label(row, review))
            added += 1
    return Taken(history=tuple(labels), accepted=added, repeated=repeated, conflicts=tuple(conflicts))


Key = tuple[str, Side, int]


def _key(row: Row) -> Key:
    return row["query"], row["side"], row["claim"]


def _groups(stored: StoredRun) -> Iterator[tuple[Key, Beside, list[Row]]]:
    """Claim, what it stands beside, and all verdicts there, where one of them is disputed."""
    frames: list[tuple[pl.DataFrame, str | None]] = [
        (stored.matrices.support, "context"),
        (stored.matrices.entailment, None),
    ]
    for frame, fixed in frames:
        groups: dict[tuple[Key, Beside], list[Row]] = {}
        for row in frame.iter_rows(named=True):
            groups.setdefault((_key(row), cast("Beside", fixed or row["other"])), []).append(row)
        for (key, beside), rows in groups.items():
            if any(row["disputed"] for row in rows):
                yield key, beside, rows


def _disputed(
    query: Query, claim: Row, beside: Beside, rows: Sequence[Row], material: tuple[tuple[str, ...], int]
) -> Disputed:
    context, size = material
    best = max(rows, key=_probability)
    return Disputed(
        id=item_id("\n".join((query.id, claim["side"], beside, claim["text"])), context),
        query=query.id,
        question=query.question,
        critical=query.critical,
        side=claim["side"],
        beside=beside,
        claims=size,
        claim=claim["text"],
        quote=best["quote"],
        verdict=best["verdict"],
        probability=best["probability"],
        reason=best["reason"],
        context=context,
        seen=0,
    )


def _texts(case: Case | None, beside: Beside, rows: Sequence[Row]) -> tuple[str, ...]:
    """The texts in order of the probability of support, each once; none where the run does not hold them."""
    if case is None:
        return ()
    if beside != "context":
        text = {"answer": case.answer, "reference": case.reference}.get(beside)
        return () if text is None else (text,)
    passages = [passage.text for passage in case.passages or ()]
    ranked = sorted(rows, key=_probability, reverse=True)
    places: list[int] = [place for row in ranked for place in (row["position"], row["second"]) if place is not None]
    return tuple(dict.fromkeys(passages[place - 1] for place in places if place <= len(passages)))


def _probability(row: Row) -> float:
    return -1.0 if row["probability"] is None else row["probability"]


def _sizes(claims: Iterable[Row]) -> dict[tuple[str, Side], int]:
    sizes: dict[tuple[str, Side], int] = {}
    for row in claims:
        key = row["query"], cast("Side", row["side"])
        sizes[key] = sizes.get(key, 0) + bool(row["checkable"])
    return sizes


def _consequence(row: Disputed, threshold: float) -> float:
    distance = threshold if row.probability is None else abs(row.probability - threshold)
    return (1 - distance / max(threshold, 1 - threshold)) / max(1, row.claims)


def _threshold(run: Run) -> float:
    settings = {} if run.card.judge is None else run.card.judge.settings
    given = next((settings[name] for name in _SETTINGS if name in settings), "")
    try:
        return min(1.0, max(0.0, float(given)))
    except ValueError:
        return USUAL_THRESHOLD


def _label(row: Disputed, review: Review) -> Label:
    return Label(claim=row.claim, context=row.context, label=review.label, id=review.id, rater=review.rater)


def _conflict(row: Disputed, review: Review, standing: Label) -> Conflict:
    return Conflict(
        id=row.id, claim=row.claim, rater=review.rater, given=review.label, current=standing.label, line=review.line
    )


def _unknown(review: Review) -> Fault:
    return Fault(
        code="unknown_claim",
        message="this run disputes no such claim",
        line=review.line,
        field="id",
        value=review.id,
        expected="an id that `review export` of this run wrote",
        remedy="export the queue of this run again",
    )
