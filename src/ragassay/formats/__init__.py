"""Every file format that people bring or take away. Foreign field names live here and nowhere else."""

from ragassay.formats.bundle import Bundle
from ragassay.formats.conversion import convert
from ragassay.formats.loading import load_answers, load_corpus, load_dataset
from ragassay.formats.lock import check_lock, write_lock
from ragassay.formats.writing import write_jsonl, write_parquet, write_ragas, write_trec

__all__ = [
    "Bundle",
    "check_lock",
    "convert",
    "load_answers",
    "load_corpus",
    "load_dataset",
    "write_jsonl",
    "write_lock",
    "write_parquet",
    "write_ragas",
    "write_trec",
]
