"""`ragassay contract`: a pipeline contract before it stands in anybody's way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.cli.runs import folder_of
from ragassay.contract import load_terms
from ragassay.formats.loading import load_corpus
from ragassay.formats.runs import read_run
from ragassay.records import ExitCode, Fault, FaultyInput
from ragassay.reports.trying import render_trial, trial_json
from ragassay.trying import SWEPT, Ask, is_empty, tried

app = App(name="contract", help="Try a pipeline contract on a recorded run: what would it have stopped?")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Beside:
    """What is taken beside the run.

    Parameters
    ----------
    corpus
        The documents with revisions, dates and readers. Without them the filter is not tried.
    judge
        `none`: the context is graded by what the run recorded; `embedded`: by this judge, now.
    store
        The store that knows the run.
    """

    corpus: Path | None = None
    judge: str = "none"
    store: Place = STORE


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Sweeping:
    """Which thresholds are varied.

    Parameters
    ----------
    sweep
        Thresholds to vary: `search`, `context_sufficiency`, `context_relevancy`, or `all`.
    most_false_refusals
        The estimated share of correct answers that a recommended threshold may withhold.
    """

    sweep: Annotated[tuple[str, ...], Parameter(negative=(), consume_multiple=True)] = ()
    most_false_refusals: float = 0.05


@app.command(name="try")
def try_contract(
    contract: Path,
    run: str,
    *,
    beside: Beside = Beside(),
    sweeping: Sweeping = Sweeping(),
    json: Annotated[bool, Parameter(negative=())] = False,
) -> ExitCode:
    """Send the recorded retrievals of a run through a contract: bad answers prevented, and false refusals.

    Parameters
    ----------
    contract
        The contract, a TOML file.
    run
        The run: its folder, its name, its id, the beginning of its id, or a baseline.
    json
        Print one JSON document instead of the tables.
    """
    sweep, limit = sweeping.sweep, sweeping.most_false_refusals
    faults = list(_faults(sweep, limit))
    if faults:
        raise FaultyInput(faults)
    terms, stored = load_terms(contract), read_run(folder_of(run, beside.store))
    documents = None if beside.corpus is None else load_corpus(beside.corpus).documents
    names = SWEPT if "all" in sweep else tuple(dict.fromkeys(sweep))
    trial = tried(stored, terms, documents, Ask(None if beside.judge == "none" else beside.judge, names, limit))
    if json:
        write_json(trial_json(trial))
    else:
        render_trial(trial, console())
    return ExitCode.UNDECIDED if is_empty(trial) else ExitCode.PASSED


def _faults(sweep: Sequence[str], most_false_refusals: float) -> Iterator[Fault]:
    known = (*SWEPT, "all")
    for name in sweep:
        if name not in known:
            yield Fault(
                code="unknown_threshold",
                message="no threshold of this name can be swept",
                field="--sweep",
                value=repr(name[:60]),
                expected=" or ".join(known),
            )
    if not 0 <= most_false_refusals <= 1:
        yield Fault(
            code="bad_number",
            message="no share of queries is that large or small",
            field="--most-false-refusals",
            value=str(most_false_refusals),
            expected="a number from 0 to 1",
        )
