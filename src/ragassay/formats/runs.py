"""A run is a folder of open formats: `run.json`, the matrices and fractions as Parquet, observations, report.

It is immutable: the same run may be written again, another run never over it.
"""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import msgspec
import polars as pl

from ragassay.formats.atomic import replace_file
from ragassay.matrices import SCHEMAS, Matrices
from ragassay.records import Answer, Fault, FaultyInput, Query, Run

RUN, FRACTIONS = "run.json", "fractions.parquet"
QUERIES, ANSWERS = "observations/queries.jsonl", "observations/answers.jsonl"


class StoredRun(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a run folder holds, save for the rendered reports."""

    run: Run
    matrices: Matrices
    fractions: pl.DataFrame
    queries: tuple[Query, ...]
    answers: tuple[Answer, ...]


def write_run(folder: Path, stored: StoredRun, reports: Mapping[str, bytes]) -> None:
    """Write a run and its rendered reports (file name → content).

    `run.json` comes last, so that a folder that has it is whole.

    Raises `FaultyInput` where the folder holds another run or something else.
    """
    _check_target(folder, stored.run.id)
    for name in SCHEMAS:
        replace_file(folder / _matrix(name), _parquet(getattr(stored.matrices, name)))
    replace_file(folder / FRACTIONS, _parquet(stored.fractions))
    replace_file(folder / QUERIES, _lines(stored.queries))
    replace_file(folder / ANSWERS, _lines(stored.answers))
    for name, content in reports.items():
        replace_file(folder / name, content)
    replace_file(folder / RUN, msgspec.json.format(msgspec.json.encode(stored.run), indent=1))


def _check_target(folder: Path, run: str) -> None:
    if not folder.exists():
        return
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / RUN).is_file()):
        raise FaultyInput([_occupied(folder, "something that is not a run")])
    if (folder / RUN).is_file() and _read_card(folder).id != run:
        raise FaultyInput([_occupied(folder, f"run {_read_card(folder).id}")])


def _occupied(folder: Path, by: str) -> Fault:
    return Fault(
        code="run_exists",
        message=f"the folder holds {by}; a run is never written over another",
        file=str(folder),
        expected="an empty or a new folder",
        remedy="choose another --out",
    )


def _matrix(name: str) -> str:
    return f"matrices/{name}.parquet"


def _parquet(frame: pl.DataFrame) -> bytes:
    stream = BytesIO()
    frame.write_parquet(stream, compression="zstd")
    return stream.getvalue()


def _lines(records: tuple[Query, ...] | tuple[Answer, ...]) -> bytes:
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


def read_run(folder: Path) -> StoredRun:
    """Read a run folder back. Raises `FaultyInput` where it is not one, or where a part of it is damaged."""
    run = _read_card(folder)
    try:
        return StoredRun(
            run=run,
            matrices=Matrices(**{name: pl.read_parquet(folder / _matrix(name)) for name in SCHEMAS}),
            fractions=pl.read_parquet(folder / FRACTIONS),
            queries=tuple(msgspec.json.decode(line, type=Query) for line in _read_lines(folder / QUERIES)),
            answers=tuple(msgspec.json.decode(line, type=Answer) for line in _read_lines(folder / ANSWERS)),
        )
    except (OSError, pl.exceptions.PolarsError, msgspec.MsgspecError) as error:
        raise FaultyInput([_damaged(folder, str(error))]) from error


def _read_lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().split(b"\n") if line]


def _read_card(folder: Path) -> Run:
    path = folder / RUN
    try:
        return msgspec.json.decode(path.read_bytes(), type=Run)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FaultyInput([_no_run(folder)]) from error
    except (OSError, msgspec.MsgspecError) as error:
        raise FaultyInput([_damaged(path, str(error))]) from error


def _no_run(folder: Path) -> Fault:
    return Fault(
        code="not_a_run",
        message="this is not a run folder",
        file=str(folder),
        expected=f"a folder with {RUN}",
        remedy="`ragassay eval` prints the folder that it wrote",
    )


def _damaged(path: Path, found: str) -> Fault:
    return Fault(
        code="run_damaged",
        message="a part of this run cannot be read",
        file=str(path),
        value=found.splitlines()[0] if found else None,
        remedy="measure again from the same input; the same run results",
    )
