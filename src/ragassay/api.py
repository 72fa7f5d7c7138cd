"""The Python face: the verbs of the line for notebooks and scripts."""

from collections.abc import Sequence
from pathlib import Path

from ragassay.formats.inputs import load
from ragassay.judges.judging import Bench
from ragassay.judges.naming import bench_named
from ragassay.judges.protocol import Judge
from ragassay.judges.together import finished
from ragassay.records import Ties
from ragassay.reports.notebook import RunView
from ragassay.runner import Settings
from ragassay.runner import evaluate as measure


def evaluate(
    dataset: str | Path,
    answers: str | Path | None = None,
    *,
    corpus: str | Path | None = None,
    k: Sequence[int] | None = None,
    ties: Ties = "expected",
    judge: Judge | str = "none",
) -> RunView:
    """Measure recorded answers; the result shows itself as a table and answers `run["recall@10"].value`.

    Paths are those of `ragassay eval`. `judge` is a name as on the command line (`none` for labels and code alone), or
    any object that keeps the protocol. Blocks until the run is there, in a notebook too. Raises `ragassay.FaultyInput`
    with every fault of the files.
    """
    paths = (Path(dataset), None if answers is None else Path(answers), None if corpus is None else Path(corpus))
    bench = bench_named(judge) if isinstance(judge, str) else Bench(judge)
    evaluation = finished(measure(load(*paths), Settings(k=None if k is None else tuple(k), ties=ties), bench))
    return RunView(evaluation.run, evaluation.fractions)
