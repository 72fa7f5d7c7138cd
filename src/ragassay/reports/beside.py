"""Several runs side by side: the same metrics, each with its interval and n. No difference is claimed."""

from collections.abc import Mapping

from ragassay.records import Run
from ragassay.reports.blocks import headlines
from ragassay.reports.causes import by_cause
from ragassay.reports.figures import UNDEFINED, figure, interval, words
from ragassay.reports.outline import Column, Section, Span, Table, code, said


def beside(runs: Mapping[str, Run]) -> Section:
    """Headline metrics and causes of failure, a column for each run."""
    names = dict.fromkeys(name for run in runs.values() for name in headlines(run))
    causes = by_cause([each for run in runs.values() for each in run.findings.failed])
    metrics = tuple((code(name), *(_estimate(run, name) for run in runs.values())) for name in names)
    broken = tuple((Span(words(name)), *(_count(run, name) for run in runs.values())) for name in causes)
    heads = tuple(Column(label, "right") for label in runs)
    return Section(
        "Side by side",
        (
            Table("Value, interval, n", (Column("metric"), *heads), metrics),
            Table("Failed queries by primary cause", (Column("cause"), *heads), broken),
            said("Intervals of one run; whether two runs differ is a paired question.", "muted"),
        ),
    )


def _estimate(run: Run, name: str) -> Span:
    estimate, metric = run.summary.metrics.get(name), headlines(run).get(name)
    if estimate is None or estimate.value is None:
        return Span(UNDEFINED, "muted")
    return Span(f"{figure(metric, estimate.value)}  {interval(metric, estimate.interval)}  n {estimate.n:,}")


def _count(run: Run, cause: str) -> Span:
    count = sum(each.cause.name == cause for each in run.findings.failed)
    return Span(f"{count:,}", "strong" if count else "muted")
