"""A policy and a run to a verdict."""

import hashlib
from collections import Counter
from collections.abc import Mapping

import msgspec
import polars as pl

from ragassay.gates.absolute import absolute
from ragassay.gates.relative import relative
from ragassay.gates.standing import UNJUDGED, Population, measurements, population, standing
from ragassay.gates.wording import counted, named, number
from ragassay.matrices.schema import Matrices
from ragassay.metrics.aggregation import Measured, Sampling
from ragassay.metrics.definition import Choice
from ragassay.metrics.dictionary import find
from ragassay.metrics.sides import Sides, sides_from_table
from ragassay.records import Gate, GateResult, Policy, Run
from ragassay.records.comparison import Comparison
from ragassay.records.verdict import Verdict
from ragassay.statistics.intervals import exact_lower_bound

CRITICAL = "critical_pass_rate"
JUDGED = frozenset(("claims", "support", "entailment", "relevancy"))
GROUNDED = frozenset(("grounded_claim_rate", "contradicted_claim_rate", "unverified_claim_rate", "hallucination"))
REFUSING = frozenset(("withheld_rate", "false_refusal_rate"))


class _Case(msgspec.Struct, frozen=True):
    """What gates are decided on."""

    policy: Policy
    run: Run
    measured: Mapping[str, Measured]
    sides: Mapping[str, Sides]
    people: Population
    comparison: Comparison | None


def decide(
    policy: Policy, run: Run, fractions: pl.DataFrame, matrices: Matrices, comparison: Comparison | None = None
) -> Verdict:
    """The verdict of a policy on a run, every gate with the numbers and the reason of its outcome.

    `fractions` is the table of the run (columns of `metrics.table.SCHEMA`), `matrices` its evidence, `comparison` the
    one with the baseline; without it, gates against a baseline stay undecided. Nothing is passed for want of evidence:
    a metric that was not measured, is unknown or has another version leaves its gate undecided.
    """
    people = population(matrices)
    rows = _of_policy(policy, fractions)
    sides = sides_from_table(rows, people.queries)
    case = _Case(policy, run, measurements(rows, people.queries), sides, people, comparison)
    results = _in_order(case)
    outcomes = {result.outcome for result in results}
    return Verdict(
        policy=f"{policy.name} {policy.version}",
        policy_hash=policy_hash(policy),
        run=run.id,
        baseline=None if comparison is None else comparison.baseline,
        outcome="breached" if "breached" in outcomes else "passed" if outcomes == {"passed"} else "undecided",
        gates=tuple(results),
        flags=(*flags(policy), *_overrides(comparison)),
    )


def _of_policy(policy: Policy, fractions: pl.DataFrame) -> pl.DataFrame:
    """The rows of the metrics that the policy names."""
    named = (*(gate.metric for gate in policy.gates), *policy.require)
    wanted = {choice.id for metric in named if (choice := _choice(metric)) is not None}
    return fractions.filter(pl.col("metric").str.replace(r":v[0-9]+$", "").is_in(wanted))


def policy_hash(policy: Policy) -> str:
    """The hash of everything that the policy says."""
    return hashlib.sha256(msgspec.json.encode(policy, order="sorted")).hexdigest()[:16]


def flags(policy: Policy) -> tuple[str, ...]:
    """What a reader of the policy must know before trusting a verdict under it."""
    names = {choice.metric.name for gate in policy.gates if (choice := _choice(gate.metric)) is not None}
    found: list[str] = []
    if not policy.gates and not policy.critical:
        found.append("the policy gates nothing, so that nothing can pass")
    if names & GROUNDED and not names & REFUSING:
        found.append(
            "the policy gates groundedness and not refusals: refusing more would raise it; gate withheld_rate too"
        )
    if not policy.critical:
        found.append("critical queries are not gated one by one: a mean can make up for one that failed")
    if policy.preset is not None:
        found.append(
            f"thresholds that nobody set come from the preset {policy.preset}, a starting point:"
            " the owner of the risk sets them by the cost of an error"
        )
    return tuple(found)


def _overrides(comparison: Comparison | None) -> tuple[str, ...]:
    if comparison is None or comparison.override is None:
        return ()
    refused = ", ".join(each.field for each in comparison.mismatches if each.refuses)
    return (f"compared in spite of {refused or 'nothing that refuses'}: {comparison.override}",)


def _in_order(case: _Case) -> list[GateResult]:
    """Critical queries and what is required first, then stage by stage; money comes after everything else passed."""
    results = [*_critical(case), *(_required(case, metric) for metric in case.policy.require)]
    stages = (None, *case.policy.stages)
    unknown = [gate for gate in case.policy.gates if gate.stage not in stages]
    blocking: str | None = None
    for stage in stages:
        gates = [gate for gate in case.policy.gates if gate.stage == stage and not _is_money(gate)]
        gates += unknown if stage is None else []
        found = [_one(case, gate) if blocking is None else _later(gate, blocking) for gate in gates]
        results += found
        if stage is not None and blocking is None and any(result.outcome != "passed" for result in found):
            blocking = stage
    has_passed = all(result.outcome == "passed" for result in results)
    money = [gate for gate in case.policy.gates if _is_money(gate) and gate not in unknown]
    return results + [_one(case, gate) if has_passed else _unpaid(gate) for gate in money]


def _critical(case: _Case) -> list[GateResult]:
    """Any critical query that failed blocks; no mean makes up for it, and no coverage excuses it."""
    results = case.run.findings.critical
    if not case.policy.critical or not results:
        return []
    failed = [each for each in results if each.passed is False]
    undecided = [each for each in results if each.passed is None]
    n, passed = len(results), len(results) - len(failed) - len(undecided)
    if failed:
        why = named(Counter(condition for each in failed for condition in each.failed))
        message = f"{len(failed):,} of {counted(n, 'critical query')} failed: {why}"
    elif undecided:
        message = f"no critical query failed, but {len(undecided):,} of {n:,} could not be decided"
    else:
        bound = number(round(exact_lower_bound(n, case.policy.level), 4))
        message = f"{n:,} of {n:,} passed, which shows a rate of at least {bound}"
    return [
        GateResult(
            gate=Gate(metric=CRITICAL, at_least=1.0),
            outcome="breached" if failed else "undecided" if undecided else "passed",
            value=None if undecided else passed / n,
            worst=passed / n,
            best=(n - len(failed)) / n,
            n=n,
            coverage=(n - len(undecided)) / n,
            reason="not_judged" if undecided and not failed else None,
            message=message,
            marks=_marks(case.run, find(CRITICAL)),
            queries=tuple(each.query for each in (*failed, *undecided)),
        )
    ]


def _required(case: _Case, metric: str) -> GateResult:
    gate = Gate(metric=metric)
    choice, measured = _found(case, metric)
    if choice is None or measured is None:
        return _not_shown(case, gate, choice)
    counts = standing(measured, case.people, case.people.included)
    n = int(counts.plain_at_gate.defined.sum())
    if n == 0:
        return GateResult(
            gate=gate, outcome="undecided", reason="not_shown", message="required, and no query has a value"
        )
    return GateResult(gate=gate, outcome="passed", n=n, coverage=counts.coverage, message=f"measured, n = {n:,}")


def _one(case: _Case, gate: Gate) -> GateResult:
    choice, measured = _found(case, gate.metric)
    if choice is None or measured is None:
        return _not_shown(case, gate, choice)
    nobody = case.people.included & False
    members = case.people.included if gate.slice is None else case.people.slices.get(gate.slice, nobody)
    stands = standing(measured, case.people, members)
    if gate.no_worse_by is not None:
        result = relative(gate, stands, case.people, case.comparison, case.policy.coverage)
    else:
        card = case.run.card
        sampling = Sampling(card.seed, card.resamples, case.policy.level)
        sides = case.sides.get(choice.id)
        result = absolute(gate, stands, case.people.queries, case.policy.coverage, sampling, sides)
    marks = *_marks(case.run, choice, is_corrected=result.corrected is not None), *result.marks
    return msgspec.structs.replace(result, marks=marks)


def _found(case: _Case, metric: str) -> tuple[Choice | None, Measured | None]:
    choice = _choice(metric)
    return choice, None if choice is None else case.measured.get(choice.id)


def _choice(metric: str) -> Choice | None:
    try:
        return find(metric)
    except ValueError:
        return None


def _not_shown(case: _Case, gate: Gate, choice: Choice | None) -> GateResult:
    if choice is None:
        reason, message = "unknown_metric", f"this dictionary defines no metric {gate.metric}"
    else:
        why = case.run.not_shown.get(choice.id) or case.run.not_shown.get(choice.metric.name)
        reason, message = "not_shown", f"the run did not measure it{f': {why}' if why else ''}"
    return GateResult(gate=gate, outcome="undecided", reason=reason, message=message)


def _marks(run: Run, choice: Choice, *, is_corrected: bool = False) -> tuple[str, ...]:
    """What a reader must know about the judge behind a metric: that no label corrects it and none calibrated it."""
    judge = run.card.judge
    is_judged = JUDGED & set(choice.metric.matrices) or UNJUDGED & set(choice.metric.voided_by)
    if judge is None or not is_judged or is_corrected:
        return ()
    if judge.is_people:
        return ()
    is_calibrated = any(name.startswith("calibration.") for name in judge.settings)
    return (() if is_calibrated else ("uncorrected_judge",)) + (("screening_judge",) if judge.screens else ())


def _is_money(gate: Gate) -> bool:
    choice = _choice(gate.metric)
    return choice is not None and choice.metric.unit == "money"


def _later(gate: Gate, stage: str) -> GateResult:
    message = f"not evaluated before stage {stage} passed"
    return GateResult(gate=gate, outcome="not_evaluated", reason="earlier_stage", message=message)


def _unpaid(gate: Gate) -> GateResult:
    message = "what it costs is asked once everything else passed"
    return GateResult(gate=gate, outcome="not_evaluated", reason="quality_first", message=message)
