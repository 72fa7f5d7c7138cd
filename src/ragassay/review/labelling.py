"""The queue, and the labels that come back: appended to the run's, never over anybody else's."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from ragassay.formats.exclusive import exclusive
from ragassay.formats.labels import current, read_history, write_labels
from ragassay.formats.review import Disputed, Review, Said
from ragassay.formats.runs import StoredRun
from ragassay.records import AnyLabel, Fault, FaultyInput, Run
from ragassay.review.disputes import RATERS, disputed

LABELS = "labels.jsonl"
"""Where a run folder keeps what people said about it: a growing file beside the run, which itself never changes."""

USUAL_THRESHOLD = 0.5
_SETTINGS = ("calibration.threshold", "threshold")


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """A label that was not taken: its rater has labelled the same anew since the queue was exported."""

    id: str
    text: str
    rater: str | None
    given: Said
    current: Said
    line: int


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did. `history` is all labels of the run after it; `repeated` counts labels that stood already."""

    history: tuple[AnyLabel, ...]
    accepted: int
    repeated: int
    conflicts: tuple[Conflict, ...]


def labels_of(folder: Path) -> tuple[AnyLabel, ...]:
    """Every label that people gave to this run, oldest first."""
    return read_history(folder / LABELS)


@contextmanager
def labels_open(folder: Path) -> Generator[tuple[AnyLabel, ...]]:
    """The labels of a run, for `keep` to replace: nobody else can until this ends."""
    with exclusive(folder):
        yield labels_of(folder)


def keep(folder: Path, history: Sequence[AnyLabel]) -> None:
    """Store the labels of a run; an interrupted write leaves the old ones."""
    write_labels(folder / LABELS, history)


def queue(stored: StoredRun, history: Sequence[AnyLabel]) -> list[Disputed]:
    """What people have not settled, the most consequential first.

    Critical queries come first; then everything counts by what deciding it can move: nearness of the probability to the
    judge's threshold (raters who differ are as near as can be), divided by the claims, links or passages among which
    the query's value is shared. Settled is what all of its raters call the same.
    """
    said = _said(history)
    threshold = _threshold(stored.run)
    unsettled = [row for row in disputed(stored, history) if len(said.get(row.id, ())) != 1]
    divided = {row.id for row in unsettled if row.id in said or row.reason == RATERS}

    def consequence(row: Disputed) -> float:
        near = 1.0 if row.id in divided else _nearness(row, threshold)
        return near / max(1, row.shares)

    return sorted(unsettled, key=lambda row: (not row.critical, -consequence(row), row.query, row.id))


def sample(stored: StoredRun, history: Sequence[AnyLabel], size: int) -> list[Disputed]:
    """Every open claim and citation of `size` queries drawn by lot from those that a judge decided, query by query.

    The lot is the seed of the run: a larger sample holds the smaller one, and whoever stops early has still labelled a
    random part. Such labels correct the judge on all queries; those of `queue` cannot.
    """
    judged = pl.concat([stored.matrices.support["query"], stored.matrices.entailment["query"]]).unique().sort()
    drawn = np.random.default_rng(stored.run.card.seed).permutation(judged.to_numpy())[:size].tolist()
    place = {query: number for number, query in enumerate(drawn)}
    said = _said(history)
    rows = [row for row in disputed(stored, history, place) if row.query in place and row.kind in ("claim", "citation")]
    unsettled = [row for row in rows if len(said.get(row.id, ())) != 1]
    return sorted(unsettled, key=lambda row: (place[row.query], row.kind, row.id))


def _said(history: Sequence[AnyLabel]) -> dict[str | None, set[Said]]:
    """What the raters of each item say, each with their last word."""
    said: dict[str | None, set[Said]] = {}
    for label in current(history)[0]:
        said.setdefault(label.id, set()).add(label.label)
    return said


def take(rows: Sequence[Disputed], reviews: Sequence[Review], history: Sequence[AnyLabel]) -> Taken:
    """Add reviews to a run's labels. Nothing is overwritten: labels are appended, and the last of a rater is current.

    A review is a conflict where its rater has labelled the same since the export; other raters' labels never matter.
    Raises `FaultyInput` with every review of what this run does not dispute.
    """
    known = {(row.kind, row.id): row for row in rows}
    faults = [_unknown(review) for review in reviews if (review.kind, review.id) not in known]
    if faults:
        raise FaultyInput(faults)
    labels, added, repeated, conflicts = list(history), 0, 0, list[Conflict]()
    for review in reviews:
        row = known[review.kind, review.id]
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


def _nearness(row: Disputed, threshold: float) -> float:
    distance = threshold if row.probability is None else abs(row.probability - threshold)
    return 1 - distance / max(threshold, 1 - threshold)


def _threshold(run: Run) -> float:
    settings = {} if run.card.judge is None else run.card.judge.settings
    given = next((settings[name] for name in _SETTINGS if name in settings), "")
    try:
        return min(1.0, max(0.0, float(given)))
    except ValueError:
        return USUAL_THRESHOLD


def _label(row: Disputed, review: Review) -> AnyLabel:
    """Every label says in its own words what it is about, so that it holds for nothing else."""
    said = {"kind": row.kind, "label": review.label, "id": review.id, "rater": review.rater}
    about: dict[str, object] = {"query": row.query}
    match row.kind:
        case "claim":
            about = {"claim": row.text, "context": row.context}
        case "citation":
            about |= {"passage": row.passage, "marker": row.marker, "statement": row.text or None}
        case "passage":
            about |= {"passage": row.passage}
        case "refusal":
            about |= {"answer": row.text}
    return msgspec.convert(about | said, AnyLabel)


def _conflict(row: Disputed, review: Review, standing: AnyLabel) -> Conflict:
    return Conflict(
        id=row.id, text=row.text, rater=review.rater, given=review.label, current=standing.label, line=review.line
    )


def _unknown(review: Review) -> Fault:
    return Fault(
        code="unknown_item",
        message="this run holds nothing of this id and kind",
        line=review.line,
        field="id",
        value=review.id,
        expected="an id that `review export` of this run wrote",
        remedy="export the queue of this run again",
    )
