"""`ragassay stability`: how far repetitions of one run agree."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.cli.runs import folder_of
from ragassay.cli.sides import stored_runs, undefined_metrics
from ragassay.comparison.repetitions import Repetition
from ragassay.comparison.repetitions import stability as measured_stability
from ragassay.metrics.dictionary import find
from ragassay.records import ExitCode, Fault, FaultyInput
from ragassay.reports.stability import render_stability, stability_json


def stability(
    *runs: str,
    metric: Annotated[tuple[str, ...], Parameter(negative=(), consume_multiple=True)] = (),
    threshold: float | None = None,
    store: Place = STORE,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> ExitCode:
    """Set repetitions of one run beside each other, query by query: how often each passes, how far its values spread.

    Parameters
    ----------
    runs
        Two runs and more of the same system on the same queries, as `ragassay run --repetition` makes them; or the same
        answers judged several times.
    metric
        Only these metrics.
    threshold
        From which value a query passes on a share that is not just 0 or 1; up to which, where lower is better.
    store
        The store that knows the runs.
    json
        Print one JSON document instead of the tables.
    """
    faults = list(_faults(runs, metric, threshold))
    if faults:
        raise FaultyInput(faults)
    folders = [folder_of(each, store) for each in runs]
    _check_apart(runs, folders)
    stored = stored_runs([str(each) for each in folders], store)
    repetitions = [Repetition(each.run, each.fractions, each.matrices, each.answers) for each in stored]
    found = measured_stability(repetitions, [find(name).id for name in metric], threshold)
    if json:
        write_json(stability_json(found))
    else:
        render_stability(found, console())
    is_refused = any(each.refuses for each in found.mismatches)
    return ExitCode.UNDECIDED if is_refused else ExitCode.PASSED


def _faults(runs: Sequence[str], metrics: Sequence[str], threshold: float | None) -> Iterator[Fault]:
    if len(runs) < 2:
        yield Fault(
            code="one_repetition",
            message="one run says nothing of its repetitions",
            value=", ".join(runs) or None,
            expected="two runs and more",
            remedy="ask again with `ragassay run … --repetition 2`",
        )
    if threshold is not None and not 0 <= threshold <= 1:
        yield Fault(
            code="bad_number",
            message="no share passes there",
            field="--threshold",
            value=str(threshold),
            expected="a number from 0 to 1",
        )
    yield from undefined_metrics(metrics)


def _check_apart(runs: Sequence[str], folders: Sequence[Path]) -> None:
    """A run beside itself would agree in everything."""
    places = [folder.resolve() for folder in folders]
    twice = dict.fromkeys(name for name, place in zip(runs, places, strict=True) if places.count(place) > 1)
    if twice:
        remedy = "name each repetition once"
        raise FaultyInput(
            [Fault(code="same_run", message="the same run is named twice", value=", ".join(twice), remedy=remedy)]
        )
