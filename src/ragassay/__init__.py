"""Tells whether a retrieval-augmented system may be relied on, and shows the evidence behind every number.

The public names are resolved when first used, because numpy, Polars and SciPy take long to load.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragassay.api import Undecided, assert_passes, compare, decide, evaluate
    from ragassay.records import FaultyInput
    from ragassay.retrieval import measure_retrieval

__version__ = "0.1.0"
__all__ = [
    "FaultyInput",
    "Undecided",
    "assert_passes",
    "compare",
    "decide",
    "evaluate",
    "measure_retrieval",
]

_HOMES = {
    "FaultyInput": "ragassay.records",
    "Undecided": "ragassay.api",
    "assert_passes": "ragassay.api",
    "compare": "ragassay.api",
    "decide": "ragassay.api",
    "evaluate": "ragassay.api",
    "measure_retrieval": "ragassay.retrieval",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'ragassay' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
