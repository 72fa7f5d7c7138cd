"""A run is a folder of open formats: `run.json`, the matrices and fractions as Parquet, observations, report.

It is immutable: the same run may be written again, another run never over it.
"""

from collections.abc import Collection, Mapping
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

    `run.json` comes last, so that a folder that has it is whole; one that was left unfinished is finished.

    Raises `FaultyInput` where the folder holds another run or something else.
    """
    files = {
        **{_matrix(name): _parquet(getattr(stored.matrices, name)) for name in SCHEMAS},
        FRACTIONS: _parquet(stored.fractions),
        QUERIES: _lines(stored.queries),
        ANSWERS: _lines(stored.answers),
        **reports,
    }
    _check_target(folder, stored.run.id, files)
    card, content = folder / RUN, msgspec.json.format(msgspec.json.encode(stored.run), indent=1)
    if card.exists() and card.read_bytes() != content:
        card.unlink()  # Measured anew: until all of it is there, nobody should take a part for the whole.
    for name, each in files.items():
        replace_file(folder / name, each)
    replace_file(card, content)


def _check_target(folder: Path, run: str, files: Collection[str]) -> None:
    if not folder.exists():
        return
    if (folder / RUN).is_file():
        if _read_card(folder).id != run:
            raise FaultyInput([_occupied(folder, f"run {_read_card(folder).id}")])
    elif not folder.is_dir() or not _held(folder) <= set(files):
        raise FaultyInput([_occupied(folder, "something that is not a run")])


def _held(folder: Path) -> set[str]:
    """Every file in it by its path, without the hidden ones that a write in progress leaves when it is killed."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return {name for name in names if not name.rpartition("/")[2].startswith(".")}


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
