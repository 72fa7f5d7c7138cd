"""`ragassay cases`: failures that are kept and asked again with every later evaluation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ragassay.causes import KINDS
from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.cli.runs import folder_of
from ragassay.formats.regression import add_case, read_cases, retire_case, unmarked
from ragassay.formats.runs import StoredRun, read_run
from ragassay.matrices.retrieval import context_results
from ragassay.records import (
    Answer,
    CaseKind,
    Cause,
    ExitCode,
    Fault,
    FaultyInput,
    PinnedCase,
    Retired,
    Shown,
)
from ragassay.reports.cases import cases_json, render_cases

Json = Annotated[bool, Parameter(negative=())]
app = App(name="cases", help="Keep failures as cases that every later evaluation asks again.")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Told:
    """What is said of a failure.

    Parameters
    ----------
    kind
        `incident` for what somebody suffered, `regression` for what a version brought.
    cause
        Why it failed; the run says it where this is left out.
    note
        Whatever the next reader should know.
    """

    kind: CaseKind
    cause: str | None = None
    note: str | None = None


@app.command
def add(run: str, query: str, *, dataset: Path, told: Told, store: Place = STORE, json: Json = False) -> ExitCode:
    """Keep a failure: question, gold, answer, passages and cause, in `cases.jsonl` of the dataset's folder.

    Parameters
    ----------
    run
        The run in which it failed: a baseline, its folder, its name, its id, or the beginning of its id.
    query
        The id of the query.
    dataset
        The dataset's folder.
    told
        What is said of it.
    store
        The store that knows the run.
    json
        Print one JSON document instead of the text.
    """
    _check_folder(dataset)
    case = _pinned(read_run(folder_of(run, store)), query, told, _today())
    add_case(dataset, case)
    return _shown([case], json=json)


@app.command(name="list")
def show(dataset: Path, *, json: Json = False) -> ExitCode:
    """List the kept failures of a dataset, the retired ones too.

    Parameters
    ----------
    dataset
        The dataset's folder.
    json
        Print one JSON document instead of the table.
    """
    _check_folder(dataset)
    return _shown(read_cases(dataset), json=json)


@app.command
def retire(case: str, *, dataset: Path, reason: str, json: Json = False) -> ExitCode:
    """Ask a case no longer. It stays in the file, with the reason.

    Parameters
    ----------
    case
        The id that `cases list` shows.
    dataset
        The dataset's folder.
    reason
        Why it need not be asked any more.
    json
        Print one JSON document instead of the text.
    """
    _check_folder(dataset)
    if not reason.strip():
        raise FaultyInput([Fault(code="no_reason", message="a case is retired for a reason", field="reason")])
    retired = Retired(reason=reason, date=_today())
    return _shown([retire_case(dataset, case, retired)], json=json)


def _shown(cases: Sequence[PinnedCase], *, json: bool) -> ExitCode:
    if json:
        write_json(cases_json(cases))
    else:
        render_cases(cases, console())
    return ExitCode.PASSED


def _check_folder(dataset: Path) -> None:
    if not dataset.is_dir():
        message = "cases lie in the folder of a dataset, and this is none"
        raise FaultyInput([Fault(code="no_dataset", message=message, field="dataset", value=str(dataset))])


def _today() -> date:
    return datetime.now(tz=UTC).date()


def _pinned(stored: StoredRun, query: str, told: Told, today: date) -> PinnedCase:
    known = {each.id: each for each in stored.queries}
    if query not in known:
        raise FaultyInput([_unknown("unknown_query", "the run holds no such query", query, list(known))])
    answer = next((each for each in stored.answers if each.query == query), Answer(query=query))
    return PinnedCase(
        id=f"{query}@{stored.run.id}",
        kind=told.kind,
        query=unmarked(known[query]),
        cause=_cause(stored, query, told.cause),
        run=stored.run.id,
        date=today,
        answer=answer.answer,
        error=answer.error,
        passages=tuple(
            Shown(passage=each.passage, document=each.document, revision=each.revision, text=each.text)
            for each in context_results(answer, max(stored.run.card.k))
        ),
        note=told.note,
    )


def _cause(stored: StoredRun, query: str, named: str | None) -> Cause:
    """The cause that a person names, else the run's primary one."""
    failed = next((each for each in stored.run.findings.failed if each.query == query), None)
    found = () if failed is None else (failed.cause, *failed.others)
    if named is None:
        if failed is None:
            message = "the run does not say that this query failed"
            remedy = "name the --cause, if a person found one"
            raise FaultyInput([Fault(code="not_failed", message=message, value=query, remedy=remedy)])
        return failed.cause
    if named not in KINDS:
        raise FaultyInput([_unknown("unknown_cause", "no cause has this name", named, list(KINDS))])
    said = Cause(name=named, stage=KINDS[named].stage, group=KINDS[named].group)
    return next((cause for cause in found if cause.name == named), said)


def _unknown(code: str, message: str, value: str, known: Sequence[str]) -> Fault:
    near = get_close_matches(value, known, n=1)
    return Fault(code=code, message=message, value=value, remedy=f"did you mean {near[0]!r}?" if near else None)
