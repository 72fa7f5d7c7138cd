"""The Python face: the verbs of the line for notebooks, scripts and tests."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from ragassay.decision import Measured, compared, decided
from ragassay.formats.baselines import named_folder
from ragassay.formats.inputs import load
from ragassay.formats.loading import load_dataset
from ragassay.formats.policy import load_policy
from ragassay.formats.runs import read_run
from ragassay.judges.judging import Bench
from ragassay.judges.naming import bench_named
from ragassay.judges.protocol import Judge
from ragassay.judges.together import finished
from ragassay.metrics.slices import is_asked
from ragassay.records import Comparison, Difference, Fault, FaultyInput, Ties
from ragassay.reports.assertion import reasons
from ragassay.reports.notebook import ChangeView, RunView, VerdictView
from ragassay.runner import Settings
from ragassay.runner import evaluate as measure

Named = RunView | str | Path
"""A run: what `evaluate` returned, its folder, or the name of a baseline (`release`, `release@1`)."""


class Undecided(AssertionError):
    """Nobody can tell whether the verdict is passed or breached. Tests that end so are errors, not failures."""


def evaluate(  # noqa: PLR0913 (one for each option of `ragassay eval`)
    dataset: str | Path,
    answers: str | Path | None = None,
    *,
    corpus: str | Path | None = None,
    labels: str | Path | None = None,
    k: Sequence[int] | None = None,
    ties: Ties = "expected",
    judge: Judge | str = "none",
) -> RunView:
    """Measure recorded answers; the result shows itself as a table and answers `run["recall@10"].value`.

    Paths are those of `ragassay eval`. `judge` is a name as on the command line (`none` for labels and code alone), or
    any object that keeps the protocol; `labels` is what people said, and outranks it. Blocks until the run is there, in
    a notebook too. Raises `ragassay.FaultyInput` with every fault of the files.
    """
    beside = (None if path is None else Path(path) for path in (answers, corpus, labels))
    bench = bench_named(judge) if isinstance(judge, str) else Bench(judge)
    settings = Settings(k=None if k is None else tuple(k), ties=ties)
    return RunView(finished(measure(load(Path(dataset), *beside), settings, bench)))


def compare(baseline: Named, run: Named, *, by: Sequence[str] | None = None, override: str | None = None) -> ChangeView:
    """Two runs query by query; the result shows itself: what stands in the way, what changed, who lost.

    `by` names the slices that are kept beside all queries: an axis (`language`), or one of its values (`language=ru`);
    all of them where it is None. P-values are adjusted over every slice, whatever is kept. `override` is the reason for
    comparing in spite of what refuses, and is repeated wherever the result is shown. Raises `ragassay.FaultyInput`.
    """
    before, after = _measured(baseline), _measured(run)
    comparison = compared(before, after, override)
    kept = comparison if by is None else replace(comparison, differences=_kept(comparison, by))
    return ChangeView(kept, before, after)


def decide(policy: str | Path, change: ChangeView | Named) -> VerdictView:
    """The verdict of a policy on a change, or on a run alone: then gates against a baseline stay undecided.

    `policy` is a TOML file or the name of a preset. Raises `ragassay.FaultyInput`.
    """
    terms = load_policy(policy)
    if isinstance(change, ChangeView):
        verdict = decided(terms, change.after, change.before, change.comparison.override)
        return VerdictView(verdict, change.after.run)
    measured = _measured(change)
    return VerdictView(decided(terms, measured), measured.run)


def assert_passes(verdict: VerdictView) -> None:
    """Raises AssertionError where a gate is breached, else `ragassay.Undecided`, which is one too, if nobody can tell.

    The message names every such gate: metric, slice, number, interval, n, what was needed, and the worst queries.
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    if verdict.outcome == "passed":
        return
    failed = AssertionError if verdict.outcome == "breached" else Undecided
    raise failed(reasons(verdict.verdict, verdict.run.summary))


def query_ids(dataset: str | Path) -> tuple[str, ...]:
    """The queries of a dataset in its order, without measuring anything. Raises `ragassay.FaultyInput`."""
    return tuple(query.id for query in load_dataset(Path(dataset)).queries)


def _measured(run: Named) -> Measured:
    if isinstance(run, RunView):
        return run.measured
    return read_run(named_folder(str(run)) or Path(run))


def _kept(comparison: Comparison, by: Sequence[str]) -> tuple[Difference, ...]:
    labels = {each.slice for each in comparison.differences if each.slice is not None}
    unknown = [name for name in by if not any(is_asked(label, (name,)) for label in labels)]
    if unknown and comparison.differences:
        raise FaultyInput([_no_slice(name, sorted(labels)) for name in unknown])
    return tuple(each for each in comparison.differences if each.slice is None or is_asked(each.slice, by))


def _no_slice(name: str, labels: Sequence[str]) -> Fault:
    return Fault(
        code="unknown_slice",
        message="the runs have no such slice",
        field="by",
        value=name,
        expected=f"one of {', '.join(labels)}, or what stands before =",
    )
