"""The protocol of reading one file: where we are, what is wrong, what a reader must know."""

from collections.abc import Sequence
from typing import NamedTuple, TypedDict, Unpack

from rapidfuzz import process
from rapidfuzz.distance import OSA

from ragassay.records import Fault, FaultyInput, Notice
from ragassay.text.normalise import identifier

SAMPLES = 5
SHOWN = 60
NEAR = 0.7


class Misfit(NamedTuple):
    """A value that its field cannot take. `path` leads from the field into the value: `[0].grade`."""

    value: object
    expected: str
    remedy: str | None = None
    path: str = ""


class Unfit(Exception):
    """Raised by a converter; carries every misfit of the value."""

    def __init__(self, *misfits: Misfit) -> None:
        self.misfits = misfits
        super().__init__(*misfits)


class Details(TypedDict, total=False):
    """The optional parts of a fault."""

    field: str | None
    value: str | None
    expected: str | None
    remedy: str | None


class Reading:
    """Collects the faults and notices of one file. `line` is the row being read."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.line: int | None = None
        self.faults: list[Fault] = []
        self._notes: dict[str, tuple[str, list[str]]] = {}
        self._unknown: dict[str, list[int | None]] = {}
        self._ids: dict[tuple[str, object], str] = {}
        self._spellings: dict[tuple[str, str], str] = {}

    def fault(self, code: str, message: str, **details: Unpack[Details]) -> None:
        """Add a fault at the current line."""
        self.faults.append(Fault(code=code, message=message, file=self.file, line=self.line, **details))

    def stop(self, code: str, message: str, **details: Unpack[Details]) -> FaultyInput:
        """The exception to raise where nothing further can be read; it carries the earlier faults too."""
        self.fault(code, message, **details)
        return FaultyInput(self.faults)

    def misfits(self, unfit: Unfit) -> None:
        """Add a fault for every misfit of a row."""
        for misfit in unfit.misfits:
            self.fault(
                "bad_value",
                "unusable value",
                field=misfit.path.removeprefix(".") or None,
                value=shown(misfit.value),
                expected=misfit.expected,
                remedy=misfit.remedy,
            )

    def unknown_key(self, key: str, known: Sequence[str], path: str = "") -> None:
        """A key of a TOML file that nothing reads; `path` leads to its table: `search.thresholds.`."""
        meant = near_miss(key, tuple(known))
        self.fault(
            "unknown_key",
            "unknown key",
            field=path + shown(key).strip("'\""),
            expected="one of " + ", ".join(known),
            remedy=f"did you mean {meant}?" if meant else "remove it",
        )

    def raise_faults(self) -> None:
        """Raises `FaultyInput` with all faults so far, if there are any."""
        if self.faults:
            raise FaultyInput(self.faults)

    def note(self, code: str, message: str, sample: str | None = None) -> None:
        """Count one occurrence of something a reader must know."""
        place = f"line {self.line}" if self.line is not None else self.file
        self._notes.setdefault(code, (message, []))[1].append(sample or place)

    def unknown(self, field: str) -> None:
        """Count one unread value."""
        self._unknown.setdefault(field, []).append(self.line)

    def notices(self, known: tuple[str, ...] = ()) -> list[Notice]:
        """Everything noted; `known` are the field names among which near misses are looked for."""
        notices = [
            Notice(code=code, count=len(places), message=f"{self.file}: {message}", samples=tuple(places[:SAMPLES]))
            for code, (message, places) in self._notes.items()
        ]
        if self._unknown:
            samples = tuple(self._unread(field, known) for field in self._unknown)
            message = f"{self.file}: fields that were not read"
            notices.append(Notice(code="unknown_fields", count=len(self._unknown), message=message, samples=samples))
        return notices

    def _unread(self, field: str, known: tuple[str, ...]) -> str:
        lines = self._unknown[field]
        meant = near_miss(field.rpartition(".")[2], known)
        hint = f"; did you mean {meant}?" if meant else ""
        return f"{clipped(field)} ({len(lines)} rows, first at line {lines[0]}{hint})"

    def identify(self, kind: str, value: object) -> str:
        """The id as text. `kind` is its name space; two spellings that become one id are a fault."""
        key = (kind, value) if isinstance(value, str) else (kind, f"{type(value).__name__} {value!r}")
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = self._identified(kind, value)
        return known

    def _identified(self, kind: str, value: object) -> str:
        try:
            identity = identifier(value)
        except ValueError as error:
            raise Unfit(Misfit(value, "an id: text or a whole number", str(error))) from None
        if isinstance(value, str) and not value.isascii():
            spelling = self._spellings.setdefault((kind, identity), value.strip())
            if spelling != value.strip():
                self.fault(
                    "ids_collapse",
                    f"two {kind} ids differ only in their Unicode form and become one",
                    field=kind,
                    value=f"{spelling!a} and {value.strip()!a}",
                    expected="one spelling of an id throughout the file",
                    remedy="rename one of them, or write both in Unicode normal form C",
                )
        return identity


def shown(value: object) -> str:
    """The value as a fault shows it: quoted, on one line, not too long."""
    return clipped(repr(value[: 2 * SHOWN] if isinstance(value, str | bytes) else value))


def clipped(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def near_miss(name: str, known: tuple[str, ...]) -> str | None:
    """The known name that this one probably meant."""
    if name in known:
        return None
    found = process.extractOne(name[:SHOWN].casefold(), known, scorer=OSA.normalized_similarity, score_cutoff=NEAR)
    return found[0] if found else None
