"""A gate against the baseline: not worse by more than a margin, which the data must show."""

from ragassay.gates.absolute import finite, nothing_to_decide, worst_first
from ragassay.gates.standing import Population, Standing
from ragassay.gates.wording import beside, counted, number
from ragassay.records import Gate, GateResult, Interval
from ragassay.records.comparison import Comparison, Difference


def relative(
    gate: Gate, standing: Standing, people: Population, comparison: Comparison | None, coverage: float
) -> GateResult:
    """Passed if the lower bound of the difference lies above the margin, breached if the upper one lies below it.

    A difference is counted so that more is better. A query of the candidate that failed or could not be judged may
    stand at the worst of its metric: it pulls the lower bound down by as much as it could.
    """
    nothing = nothing_to_decide(standing, coverage) or _not_comparable(standing.choice.id, comparison)
    found = None if comparison is None else _difference(comparison, standing.choice.id, gate.slice)
    if nothing is None and (found is None or found.difference is None or found.n == 0):
        nothing = "no_shared_queries", "the two runs share no query that both measured"
    if nothing is not None or found is None or found.difference is None:
        reason, message = nothing or ("no_shared_queries", "")
        return GateResult(
            gate=gate, outcome="undecided", n=0, coverage=standing.coverage, reason=reason, message=message
        )
    return _decided(gate, standing, people, found)


def _decided(gate: Gate, standing: Standing, people: Population, found: Difference) -> GateResult:
    margin = gate.no_worse_by or 0.0
    low, high = _upwards(found.interval, standing)
    unshown = int(standing.doubtful.sum())
    low = _at_worst(low, unshown, found.n, standing)
    if low is not None and low > -margin:
        outcome, reason, said = "passed", None, f"not worse by more than {number(margin)}: bound {_signed(low, margin)}"
    elif high is not None and high <= -margin:
        outcome, reason, said = "breached", None, f"worse by more than {number(margin)}: bound {_signed(high, margin)}"
    else:
        outcome, reason = "undecided", "failures_decide" if unshown else "too_uncertain"
        said = f"between {_signed(low, margin)} and {_signed(high, margin)}, and -{number(margin)} lies there"
    left_out = f"; {counted(unshown, 'query')} failed or could not be judged" if unshown else ""
    return GateResult(
        gate=gate,
        outcome=outcome,
        value=finite(found.difference),
        interval=(low, high),
        n=found.n,
        coverage=standing.coverage,
        reason=reason,
        message=f"{said}, {counted(found.n, 'pair')}{left_out}",
        queries=() if outcome == "passed" else worst_first(standing, people.queries),
    )


def _not_comparable(metric: str, comparison: Comparison | None) -> tuple[str, str] | None:
    if comparison is None:
        return "no_baseline", "the policy asks for a baseline, and none was given"
    if comparison.override is not None:
        return None
    refusing = [
        each.message for each in comparison.mismatches if each.refuses and (not each.metrics or metric in each.metrics)
    ]
    return ("not_comparable", "; ".join(refusing)) if refusing else None


def _difference(comparison: Comparison, metric: str, label: str | None) -> Difference | None:
    return next((each for each in comparison.differences if (each.metric, each.slice) == (metric, label)), None)


def _upwards(interval: Interval | None, standing: Standing) -> Interval:
    """The interval of the difference, turned so that more is better."""
    low, high = interval or (None, None)
    if standing.choice.metric.direction == "higher":
        return low, high
    return (None if high is None else -high), (None if low is None else -low)


def _at_worst(low: float | None, unshown: int, pairs: int, standing: Standing) -> float | None:
    """The lower bound if every query that was not shown fell as far as its metric lets it.

    One value in [0, 1] moves a mean over n pairs by 2 / n at most, from best to worst. Of what has no bound, or whose
    weight nobody knows, nothing follows.
    """
    if low is None or not unshown:
        return low
    metric = standing.choice.metric
    is_mean = metric.aggregation == "macro" and metric.bounds == (0.0, 1.0)
    return low - 2.0 * unshown / pairs if is_mean else None


def _signed(value: float | None, margin: float) -> str:
    return "no bound" if value is None else f"{'+' if value > 0 else ''}{beside(value, -margin)}"
