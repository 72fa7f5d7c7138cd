"""What people say of claims: labels in any table that people keep, with every rater's changes of mind."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from ragassay.formats.atomic import replace_file
from ragassay.formats.fields import FALSE, TRUE, Field, Fields, convert, identity, text, texts, words
from ragassay.formats.folder import is_file
from ragassay.formats.reading import Misfit, Reading, Unfit, near_miss, shown
from ragassay.formats.tables import read_table
from ragassay.records import Label, Notice, Verdict
from ragassay.text.normalise import comparable

WORDS: dict[Verdict, tuple[str, ...]] = {
    "supports": (
        *("supports", "supported", "support", "entailment", "entailed", "entails", "completely support", "complete"),
        *("attributable", "grounded", "faithful", "consistent", "correct"),
        *("подтверждается", "подтверждено", "подтверждён", "подтверждает", "следует", "верно"),
    ),
    "contradicts": (
        *("contradicts", "contradicted", "contradiction", "contradictory", "refutes", "refuted", "refute", "conflict"),
        *("противоречит", "противоречие", "опровергается", "опровергнуто", "опровергает"),
    ),
    "neutral": (
        *("neutral", "not entailment", "not entailed", "not supported", "unsupported", "not enough info", "nei"),
        *("irrelevant", "baseless", "unrelated", "partial", "partially support", "partially supported", "incomplete"),
        *("missing", "unverified", "hallucination", "hallucinated", "incorrect"),
        *("нейтрально", "не подтверждается", "не подтверждено", "не следует", "неверно"),
    ),
}
"""What sources call a verdict. Not supported, without saying whether contradicted, is `neutral`."""

UNDECIDED = frozenset({"", "n/a", "na", "none", "no majority", "undecided", "unsure", "unclear", "неясно", "не знаю"})
_VERDICTS: dict[str, Verdict] = {comparable(word): verdict for verdict, known in WORDS.items() for word in known}
_BOOLEAN: dict[str, Verdict] = {**dict.fromkeys(TRUE, "supports"), **dict.fromkeys(FALSE, "neutral")}
_SEPARATORS = re.compile(r"[\s_-]+")


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """Labels as they stand: one per rater and item, the last one given. `superseded` holds the earlier ones, oldest
    first; `undecided` counts rows whose rater has not decided.
    """

    labels: tuple[Label, ...]
    superseded: tuple[Label, ...] = ()
    undecided: int = 0
    notices: tuple[Notice, ...] = ()


def read_labels(path: Path) -> Labelled:
    """Labels from JSON Lines, JSON, CSV, XLSX or Parquet, gzip or not.

    A row has `claim`, `context` (a text or a list), and `label` (a word) or `binary` (supported or not); optional are
    `lang`, `slices`, `rater`, `id`. Where both are given `binary` decides, and `label` may only say more. Rows without
    an id have one made of their texts. Raises `FaultyInput` with all faults.
    """
    reading = Reading(path.name)
    given: list[Label] = []
    undecided = 0
    for line, cells in read_table(path, reading).rows:
        reading.line = line
        try:
            label = _label(reading, cells)
        except Unfit as unfit:
            reading.misfits(unfit)
            continue
        if label is not None and not any(each.strip() for each in label.context):
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
    return Labelled(
        labels=labels, superseded=superseded, undecided=undecided, notices=tuple(reading.notices(tuple(LABEL)))
    )


def current(history: Iterable[Label]) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """What every rater says now, and what was replaced. The history is oldest first.

    The same label given twice in a row is one label, not a change.
    """
    latest: dict[tuple[str | None, str | None], Label] = {}
    superseded: list[Label] = []
    for label in history:
        key = label.rater, label.id
        before = latest.get(key)
        if before is not None and before.label != label.label:
            superseded.append(before)
        latest[key] = label
    return tuple(latest.values()), tuple(superseded)


def write_labels(path: Path, labels: Iterable[Label]) -> None:
    """JSON Lines that `read_labels` reads back without loss."""
    replace_file(path, b"".join(msgspec.json.encode(label) + b"\n" for label in labels))


def read_history(path: Path) -> tuple[Label, ...]:
    """Every label that `write_labels` wrote, oldest first; none where the file is not there.

    Raises `FaultyInput` with every damaged line.
    """
    if not is_file(path):
        return ()
    reading = Reading(path.name)
    history: list[Label] = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        reading.line = number
        try:
            history.append(msgspec.json.decode(line, type=Label))
        except msgspec.MsgspecError as error:
            reading.fault("broken_label", str(error), remedy="restore the file; labels are never dropped")
    reading.raise_faults()
    return tuple(history)


def item_id(claim: str, context: tuple[str, ...]) -> str:
    """An id for a claim beside its context, the same for texts that a reader cannot tell apart."""
    parts = msgspec.json.encode([comparable(part) for part in (claim, *context)])
    return "c-" + hashlib.sha256(parts).hexdigest()[:16]


def verdict_of(value: object) -> Verdict | None:
    """The verdict that a word for a label means; None for one that says undecided. Raises `Unfit` for other words."""
    word = _word(value)
    if word in UNDECIDED:
        return None
    found = _VERDICTS.get(word) or _BOOLEAN.get(word)
    if found is None:
        known = tuple(_VERDICTS)
        meant = near_miss(word, known)
        remedy = f"did you mean {meant}?" if meant else "use one of these words, or add a column binary"
        raise Unfit(
            Misfit(value, "supports, contradicts or neutral, or a usual word for one of them", remedy, ".label")
        )
    return found


def _word(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _SEPARATORS.sub(" ", comparable("" if value is None else str(value))).strip()


def _as_given(_: Reading, value: object) -> object:
    return value


def _wording(reading: Reading, value: object) -> str:
    found = text(reading, value)
    if not found.strip():
        raise Unfit(Misfit(value, "a text that says something"))
    return found


LABEL: Fields = {
    "id": Field("id", identity("item")),
    "claim": Field("claim", _wording),
    "context": Field("context", texts),
    "label": Field("label", _as_given),
    "binary": Field("binary", _as_given),
    "lang": Field("lang", text),
    "slices": Field("slices", words),
    "rater": Field("rater", text),
}


def _label(reading: Reading, cells: Mapping[str, object]) -> Label | None:
    values = convert(reading, cells, LABEL)
    missing = [name for name in ("claim", "context") if name not in values]
    if missing:
        raise Unfit(*(Misfit(None, "a text", "every row needs it", f".{name}") for name in missing))
    word, binary = values.pop("label", None), values.pop("binary", None)
    verdict = _decided(word, _binary(binary), is_given="binary" in cells)
    if verdict is None:
        return None
    values.setdefault("id", item_id(values["claim"], values["context"]))
    return Label(label=verdict, **values)


def _binary(value: object) -> bool | None:
    word = _word(value)
    if word in UNDECIDED:
        return None
    if word not in _BOOLEAN:
        raise Unfit(Misfit(value, "1 where the context supports the claim, else 0", path=".binary"))
    return _BOOLEAN[word] == "supports"


def _decided(word: object, binary: bool | None, *, is_given: bool) -> Verdict | None:
    """`binary` outranks a source's own word; where it is given and says nothing, nobody decided."""
    if not is_given:
        return verdict_of(word)
    if binary is None:
        return None
    said = _VERDICTS.get(_word(word))
    if said is not None and (said == "supports") != binary:
        raise Unfit(
            Misfit(word, f"a label that agrees with binary = {int(binary)}", "correct one of the two", ".label")
        )
    return "supports" if binary else (said or "neutral")


def _check_ids(labels: Iterable[Label], reading: Reading) -> None:
    known: dict[str | None, Label] = {}
    reading.line = None
    for label in labels:
        first = known.setdefault(label.id, label)
        if (first.claim, first.context) != (label.claim, label.context):
            reading.fault(
                "id_names_two",
                "one id stands for two different claims or contexts",
                field="id",
                value=shown(label.id),
                expected="an id of its own for each claim beside its context",
                remedy="rename one, or leave the ids out",
            )
