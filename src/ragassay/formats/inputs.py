"""What one evaluation reads: a dataset, the answers to it, a corpus, and labels, from up to four places."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from ragassay.formats.bundle import Bundle
from ragassay.formats.labels import read_labels
from ragassay.formats.loading import load_answers, load_corpus, load_dataset
from ragassay.records import Fault, FaultyInput

T = TypeVar("T")


def load(dataset: Path, answers: Path | None = None, corpus: Path | None = None, labels: Path | None = None) -> Bundle:
    """Everything to be measured. What is named replaces what lies in the dataset's folder.

    Raises `FaultyInput` with the faults of all files at once.
    """
    faults: list[Fault] = []
    base = _try(lambda: load_dataset(dataset), faults)
    queries = () if base is None else base.queries
    said = None if answers is None else _try(lambda: load_answers(answers, queries), faults)
    kept = None if corpus is None else _try(lambda: load_corpus(corpus), faults)
    labelled = None if labels is None else _try(lambda: _load_labels(labels), faults)
    if base is not None and answers is None and not base.answers:
        faults.append(_no_answers(dataset))
    if faults or base is None:
        raise FaultyInput(faults)
    parts = [part for part in (base, said, kept, labelled) if part is not None]
    return structs.replace(
        base,
        answers=base.answers if said is None else said.answers,
        documents=base.documents if kept is None else kept.documents,
        labels=() if labelled is None else labelled.labels,
        inputs=tuple(name for part in parts for name in part.inputs),
        notices=tuple(notice for part in parts for notice in part.notices),
    )


def _load_labels(path: Path) -> Bundle:
    found = read_labels(path)
    return Bundle(labels=found.labels, notices=found.notices, inputs=(f"{path.name} (labels)",))


def load_to_ask(dataset: Path, corpus: Path | None = None) -> Bundle:
    """What there is to ask: a dataset and a corpus. Answers that lie beside them are left alone.

    Raises `FaultyInput` with the faults of all files at once.
    """
    faults: list[Fault] = []
    base = _try(lambda: load_dataset(dataset), faults)
    kept = None if corpus is None else _try(lambda: load_corpus(corpus), faults)
    if faults or base is None:
        raise FaultyInput(faults)
    parts = [part for part in (base, kept) if part is not None]
    return structs.replace(
        base,
        answers=(),
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
