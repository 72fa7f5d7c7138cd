"""`ragassay convert`: between formats."""

from pathlib import Path

from ragassay.cli.output import error_console
from ragassay.formats.conversion import convert as convert_files
from ragassay.records import ExitCode
from ragassay.text.normalise import visible


def convert(source: Path, target: Path) -> ExitCode:
    """Convert a dataset or a file between formats, and say what was lost on the way.

    Parameters
    ----------
    source
        A dataset folder or a file in any known format.
    target
        Where to write: a folder for our own JSONL, or a name that tells the format, such as `x.parquet`.
    """
    for notice in convert_files(source, target):
        error_console().print(visible(f"{notice.code} ({notice.count}): {notice.message}"), markup=False)
    error_console().print(visible(f"written: {target}"), markup=False)
    return ExitCode.PASSED
