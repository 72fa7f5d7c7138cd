"""The first sentences of a report: what stands out, and what could not be measured."""

from collections import Counter

from ragassay.records import Run
from ragassay.reports.causes import NOTHING_FAILED, by_cause, meaning
from ragassay.reports.critical import failure
from ragassay.reports.figures import plural
from ragassay.reports.outline import Paragraph, Span, Tone


def headline(run: Run) -> tuple[Paragraph, ...]:
    text, tone = _stands_out(run)
    return Paragraph((Span(text, tone),)), Paragraph((Span(_missing(run)),))


def _stands_out(run: Run) -> tuple[str, Tone]:
    """Failed critical queries come before everything else, then the commonest cause."""
    critical = run.findings.critical
    failed = [result for result in critical if result.passed is False]
    if failed:
        reasons = Counter(failure(name) for result in failed for name in result.failed)
        why = ", ".join(f"{name} {count:,}" for name, count in reasons.most_common())
        return f"{len(failed):,} of {plural(len(critical), 'critical query', 'critical queries')} failed: {why}.", "bad"
    undecided = sum(result.passed is None for result in critical)
    lead = _critical_lead(len(critical), undecided)
    causes = by_cause(run.findings.failed)
    if not causes:
        return f"{lead} {NOTHING_FAILED}", "plain" if undecided or not critical else "good"
    name, queries = max(causes.items(), key=lambda pair: len(pair[1]))
    count = plural(len(queries), "query", "queries")
    return f"{lead} Most often, {meaning(name)}: {count}, {queries[0]} first.", "strong"


NAMED = 4
"""How many unmeasured metrics the headline names."""


def _critical_lead(critical: int, undecided: int) -> str:
    if not critical:
        return "No query is marked critical."
    if undecided:
        return f"No critical query failed, but {undecided:,} of {critical:,} could not be decided."
    return f"All {critical:,} critical queries passed." if critical > 1 else "The one critical query passed."


def _missing(run: Run) -> str:
    families = [name for name in run.not_shown if name not in run.summary.metrics]
    metrics = list(dict.fromkeys(_short(name) for name in run.not_shown if name in run.summary.metrics))
    named = [*families, *metrics[:NAMED], *([f"{len(metrics) - NAMED} more"] if len(metrics) > NAMED else [])]
    errored = sum(estimate.errored > 0 for estimate in run.summary.metrics.values())
    sentences = [
        f"Not measured: {', '.join(named)}." if named else "Everything asked for was measured.",
        f"{plural(errored, 'metric has', 'metrics have')} queries that errored." if errored else "",
        f"Read first: {plural(len(run.notices), 'notice', 'notices')} at the end." if run.notices else "",
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _short(identity: str) -> str:
    """A metric without its cut-off or percentile, so that the headline names it once."""
    return identity.partition("@")[0].partition("(p=")[0]
