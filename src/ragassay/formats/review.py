"""The review queue as a file: JSON Lines, or CSV for a spreadsheet, out to experts and back."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from ragassay.formats.atomic import replace_file
from ragassay.formats.cells import csv_bytes
from ragassay.formats.fields import Field, Fields, choice, convert, count, identity, text
from ragassay.formats.label_words import grade_of, kind_of, stance_of
from ragassay.formats.labels import as_given
from ragassay.formats.reading import Misfit, Reading, Unfit, shown
from ragassay.formats.tables import read_table
from ragassay.records import LabelKind, Notice, Other, Side

Beside = Literal["context"] | Other
"""What a claim is judged beside: the passages of the context, or the text of another side."""

Said = str | float
"""A label: a verdict of claims and citations, a grade of passages, what an answer does of refusals."""


class Disputed(msgspec.Struct, frozen=True, kw_only=True):
    """Something that people should decide. `label` and `rater` are theirs to fill in.

    `text` is what they decide about: a claim, the statement that a citation covers, the question for which a passage is
    useful or not, an answer that is a refusal or not. `passage` and `marker` name the source. `context` holds
    the texts judged, the most telling first; `verdict`, `probability` and `quote` are what was found without
    people. `shares` counts the claims, links or passages that the query's value is made of. `seen` is how many labels
    this had when it was exported: labels given since then are not overwritten unseen.
    """

    id: str
    kind: LabelKind
    query: str
    question: str | None = None
    critical: bool = False
    side: Side | None = None
    beside: Beside | None = None
    shares: int = 1
    text: str
    passage: str | None = None
    marker: str | None = None
    quote: str | None = None
    verdict: str | None = None
    probability: float | None = None
    reason: str | None = None
    context: tuple[str, ...] = ()
    seen: int = 0
    label: str = ""
    rater: str = ""


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """One decided row as it came back; `line` is where it stands in the file."""

    id: str
    kind: LabelKind = "claim"
    label: Said
    rater: str | None
    seen: int
    line: int


class Reviews(msgspec.Struct, frozen=True, kw_only=True):
    """The decided rows of a file, and how many are still open."""

    decided: tuple[Review, ...]
    open: int
    notices: tuple[Notice, ...]


def write_queue(path: Path, queue: Sequence[Disputed]) -> None:
    """Write the queue: CSV where the name ends so, else JSON Lines."""
    if path.suffix.lower() == ".csv":
        names = Disputed.__struct_fields__
        replace_file(path, csv_bytes(names, [[getattr(row, name) for name in names] for row in queue]))
    else:
        replace_file(path, b"".join(msgspec.json.encode(row) + b"\n" for row in queue))


def read_reviews(path: Path) -> Reviews:
    """Read a queue that came back in any known form of table.

    Only `id`, `kind`, `label`, `rater` and `seen` are read: the texts are the run's, whatever became of them in the
    file. Raises `FaultyInput` with all faults.
    """
    reading = Reading(path.name)
    decided: list[Review] = []
    undecided = 0
    for line, cells in read_table(path, reading).rows:
        reading.line = line
        try:
            review = _review(reading, {name: cells[name] for name in REVIEW if name in cells}, line)
        except Unfit as unfit:
            reading.misfits(unfit)
            continue
        undecided += review is None
        decided += [] if review is None else [review]
    _check_once(decided, reading)
    reading.raise_faults()
    return Reviews(decided=tuple(decided), open=undecided, notices=tuple(reading.notices()))


REVIEW: Fields = {
    "id": Field("id", identity("item")),
    "kind": Field("kind", choice("claim", "citation", "passage", "refusal")),
    "label": Field("label", as_given),
    "rater": Field("rater", text),
    "seen": Field("seen", count),
}
MEANING: dict[LabelKind, Callable[[object], Any]] = {
    "claim": stance_of,
    "citation": stance_of,
    "passage": grade_of,
    "refusal": kind_of,
}


def _review(reading: Reading, cells: dict[str, object], line: int) -> Review | None:
    values = convert(reading, cells, REVIEW)
    absent = [name for name in ("id", "kind", "seen") if name not in values]
    if absent:
        raise Unfit(*(Misfit(None, "the value that `review export` wrote", path=f".{name}") for name in absent))
    label = MEANING[values["kind"]](values.pop("label", None))
    return None if label is None else Review(label=label, line=line, rater=values.pop("rater", None) or None, **values)


def _check_once(decided: Sequence[Review], reading: Reading) -> None:
    known: dict[tuple[str, str | None], Review] = {}
    for review in decided:
        first = known.setdefault((review.id, review.rater), review)
        if first.label != review.label:
            reading.line = review.line
            reading.fault(
                "two_labels",
                f"one rater decides one thing in two ways; the other is in line {first.line}",
                field="label",
                value=shown(review.label),
                expected="one label for each thing and rater in a file",
                remedy="keep the one that is meant",
            )
