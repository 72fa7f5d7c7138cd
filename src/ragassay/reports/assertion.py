"""Why a verdict did not pass, as the message of a failed assertion."""

from ragassay.metrics.dictionary import find
from ragassay.records import Gate, GateResult, Interval, Summary
from ragassay.records.verdict import Verdict
from ragassay.reports.figures import definition, figure, interval, plural, words
from ragassay.reports.gates import name
from ragassay.text.normalise import visible

NAMED = 10
"""Queries of one gate that a message lists."""


def reasons(verdict: Verdict, summary: Summary) -> str:
    """Every gate that is breached or undecided, breached ones first: number, interval, n, what was needed, the worst
    queries, and why nobody can tell. Nothing that came from data can control a terminal.

    A gate on the estimate has no interval of its own; then it is that of the run's `summary`.
    """
    kinds = [[each for each in verdict.gates if each.outcome == outcome] for outcome in ("breached", "undecided")]
    counts = " and ".join(f"{plural(len(found), 'gate', 'gates')} {found[0].outcome}" for found in kinds if found)
    head = f"{verdict.outcome}: {counts or 'nothing was gated'}; policy {verdict.policy}, run {verdict.run}"
    beside = f", baseline {verdict.baseline}" if verdict.baseline else ""
    lines = [line for found in kinds for each in found for line in _gate(each, summary)]
    return "\n".join(visible(line) for line in (head + beside, *lines, *verdict.flags))


def _gate(result: GateResult, summary: Summary) -> list[str]:
    metric = definition(result.gate.metric)
    numbers = [figure(metric, result.value)] if result.value is not None else []
    ends = result.interval or _interval(result.gate, summary)
    if ends is not None:
        numbers.append(f"interval {interval(metric, ends)}")
    numbers.append(f"n = {result.n:,}")
    why = f" ({words(result.reason)})" if result.reason else ""
    lines = [
        f"- {name(result.gate)}: {result.outcome}{why}: {', '.join(numbers)}; {_needed(result.gate)}",
        f"  {result.message}",
    ]
    if result.queries:
        rest = len(result.queries) - NAMED
        more = f" and {rest:,} more" if rest > 0 else ""
        lines.append(f"  look at: {', '.join(result.queries[:NAMED])}{more}")
    return lines


def _interval(gate: Gate, summary: Summary) -> Interval | None:
    """The interval of the run for an absolute gate; a difference has none but its own."""
    if gate.no_worse_by is not None or definition(gate.metric) is None:
        return None
    estimates = summary.metrics if gate.slice is None else summary.slices.get(gate.slice, {})
    estimate = estimates.get(find(gate.metric).id)
    return None if estimate is None else estimate.interval


def _needed(gate: Gate) -> str:
    metric = definition(gate.metric)
    if gate.no_worse_by is not None:
        return f"needs: not worse than the baseline by more than {figure(metric, gate.no_worse_by)}"
    if gate.threshold is None:
        return "needs: to be measured"
    is_upper = gate.at_most is not None or (
        gate.at_least is None and metric is not None and metric.direction == "lower"
    )
    on = " on the bound" if gate.on == "bound" else ""
    return f"needs: {'at most' if is_upper else 'at least'} {figure(metric, gate.threshold)}{on}"
