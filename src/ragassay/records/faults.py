"""Faults of what people bring, and the exit codes with which the instrument answers."""

from collections.abc import Iterable
from enum import IntEnum

from msgspec import Struct


class Fault(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing wrong with an input: where it stands, what was found, what was expected, how to mend it.

    `line` is the physical line in the file, counted from 1; for tables it is the row as a spreadsheet numbers it.
    """

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    field: str | None = None
    value: str | None = None
    expected: str | None = None
    remedy: str | None = None

    def place(self) -> str:
        """`queries.jsonl:17, relevant[0].grade`, as far as each part is known."""
        where = self.file or ""
        if self.line is not None:
            where = f"{where}:{self.line}" if where else f"line {self.line}"
        return ", ".join(part for part in (where, self.field) if part)

    def __str__(self) -> str:
        parts = [f"{self.place()}: {self.message}" if self.place() else self.message]
        if self.value is not None:
            parts.append(f"found {self.value}")
        if self.expected is not None:
            parts.append(f"expected {self.expected}")
        if self.remedy is not None:
            parts.append(self.remedy)
        return " · ".join(parts)


class FaultyInput(Exception):
    """Every fault of an input at once; nothing was measured.

    The command line answers with exit code 2 and lists `faults`.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class ExitCode(IntEnum):
    """What a command answers to the shell."""

    PASSED = 0
    BREACHED = 1
    FAULTY_INPUT = 2
    UNDECIDED = 3
    NOT_FINISHED = 4
    INTERRUPTED = 130
