"""Every file format that people bring or take away. Foreign field names live here and nowhere else.

The public names are resolved when first used: who reads a contract in a request path needs no Polars.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_HOMES = {
    "Bundle": "bundle",
    "check_lock": "lock",
    "convert": "conversion",
    "load_answers": "loading",
    "load_corpus": "loading",
    "load_dataset": "loading",
    "write_jsonl": "writing",
    "write_lock": "lock",
    "write_parquet": "writing",
    "write_ragas": "writing",
    "write_trec": "writing",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'ragassay.formats' has no attribute {name!r}")
    return getattr(import_module(f"ragassay.formats.{_HOMES[name]}"), name)
