"""Which files of a folder belong to a dataset."""

from pathlib import Path

from ragassay.formats.card import CARD_NAME
from ragassay.formats.reading import Reading

SUFFIXES = ("jsonl", "json", "csv", "tsv", "xlsx", "parquet", "trec", "txt")
CASES_NAME = "cases.jsonl"
"""Failures that are kept and asked again."""

ROLES = ("queries", "qrels", "answers", "run", "corpus")


def is_folder(path: Path) -> bool:
    """Whether a folder is there; a path that the system refuses is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether a file is there; a path that the system refuses is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def member(folder: Path, role: str) -> Path | None:
    """The file of a role, such as `queries.csv` or `queries.jsonl.gz`. Two of one role raise `FaultyInput`."""
    names = [f"{role}.{suffix}{packed}" for suffix in SUFFIXES for packed in ("", ".gz")]
    found = [folder / name for name in names if is_file(folder / name)]
    if len(found) > 1:
        raise Reading(folder.name).stop(
            "ambiguous_folder",
            f"the folder holds several files of {role}",
            value=", ".join(path.name for path in found),
            expected="one of them",
            remedy="remove the others, or name the file itself",
        )
    return found[0] if found else None


def split(folder: Path) -> Path | None:
    """The judgements of the test split in the layout of BEIR, or of the only split there is."""
    splits = sorted((folder / "qrels").glob("*.tsv*")) if is_folder(folder / "qrels") else []
    tests = [path for path in splits if path.name.split(".")[0] == "test"]
    if len(splits) > 1 and not tests:
        raise Reading(folder.name).stop(
            "ambiguous_folder",
            "several splits and none of them is called test",
            value=", ".join(path.name for path in splits),
            expected="qrels/test.tsv",
            remedy="leave one file in qrels",
        )
    return (tests or splits or [None])[0]


def data_files(folder: Path) -> list[Path]:
    """The card and the files that decide what is measured: queries, judgements, corpus and kept failures, but no
    answers.
    """
    roles = (member(folder, role) for role in ("queries", "qrels", "corpus"))
    paths = [folder / CARD_NAME, *roles, split(folder), folder / CASES_NAME]
    return [path for path in paths if path is not None and is_file(path)]
