"""`ragassay dataset`: what is wrong with a dataset, pinning it, and how many queries a difference needs."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.cli.sides import side_of, stored_runs, undefined_metrics
from ragassay.comparison.planning import plan
from ragassay.formats.folder import is_folder
from ragassay.formats.inputs import load_to_ask
from ragassay.formats.lock import write_lock
from ragassay.metrics.dictionary import find
from ragassay.metrics.slices import slices
from ragassay.records import ExitCode, Fault, FaultyInput
from ragassay.records.planning import Wanted
from ragassay.reports.dataset import Linted, lint_json, lock_json, render_lint
from ragassay.reports.planning import plan_json, render_plan
from ragassay.runner import Settings, measure

Json = Annotated[bool, Parameter(negative=())]
Names = Annotated[tuple[str, ...], Parameter(negative=(), consume_multiple=True)]
app = App(name="dataset", help="Check a dataset, pin it, and say how many queries a difference needs.")

SPOILING = frozenset(
    (
        *("duplicate_questions", "conflicting_gold", "refusal_with_gold", "quota_not_met", "lock_mismatch"),
        *("gold_not_in_corpus", "gold_not_readable", "gold_not_in_force", "no_question", "repeated_gold"),
    )
)
"""Findings with which a number measured on the dataset would mislead; all others say how its files were read."""
UNASKED = "missing_in_run"
"""What measuring says of every query that nobody answered: here, of all."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Wish:
    """What the next comparison should show.

    Parameters
    ----------
    difference
        The smallest difference that matters: 0.05 is five points of a share; of other metrics it is in their unit.
    power
        The chance with which a comparison should show it.
    metric
        Only these metrics.
    by
        Slices to plan too: an axis such as `language`, or one slice such as `language=ru`.
    """

    difference: float = 0.05
    power: float = 0.8
    metric: Names = ()
    by: Names = ()


@app.command(name="plan")
def plan_queries(
    run: str, other: str | None = None, *, wish: Wish = Wish(), store: Place = STORE, json: Json = False
) -> ExitCode:
    """Say how many queries a difference needs, and what the present ones can show.

    Parameters
    ----------
    run
        A run: its folder, its name, its id, the beginning of its id, or a baseline.
    other
        A run of another version on the same queries: then the pairs are observed, not assumed.
    wish
        What the next comparison should show.
    store
        The store that knows the runs.
    json
        Print one JSON document instead of the tables.
    """
    faults = list(_impossible(wish))
    if faults:
        raise FaultyInput(faults)
    stored = stored_runs([each for each in (run, other) if each is not None], store)
    wanted = Wanted(difference=wish.difference, power=wish.power, alpha=1 - stored[-1].run.card.level)
    found = plan([side_of(each) for each in stored], wanted, [find(name).id for name in wish.metric], wish.by)
    if json:
        write_json(plan_json(found))
    else:
        render_plan(found, console())
    is_refused = any(each.refuses and not each.metrics for each in found.mismatches)
    return ExitCode.UNDECIDED if is_refused else ExitCode.PASSED


@app.command
def lint(dataset: Path, *, corpus: Path | None = None, json: Json = False) -> ExitCode:
    """Look for what would spoil a measurement: exit code 0 where nothing does, 1 where something does.

    Parameters
    ----------
    dataset
        A dataset folder, or a file of queries in any known format.
    corpus
        The documents; taken from the dataset's folder where they lie there.
    json
        Print one JSON document instead of the tables.
    """
    measured = measure(load_to_ask(dataset, corpus), Settings(metrics=()))
    found = [each for each in measured.run.notices if each.code != UNASKED]
    queries = measured.matrices.queries
    refused = queries["answerable"].eq_missing(other=False)
    linted = Linted(
        queries=len(queries),
        unlabelled=int((~queries["labelled"] & ~refused).sum()),
        spoiling=[each for each in found if each.code in SPOILING],
        others=[each for each in found if each.code not in SPOILING],
        slices={label: int(members.sum()) for label, members in slices(queries).items()},
        origins=measured.run.findings.origins,
    )
    if json:
        write_json(lint_json(linted))
    else:
        render_lint(linted, console())
    return ExitCode.BREACHED if linted.spoiling else ExitCode.PASSED


@app.command
def lock(dataset: Path, *, json: Json = False) -> ExitCode:
    """Pin the files of a dataset folder as they are now, in its `dataset.lock`. Every later evaluation says what
    differs from it.

    Parameters
    ----------
    dataset
        The dataset's folder.
    json
        Print one JSON document instead of the text.
    """
    if not is_folder(dataset):
        raise FaultyInput([_no_folder(dataset)])
    load_to_ask(dataset)
    path = write_lock(dataset)
    if json:
        write_json(lock_json(path))
    else:
        console().print(f"Locked: {path}", markup=False, soft_wrap=True)
    return ExitCode.PASSED


def _impossible(wish: Wish) -> Iterator[Fault]:
    if not (math.isfinite(wish.difference) and wish.difference > 0):
        yield _bad_number("--difference", wish.difference, "a number above 0")
    if not 0 < wish.power < 1:
        yield _bad_number("--power", wish.power, "a share between 0 and 1")
    yield from undefined_metrics(wish.metric)


def _bad_number(field: str, value: float, expected: str) -> Fault:
    return Fault(code="bad_number", message="this cannot be planned", field=field, value=str(value), expected=expected)


def _no_folder(dataset: Path) -> Fault:
    return Fault(
        code="no_folder",
        message="only a folder can be locked",
        file=str(dataset),
        expected="a dataset folder",
        remedy="put the files into a folder, the queries as queries.jsonl",
    )
