"""`ragassay eval`: measure recorded answers."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ragassay.cli.gating import Gating, asked_of, decided, leave
from ragassay.cli.output import console, write_json
from ragassay.cli.recording import REPORT, STORE, Place, record
from ragassay.formats.calibration import read_calibration
from ragassay.formats.inputs import load
from ragassay.judges.naming import bench_named
from ragassay.records import ExitCode, Ties
from ragassay.reports.terminal import render_terminal
from ragassay.runner import Settings
from ragassay.runner import evaluate as measure


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Ranking:
    """How ranked results are read.

    Parameters
    ----------
    k
        Cut-offs for ranked metrics, such as `--k 5 10`. The dataset decides where none is given.
    ties
        How equal scores count: `expected`, the mean over their orders, or `trec`, as trec_eval 9 does.
    """

    k: Annotated[tuple[int, ...] | None, Parameter(negative=(), consume_multiple=True)] = None
    ties: Ties = "expected"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Judging:
    """Who judges claims.

    Parameters
    ----------
    judge
        `none`: labels and code alone; `embedded`: screens offline; `llm:MODEL@URL` or a `.toml`: an endpoint.
    calibration
        The file of `ragassay judge calibrate` for this judge.
    """

    judge: str = "none"
    calibration: Path | None = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Beside:
    """What is known beside queries and answers.

    Parameters
    ----------
    corpus
        The documents with revisions, dates and readers; taken from the dataset's folder where it lies there.
    labels
        What people say of claims, citations, passages, refusals, as `review import` keeps it. It outranks judges.
    store
        The store that knows the baseline by its name or id.
    """

    corpus: Path | None = None
    labels: Path | None = None
    store: Place = STORE


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Output(Gating):
    """Where the result goes, and what it must reach.

    Parameters
    ----------
    out
        The folder for the run. `ragassay-runs/ID` where none is given.
    json
        Print one JSON document instead of the report.
    """

    out: Path | None = None
    json: Annotated[bool, Parameter(negative=())] = False


def evaluate(
    dataset: Path,
    answers: Path | None = None,
    *,
    beside: Beside = Beside(),
    ranking: Ranking = Ranking(),
    judging: Judging = Judging(),
    output: Output = Output(),
) -> ExitCode:
    """Measure recorded answers against a dataset with expert labels.

    Parameters
    ----------
    dataset
        A dataset folder, or a file of queries in any known format.
    answers
        The recorded answers; not needed where the dataset's file or folder holds them.
    """
    gating = asked_of(output, beside.store)
    observed = load(dataset, answers, beside.corpus, beside.labels)
    calibration = None if judging.calibration is None else read_calibration(judging.calibration)
    bench = bench_named(judging.judge, calibration)
    evaluation = asyncio.run(measure(observed, Settings(k=ranking.k, ties=ranking.ties), bench))
    verdict = decided(gating, evaluation)
    folder = record(evaluation, output.out, verdict)
    if output.json:
        write_json((folder / REPORT).read_bytes())
    else:
        render_terminal(evaluation.run, console(), verdict)
        console().print(f"Run {evaluation.run.id}: {folder / 'report.html'}", markup=False, soft_wrap=True)
    return leave(verdict, folder, as_json=output.json)
