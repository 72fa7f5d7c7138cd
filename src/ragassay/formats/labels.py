"""What people say of claims, citations, passages and answers: labels in any table that people keep, with every rater's
changes of mind.
"""

import gzip
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ragassay.formats.atomic import replace_file
from ragassay.formats.cells import csv_bytes, without_guard
from ragassay.formats.fields import Field, Fields, choice, convert, identity, text, texts, words
from ragassay.formats.folder import is_file
from ragassay.formats.label_words import BOOLEAN, STANCES, UNDECIDED, grade_of, kind_of, stance_of, word
from ragassay.formats.reading import Misfit, Reading, Unfit, shown
from ragassay.formats.tables import read_table
from ragassay.records import (
    AnyLabel,
    CitationLabel,
    Label,
    LabelKind,
    Notice,
    PassageLabel,
    RefusalLabel,
    Stance,
)
from ragassay.text.normalise import comparable

L = TypeVar("L", bound=AnyLabel)
_NOT_SUBJECT = ("id", "label", "lang", "slices", "rater")


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """Labels as they stand: one per rater and item, the last one given. `superseded` holds the earlier ones, oldest
    first; `undecided` counts rows whose rater has not decided.
    """

    labels: tuple[AnyLabel, ...]
    superseded: tuple[AnyLabel, ...] = ()
    undecided: int = 0
    notices: tuple[Notice, ...] = ()

    @property
    def claims(self) -> tuple[Label, ...]:
        """Those of claims, on which a judge can be measured."""
        return tuple(label for label in self.labels if isinstance(label, Label))


def read_labels(path: Path) -> Labelled:
    """Labels from JSON Lines, JSON, CSV, XLSX or Parquet, gzip or not.

    `kind` says what a row labels; without it, a claim. A claim has `claim`, `context` (a text or a list), and `label`
    (a word) or `binary` (supported or not), of which `binary` decides where both are given; optional are `lang` and
    `slices`. A citation has `query`, `passage` or `marker`, optional `statement`, and a verdict. A passage has `query`,
    `passage`, and useful or not, or a grade. A refusal has `query`, optional `answer`, and what the answer does. Each
    may have `rater` and `id`; rows without an id have one made of their texts. Raises `FaultyInput` with all faults.
    """
    reading = Reading(path.name)
    given: list[AnyLabel] = []
    undecided = 0
    table = read_table(path, reading)
    for line, cells in table.rows:
        reading.line = line
        try:
            plain = {name: without_guard(cell) for name, cell in cells.items()} if table.form == "CSV" else cells
            label = _label(reading, plain)
        except Unfit as unfit:
            reading.misfits(unfit)
            continue
        if isinstance(label, Label) and not any(each.strip() for each in label.context):
            reading.note("labels_without_context", "rows with an empty context, on which no judge can say anything")
        elif label is None:
            undecided += 1
            reading.note("labels_undecided", "rows without a decision; they are left out")
        else:
            given.append(label)
    _check_ids(given, reading)
    if not given and not reading.faults:
        raise reading.stop("no_labels", "no row has a decided label and a context", expected="label or binary in some")
    reading.raise_faults()
    labels, superseded = current(given)
    if superseded:
        reading.line = None
        message = "labels that the same rater replaced further down; they are history and count nothing"
        reading.note("labels_superseded", message, str(len(superseded)))
    notices = tuple(reading.notices(COLUMNS))
    return Labelled(labels=labels, superseded=superseded, undecided=undecided, notices=notices)


def current(history: Iterable[L]) -> tuple[tuple[L, ...], tuple[L, ...]]:
    """What every rater says now, and what was replaced. The history is oldest first.

    The same label given twice in a row is one label, not a change.
    """
    latest: dict[tuple[str | None, str | None], L] = {}
    superseded: list[L] = []
    for label in history:
        key = label.rater, label.id
        before = latest.get(key)
        if before is not None and before.label != label.label:
            superseded.append(before)
        latest[key] = label
    return tuple(latest.values()), tuple(superseded)


def write_labels(path: Path, labels: Sequence[AnyLabel]) -> None:
    """JSON Lines, or CSV where the name says so, gzip where it ends in `.gz`; `read_labels` reads it without loss."""
    is_packed = path.suffix.lower() == ".gz"
    is_csv = path.with_suffix("").suffix.lower() == ".csv" if is_packed else path.suffix.lower() == ".csv"
    content = _csv(labels) if is_csv else b"".join(msgspec.json.encode(label) + b"\n" for label in labels)
    replace_file(path, gzip.compress(content, mtime=0) if is_packed else content)


def _csv(labels: Sequence[AnyLabel]) -> bytes:
    rows: list[dict[str, object]] = [msgspec.to_builtins(label) for label in labels]
    names = [name for name in COLUMNS if any(name in row for row in rows)]
    return csv_bytes(names, [[row.get(name) for name in names] for row in rows])


def read_history(path: Path) -> tuple[AnyLabel, ...]:
    """Every label that `write_labels` wrote, oldest first; none where the file is not there.

    Raises `FaultyInput` with every damaged line.
    """
    if not is_file(path):
        return ()
    reading = Reading(path.name)
    history: list[AnyLabel] = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        reading.line = number
        try:
            history.append(msgspec.json.decode(line, type=AnyLabel))
        except msgspec.MsgspecError as error:
            reading.fault("broken_label", str(error), remedy="restore the file; labels are never dropped")
    reading.raise_faults()
    return tuple(history)


def item_id(kind: LabelKind, *parts: str) -> str:
    """An id for what a label is about, the same for texts that a reader cannot tell apart."""
    content = msgspec.json.encode([comparable(part) for part in parts])
    return f"{kind}-{hashlib.sha256(content).hexdigest()[:16]}"


def as_given(_: Reading, value: object) -> object:
    """A converter that leaves a cell for later."""
    return value


def _wording(reading: Reading, value: object) -> str:
    found = text(reading, value)
    if not found.strip():
        raise Unfit(Misfit(value, "a text that says something"))
    return found


_KIND: Fields = {"kind": Field("kind", choice("claim", "citation", "passage", "refusal"))}
_OF_ALL: Fields = {
    "id": Field("id", identity("item")),
    "label": Field("label", as_given),
    "rater": Field("rater", text),
}
_OF_QUERY: Fields = {**_OF_ALL, "query": Field("query", identity("query"))}
FIELDS: dict[LabelKind, Fields] = {
    "claim": {
        **_OF_ALL,
        "claim": Field("claim", _wording),
        "context": Field("context", texts),
        "binary": Field("binary", as_given),
        "lang": Field("lang", text),
        "slices": Field("slices", words),
    },
    "citation": {
        **_OF_QUERY,
        "passage": Field("passage", identity("passage")),
        "marker": Field("marker", text),
        "statement": Field("statement", _wording),
    },
    "passage": {**_OF_QUERY, "passage": Field("passage", identity("passage"))},
    "refusal": {**_OF_QUERY, "answer": Field("answer", text)},
}
COLUMNS = ("kind", *dict.fromkeys(name for fields in FIELDS.values() for name in fields))


def _label(reading: Reading, cells: Mapping[str, object]) -> AnyLabel | None:
    """The label of a row; None where its rater has not decided."""
    rest = dict(cells)
    kind: LabelKind = convert(reading, {"kind": rest.pop("kind", None) or "claim"}, _KIND)["kind"]
    values = convert(reading, rest, FIELDS[kind])
    if kind == "claim" and "binary" in cells:
        values.setdefault("binary", "")
    label = _CONVERT[kind](values)
    return None if label is None else with_id(label)


def _claim(values: dict[str, Any]) -> Label | None:
    _require(values, "claim", "context")
    is_given, binary = "binary" in values, _binary(values.pop("binary", None))
    verdict = _decided(values.pop("label", None), binary, is_given=is_given)
    return None if verdict is None else Label(label=verdict, **values)


def _citation(values: dict[str, Any]) -> CitationLabel | None:
    _require(values, "query", *(() if "marker" in values else ("passage",)))
    verdict = stance_of(values.pop("label", None))
    return None if verdict is None else CitationLabel(label=verdict, **values)


def _passage(values: dict[str, Any]) -> PassageLabel | None:
    _require(values, "query", "passage")
    grade = grade_of(values.pop("label", None))
    return None if grade is None else PassageLabel(label=grade, **values)


def _refusal(values: dict[str, Any]) -> RefusalLabel | None:
    _require(values, "query")
    kind = kind_of(values.pop("label", None))
    return None if kind is None else RefusalLabel(label=kind, **values)


_CONVERT: dict[LabelKind, Callable[[dict[str, Any]], AnyLabel | None]] = {
    "claim": _claim,
    "citation": _citation,
    "passage": _passage,
    "refusal": _refusal,
}


def _require(values: Mapping[str, Any], *names: str) -> None:
    missing = [name for name in names if name not in values]
    if missing:
        raise Unfit(*(Misfit(None, "a value", "every row of this kind needs it", f".{name}") for name in missing))


def with_id(label: L) -> L:
    """The label, with an id made of what it is about where it has none."""
    if label.id is not None:
        return label
    return msgspec.structs.replace(label, id=item_id(_kind(label), *_subject(label)))


def _kind(label: AnyLabel) -> LabelKind:
    kind: LabelKind = msgspec.to_builtins(label)["kind"]
    return kind


def _subject(label: AnyLabel) -> tuple[str, ...]:
    """What a label is about, as texts."""
    if isinstance(label, Label):
        return label.claim, *label.context
    parts = {name: value for name, value in msgspec.structs.asdict(label).items() if name not in _NOT_SUBJECT}
    return tuple(f"{name}: {value}" for name, value in parts.items() if value is not None)


def _binary(value: object) -> bool | None:
    said = word(value)
    if said in UNDECIDED:
        return None
    if said not in BOOLEAN:
        raise Unfit(Misfit(value, "1 where the context supports the claim, else 0", path=".binary"))
    return BOOLEAN[said]


def _decided(said: object, binary: bool | None, *, is_given: bool) -> Stance | None:
    """`binary` outranks a source's own word; where it is given and says nothing, nobody decided."""
    if not is_given:
        return stance_of(said)
    if binary is None:
        return None
    verdict = STANCES.get(word(said))
    if verdict is not None and (verdict == "supports") != binary:
        raise Unfit(
            Misfit(said, f"a label that agrees with binary = {int(binary)}", "correct one of the two", ".label")
        )
    return "supports" if binary else (verdict or "neutral")


def _check_ids(labels: Iterable[AnyLabel], reading: Reading) -> None:
    known: dict[str | None, AnyLabel] = {}
    reading.line = None
    for label in labels:
        first = known.setdefault(label.id, label)
        if (_kind(first), _subject(first)) != (_kind(label), _subject(label)):
            reading.fault(
                "id_names_two",
                "one id stands for two different things",
                field="id",
                value=shown(label.id),
                expected="an id of its own for each thing that is labelled",
                remedy="rename one, or leave the ids out",
            )
