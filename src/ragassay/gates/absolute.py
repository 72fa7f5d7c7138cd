"""A gate with a threshold on one run."""

import math
from collections.abc import Sequence

import numpy as np

from ragassay.gates.correcting import Correction, correct
from ragassay.gates.ends import EDGE, Ends, aggregate, ends
from ragassay.gates.standing import HEAVIEST, Standing
from ragassay.gates.wording import beside, counted, named, number, share
from ragassay.metrics.aggregation import Sampling
from ragassay.metrics.sides import Sides
from ragassay.records import Gate, GateResult, Outcome
from ragassay.records.measurement import Corrected
from ragassay.statistics.corrected import Uncorrected

WORST_FIRST = 10
"""How many queries a result names."""


def absolute(
    gate: Gate,
    standing: Standing,
    queries: Sequence[str],
    coverage: float,
    sampling: Sampling,
    sides: Sides | None = None,
) -> GateResult:
    """Passed if the threshold is reached even at the worst, breached if it is missed even at the best, else undecided.

    `queries` are ids in the order of the fractions; `coverage` is the floor of the policy. `sides` is what judge and
    people say apart; where people labelled enough, the corrected estimate decides, else the marks say why it does not.
    """
    nothing = nothing_to_decide(standing, coverage)
    if nothing is not None:
        return _undecided(gate, standing, *nothing)
    on_bound = gate.on == "bound"
    correction = correct(standing, sides, sampling.level, on_bound=on_bound)
    found = correction.found if isinstance(correction, Correction) else None
    both = correction.ends if isinstance(correction, Correction) else ends(standing, sampling, on_bound=on_bound)
    threshold = gate.threshold if gate.threshold is not None else math.nan
    outcome = _outcome(both, threshold)
    return GateResult(
        gate=gate,
        outcome=outcome,
        value=_plain(standing),
        worst=finite(both.worst.value),
        best=finite(both.best.value),
        interval=_interval(both),
        n=standing.n,
        coverage=standing.coverage,
        corrected=found,
        target_reached=_target(gate, both),
        reason=_reason(standing, both, outcome),
        message=_message(gate, standing, both, outcome) + (f"; {_said(found)}" if found else ""),
        marks=(correction.reason,) if isinstance(correction, Uncorrected) else (),
        queries=() if outcome == "passed" else worst_first(standing, queries),
    )


def _undecided(gate: Gate, standing: Standing, reason: str, message: str) -> GateResult:
    return GateResult(
        gate=gate,
        outcome="undecided",
        value=_plain(standing),
        n=standing.n,
        coverage=standing.coverage,
        reason=reason,
        message=message,
    )


def _plain(standing: Standing) -> float | None:
    return finite(aggregate(standing.choice, standing.plain_at_gate, None).value)


def nothing_to_decide(standing: Standing, floor: float) -> tuple[str, str] | None:
    """(reason, message) where no value can decide: nobody was asked, nothing was measured, or too little."""
    plain, known = standing.plain_at_gate, standing.coverage
    if not standing.n and not standing.undefined:
        return "no_rows", "there is no query to measure it on"
    if not plain.defined.any():
        is_error = any(name.startswith("error:") for name in standing.absent)
        return "all_errors" if is_error else "all_undefined", f"no query has a value: {named(standing.absent)}"
    if not np.isfinite([plain.numerator[plain.defined], plain.denominator[plain.defined]]).all():
        return "not_a_number", "a stored value is not a number; measure again"
    if known is not None and known < floor - EDGE:
        asked = counted(standing.n, "query")
        return "low_coverage", f"{share(known)} of {asked} could be judged, the policy asks for {share(floor)}"
    return None


def worst_first(standing: Standing, queries: Sequence[str]) -> tuple[str, ...]:
    """The queries that pull the metric down: those at their worst first."""
    worst = standing.worst
    values = worst.numerator / np.where(worst.denominator > 0, worst.denominator, 1.0)
    order = np.argsort(values if standing.choice.metric.direction == "higher" else -values, kind="stable")
    best = standing.choice.metric.bounds[1 if standing.choice.metric.direction == "higher" else 0]
    chosen = [int(index) for index in order if worst.defined[index] and values[index] != best]
    return tuple(queries[index] for index in chosen[:WORST_FIRST])


def finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _outcome(both: Ends, threshold: float) -> Outcome:
    if both.hold(threshold):
        return "passed"
    return "breached" if both.fail(threshold) else "undecided"


def _target(gate: Gate, both: Ends) -> bool | None:
    if gate.target is None:
        return None
    return True if both.hold(gate.target) else False if both.fail(gate.target) else None


def _interval(both: Ends) -> tuple[float | None, float | None] | None:
    if not both.on_bound:
        return None
    low, high = (both.worst, both.best) if both.is_higher_better else (both.best, both.worst)
    return finite(low.low), finite(high.high)


def _reason(standing: Standing, both: Ends, outcome: Outcome) -> str | None:
    if outcome != "undecided":
        return None
    if standing.errored:
        return "errors_decide"
    if standing.doubtful.any():
        return "failures_decide"
    return "too_uncertain" if both.worst.value == both.best.value else "long_answers_decide"


def _message(gate: Gate, standing: Standing, both: Ends, outcome: Outcome) -> str:
    threshold = gate.threshold if gate.threshold is not None else math.nan
    holds, misses = ("≥", "<") if both.is_higher_better else ("≤", ">")
    worst, best = _decisive(both)
    open_queries = int(standing.doubtful.sum())
    if outcome == "undecided":
        low, high = (worst, best) if both.is_higher_better else (best, worst)
        said = f"between {beside(low, threshold)} and {beside(high, threshold)}, and {number(threshold)} lies there"
    else:
        value, sign = (worst, holds) if outcome == "passed" else (best, misses)
        said = f"{beside(value, threshold)} {sign} {number(threshold)}"
    parts = [f"{_kind(both)}{said}, n = {standing.n:,}"]
    if open_queries:
        end = "worst" if outcome == "passed" else "best" if outcome == "breached" else "worst or best"
        parts.append(f"{counted(open_queries, 'query')} failed or could not be judged and count at their {end}")
    elif outcome == "undecided" and both.worst.value != both.best.value:
        parts.append(f"answers with more than {HEAVIEST:g} claims decide it")
    reached = _target(gate, both)
    if gate.target is not None and gate.target != threshold and outcome == "passed":
        verb = "is reached" if reached else "is not reached" if reached is False else "is not shown to be reached"
        parts.append(f"the target {number(gate.target)} {verb}")
    return "; ".join(parts)


def _said(found: Corrected) -> str:
    """`corrected by 120 labelled queries: correlation 0.83, λ 0.71, effective n 310`."""
    by = f"corrected by {counted(found.labelled, 'labelled query')}"
    correlation = "undefined" if found.correlation is None else f"{found.correlation:.2f}"
    adds = "" if found.weight else ", the judge adds nothing"
    return f"{by}: correlation {correlation}, λ {found.weight:.2f}, effective n {found.effective:,.0f}{adds}"


def _decisive(both: Ends) -> tuple[float | None, float | None]:
    """What was compared at the worst and at the best."""
    if not both.on_bound:
        return both.worst.value, both.best.value
    if both.is_higher_better:
        return both.worst.low, both.best.high
    return both.worst.high, both.best.low


def _kind(both: Ends) -> str:
    return "on the bound: " if both.on_bound else ""
