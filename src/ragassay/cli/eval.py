"""`ragassay eval`: measure recorded answers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ragassay.cli.output import console, write_json
from ragassay.cli.recording import record
from ragassay.formats.calibration import read_calibration
from ragassay.formats.inputs import load
from ragassay.judges.naming import bench_named
from ragassay.records import ExitCode, Ties
from ragassay.reports.document import render_json
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
        `none` for labels and code alone; `embedded`, which works offline and screens; `llm:MODEL@URL` for an
        OpenAI-compatible endpoint.
    calibration
        The file of `ragassay judge calibrate` for this judge.
    """

    judge: str = "none"
    calibration: Path | None = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Output:
    """Where the result goes.

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
    corpus: Path | None = None,
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
    corpus
        The documents with revisions, dates and readers; taken from the dataset's folder where it lies there.
    """
    observed = load(dataset, answers, corpus)
    calibration = None if judging.calibration is None else read_calibration(judging.calibration)
    evaluation = measure(observed, Settings(k=ranking.k, ties=ranking.ties), bench_named(judging.judge, calibration))
    folder = record(evaluation, output.out)
    if output.json:
        write_json(render_json(evaluation.run, evaluation.fractions))
    else:
        render_terminal(evaluation.run, console())
        console().print(f"Run {evaluation.run.id}: {folder / 'report.html'}", markup=False, soft_wrap=True)
    return ExitCode.PASSED
