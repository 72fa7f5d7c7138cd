"""What one evaluation reads: a dataset, the answers to it, and a corpus, from up to three places."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from ragassay.formats.bundle import Bundle
from ragassay.formats.loading import load_answers, load_corpus, load_dataset
from ragassay.records import Fault, FaultyInput

T = TypeVar("T")


def load(dataset: Path, answers: Path | None = None, corpus: Path | None = None) -> Bundle:
    """Everything to be measured. What is named replaces what lies in the dataset's folder.

    Raises `FaultyInput` with the faults of all files at once.
    """
    faults: list[Fault] = []
    base = _try(lambda: load_dataset(dataset), faults)
    queries = () if base is None else base.queries
    said = None if answers is None else _try(lambda: load_answers(answers, queries), faults)
    kept = None if corpus is None else _try(lambda: load_corpus(corpus), faults)
    if base is not None and answers is None and not base.answers:
        faults.append(_no_answers(dataset))
    if faults or base is None:
        raise FaultyInput(faults)
    parts = [part for part in (base, said, kept) if part is not None]
    return structs.replace(
        base,
        answers=base.answers if said is None else said.answers,
        documents=base.documents if kept is None else kept.documents,
        inputs=tuple(name for part in parts for name in part.inputs),
        notices=tuple(notice for part in parts for notice in part.notices),
    )


def _try(read: Callable[[], T], faults: list[Fault]) -> T | None:
    try:
        return read()
    except FaultyInput as error:
        faults.extend(error.faults)
        return None


def _no_answers(dataset: Path) -> Fault:
    return Fault(
        code="no_answers",
        message="the dataset holds no answers of a system",
        file=dataset.name,
        remedy="name the answers after the dataset: ragassay eval DATASET ANSWERS",
    )
