"""The review queue as a file: JSON Lines, or CSV for a spreadsheet, out to experts and back."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ragassay.formats.atomic import replace_file
from ragassay.formats.fields import Field, Fields, convert, count, identity, text
from ragassay.formats.labels import verdict_of
from ragassay.formats.reading import Misfit, Reading, Unfit, shown
from ragassay.formats.tables import read_table
from ragassay.records import Notice, Other, Side, Verdict

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A cell that begins so is run by spreadsheets; an apostrophe in front keeps it a text."""

Beside = Literal["context"] | Other
"""What a claim is judged beside: the passages of the context, or the text of another side."""


class Disputed(msgspec.Struct, frozen=True, kw_only=True):
    """A claim that people should decide. `label` and `rater` are theirs to fill in.

    `context` holds the texts judged, the most telling first; `verdict`, `probability` and `quote` are the judge's.
    `claims` counts the claims that the answer's value is made of. `seen` is how many labels the claim had when it was
    exported: labels given since then are not overwritten unseen.
    """

    id: str
    query: str
    question: str | None
    critical: bool
    side: Side
    beside: Beside
    claims: int
    claim: str
    quote: str | None
    verdict: Verdict | None
    probability: float | None
    reason: str | None
    context: tuple[str, ...]
    seen: int
    label: str = ""
    rater: str = ""


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """One decided row as it came back; `line` is where it stands in the file."""

    id: str
    label: Verdict
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
        replace_file(path, _csv(queue).encode("utf-8-sig"))
    else:
        replace_file(path, b"".join(msgspec.json.encode(row) + b"\n" for row in queue))


def _csv(queue: Sequence[Disputed]) -> str:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(Disputed.__struct_fields__)
    for row in queue:
        writer.writerow([_cell(getattr(row, name)) for name in Disputed.__struct_fields__])
    return stream.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    return f"'{value}" if value.startswith(FORMULA) else value


def read_reviews(path: Path) -> Reviews:
    """Read a queue that came back in any known form of table.

    Only `id`, `label`, `rater` and `seen` are read: the texts are the run's, whatever became of them in the file.
    Raises `FaultyInput` with all faults.
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


def _as_given(_: Reading, value: object) -> object:
    return value


REVIEW: Fields = {
    "id": Field("id", identity("claim")),
    "label": Field("label", _as_given),
    "rater": Field("rater", text),
    "seen": Field("seen", count),
}


def _review(reading: Reading, cells: dict[str, object], line: int) -> Review | None:
    values = convert(reading, cells, REVIEW)
    absent = [name for name in ("id", "seen") if name not in values]
    if absent:
        raise Unfit(*(Misfit(None, "the value that `review export` wrote", path=f".{name}") for name in absent))
    label = verdict_of(values.pop("label", None))
    return None if label is None else Review(label=label, line=line, rater=values.pop("rater", None) or None, **values)


def _check_once(decided: Sequence[Review], reading: Reading) -> None:
    known: dict[tuple[str, str | None], Review] = {}
    for review in decided:
        first = known.setdefault((review.id, review.rater), review)
        if first.label != review.label:
            reading.line = review.line
            reading.fault(
                "two_labels",
                f"one rater decides one claim in two ways; the other is in line {first.line}",
                field="label",
                value=shown(review.label),
                expected="one label per claim and rater in a file",
                remedy="keep the one that is meant",
            )
