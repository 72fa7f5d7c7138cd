"""Several runs, read to be set beside each other."""

from collections.abc import Iterator, Sequence

from ragassay.cli.runs import folder_of
from ragassay.comparison import Side
from ragassay.formats.runs import StoredRun, read_run
from ragassay.metrics.dictionary import find
from ragassay.records import Fault, FaultyInput


def stored_runs(runs: Sequence[str], store: str) -> list[StoredRun]:
    """The runs that are meant. Raises `FaultyInput` where one is not there, or has metrics that are not known here."""
    stored = [read_run(folder_of(each, store)) for each in runs]
    faults = [fault for name, each in zip(runs, stored, strict=True) for fault in _unknown(name, each)]
    if faults:
        raise FaultyInput(faults)
    return stored


def undefined_metrics(names: Sequence[str]) -> Iterator[Fault]:
    """What `--metric` names and the dictionary does not define."""
    for name in names:
        try:
            find(name)
        except ValueError as error:
            yield Fault(code="unknown_metric", message=str(error), field="--metric", value=name)


def side_of(stored: StoredRun) -> Side:
    return Side(stored.run, stored.fractions, stored.matrices.queries)


def _unknown(name: str, stored: StoredRun) -> list[Fault]:
    for identity in stored.fractions["metric"].unique(maintain_order=True):
        try:
            find(identity)
        except ValueError as error:
            return [_of_another_version(name, str(error))]
    return []


def _of_another_version(name: str, found: str) -> Fault:
    return Fault(
        code="not_comparable",
        message="this run was measured by another version of this instrument",
        file=name,
        value=found,
        remedy="measure it again from its recorded answers",
    )
