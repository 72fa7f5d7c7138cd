"""From any known form to one of the forms that are written."""

from pathlib import Path

from ragassay.formats.folder import is_folder
from ragassay.formats.loading import load_dataset, load_file
from ragassay.formats.reading import Reading
from ragassay.formats.writing import Writer, write_jsonl, write_parquet, write_ragas, write_trec
from ragassay.records import Notice


def convert(source: Path, target: Path) -> tuple[Notice, ...]:
    """Read a file or folder and write it in the form that the target's name asks for.

    A name without suffix is a folder of our own JSON Lines, `name.parquet` a folder of Parquet files, `name.trec` a
    folder with qrels.txt and run.txt, `name.ragas.jsonl` a file of ragas samples. Returns what a reader must know of
    the source and what the target could not hold. Raises `FaultyInput`, also where the target exists already.
    """
    writer = _writer(target)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Reading(target.name).stop("target_exists", "the target is there already", remedy="name a new target")
    bundle = load_dataset(source) if is_folder(source) else load_file(source)
    return (*bundle.notices, *writer(bundle, target))


def _writer(target: Path) -> Writer:
    if target.name.endswith(".ragas.jsonl"):
        return write_ragas
    writers: dict[str, Writer] = {"": write_jsonl, ".parquet": write_parquet, ".trec": write_trec}
    writer = writers.get(target.suffix)
    if writer is None:
        raise Reading(target.name).stop(
            "unknown_target",
            "the name of the target tells no form",
            value=target.suffix,
            expected="a folder, or a name that ends with .parquet, .trec or .ragas.jsonl",
        )
    return writer
