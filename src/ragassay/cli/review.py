"""`ragassay review`: what people should decide out to them, and their labels back in."""

from pathlib import Path
from typing import Annotated, get_args

import msgspec
from cyclopts import App, Parameter
from cyclopts.validators import Number

from ragassay.cli.output import console, error_console, write_json
from ragassay.formats.labels import write_labels
from ragassay.formats.review import read_reviews, write_queue
from ragassay.formats.runs import read_run
from ragassay.records import ExitCode, Fault, FaultyInput, LabelKind
from ragassay.reports.figures import excerpt, plural
from ragassay.review import Conflict, disputed, keep, labels_of, labels_open, queue, take
from ragassay.review import sample as drawn
from ragassay.text.normalise import visible

KINDS = get_args(LabelKind)
Json = Annotated[bool, Parameter(negative=())]
Size = Annotated[int, Parameter(validator=Number(gte=1))]
app = App(name="review", help="Hand people what they should decide, and take their labels in.")


@app.command(name="export")
def write(run: Path, *, out: Path, sample: Size | None = None, json: Json = False) -> ExitCode:
    """Write what people should decide of a run: claims, citations, passages, refusals; the most consequential first.

    Parameters
    ----------
    run
        The folder of a run.
    out
        The file to write: CSV for a spreadsheet where its name ends so, else JSON Lines. Fill in label and rater.
    sample
        Instead: every claim and citation of so many queries drawn by lot. Labels of 100 correct the judge at a gate.
    json
        Print one JSON document instead of the text.
    """
    if out.exists():
        raise FaultyInput([_exists(out)])
    stored, history = read_run(run), labels_of(run)
    rows = queue(stored, history) if sample is None else drawn(stored, history, sample)
    write_queue(out, rows)
    critical = sum(row.critical for row in rows)
    if json:
        kinds = {kind: sum(row.kind == kind for row in rows) for kind in KINDS}
        write_json(msgspec.json.encode({"items": len(rows), "kinds": kinds, "critical": critical, "file": str(out)}))
    else:
        text = f"{plural(len(rows), 'item', 'items')} to decide, {critical:,} of critical queries: {out}"
        console().print(visible(text), markup=False, soft_wrap=True)
    return ExitCode.PASSED


@app.command(name="import")
def read(run: Path, file: Path, *, json: Json = False) -> ExitCode:
    """Take in the labels of a queue that came back. A later label of the same rater is never overwritten.

    Parameters
    ----------
    run
        The folder of the run that the queue was exported from.
    file
        The queue with label and rater filled in.
    json
        Print one JSON document instead of the text.
    """
    reviews, stored = read_reviews(file), read_run(run)
    with labels_open(run) as history:
        try:
            known = disputed(stored, history, {query.id for query in stored.queries})
            taken = take(known, reviews.decided, history)
        except FaultyInput as faulty:
            raise FaultyInput(msgspec.structs.replace(fault, file=file.name) for fault in faulty.faults) from None
        keep(run, taken.history)
    if json:
        counts = {"accepted": taken.accepted, "repeated": taken.repeated, "open": reviews.open}
        write_json(msgspec.json.encode({**counts, "conflicts": taken.conflicts, "warnings": reviews.notices}))
    else:
        text = f"{plural(taken.accepted, 'label', 'labels')} taken, {taken.repeated:,} known, {reviews.open:,} open"
        console().print(text, markup=False)
        for conflict in taken.conflicts:
            error_console().print(visible(_said(conflict, file)), markup=False)
    return ExitCode.UNDECIDED if taken.conflicts else ExitCode.PASSED


@app.command
def labels(run: Path, *, out: Path, json: Json = False) -> ExitCode:
    """Write the labels that people gave to a run, with every change of mind, for `eval --labels` and `judge check`.

    Parameters
    ----------
    run
        The folder of a run.
    out
        The file to write: CSV or JSON Lines by its name, packed where it ends in `.gz`.
    json
        Print one JSON document instead of the text.
    """
    if out.exists():
        raise FaultyInput([_exists(out)])
    found = labels_of(run)
    write_labels(out, found)
    if json:
        write_json(msgspec.json.encode({"labels": len(found), "file": str(out)}))
    else:
        console().print(visible(f"{plural(len(found), 'label', 'labels')}: {out}"), markup=False, soft_wrap=True)
    return ExitCode.PASSED


def _said(conflict: Conflict, file: Path) -> str:
    return (
        f"{file.name}:{conflict.line}: conflict, not taken: {conflict.rater or 'the rater'} has since said"
        f" {conflict.current}, the file says {conflict.given}: {excerpt(conflict.text)} · export the queue again"
    )


def _exists(out: Path) -> Fault:
    return Fault(
        code="file_exists",
        message="the file is there already and may hold labels",
        file=str(out),
        remedy="choose another --out",
    )
