"""The law of gates: nothing that goes wrong turns a breach into a pass, whatever the metric, the gate or the world."""

import msgspec
import numpy as np
from gating import gated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted import HashedJudge
from worlds import worlds

from ragassay.gates.absolute import absolute
from ragassay.gates.standing import population, standing
from ragassay.judges.judging import Bench, judge_cases
from ragassay.judges.together import finished
from ragassay.matrices import build, cases, with_judgements
from ragassay.metrics.aggregation import Measured, Sampling
from ragassay.metrics.dictionary import DICTIONARY
from ragassay.metrics.evidence import gather
from ragassay.metrics.findings import critical_results
from ragassay.records import Answer, Failure, Gate, Judged

BASIS = st.sampled_from(["estimate", "estimate", "bound"])
EVERY = [choice for metric in DICTIONARY.values() for choice in metric.every((1, 3))]
QUICK = Sampling(seed=1, resamples=30, level=0.9)
WORLDS = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ROWS = settings(max_examples=300, deadline=None)


def outcomes(measured, people, share, on):
    """The outcome of every metric under a gate whose threshold is `share`."""
    everyone = np.ones(len(people.queries), dtype=np.bool_)
    found = {}
    for choice in EVERY:
        limit = "at_least" if choice.metric.direction == "higher" else "at_most"
        gate = Gate(metric=choice.id, on=on, **{limit: share})
        stands = standing(Measured(choice, measured[choice.id]), people, everyone)
        found[choice.id] = absolute(gate, stands, people.queries, 0.0, QUICK).outcome
    return found


def measured_world(world, unjudged=()):
    """The matrices of a world and every metric; what concerns the `unjudged` queries could not be judged."""
    matrices, _ = build(world.queries, world.answers, world.documents, world.card)
    found = cases(world.queries, world.answers, world.documents, world.card)
    judged = finished(judge_cases(Bench(HashedJudge(7, fails=False), joins=True), found))
    judged = [
        Judged(query=each.query, failure=Failure(error="judge_failed")) if each.query in unjudged else each
        for each in judged
    ]
    matrices = with_judgements(matrices, found, judged)
    evidence = gather(matrices, "expected")
    critical = [each.passed for each in critical_results(evidence)]
    return population(matrices), critical, {choice.id: choice.metric.measure(evidence, choice) for choice in EVERY}


def spoiled(world, query, how):
    """The world with one answer gone wrong; a query that has none has gone wrong already."""
    old = next((answer for answer in world.answers if answer.query == query), None)
    if old is None:
        return world
    changed = {
        "no_answer": None,
        "failed": Answer(query=query, error="timeout"),
        "failed_late": msgspec.structs.replace(old, error="timeout"),
        "broken_off": msgspec.structs.replace(old, complete=False),
        "slow": msgspec.structs.replace(
            old,
            total_ms=None if old.total_ms is None else 9 * old.total_ms,
            retrieval_ms=None if old.retrieval_ms is None else 9 * old.retrieval_ms,
        ),
    }[how]
    rest = tuple(answer for answer in world.answers if answer.query != query)
    return msgspec.structs.replace(world, answers=rest if changed is None else (*rest, changed))


@WORLDS
@given(
    worlds(),
    st.sampled_from(["no_answer", "failed", "failed_late", "broken_off", "slow", "errored"]),
    st.sampled_from([0.0, 0.05, 0.3, 0.5, 0.9, 1.0]),
    BASIS,
)
def test_a_query_that_goes_wrong_never_turns_a_breach_into_a_pass(world, how, share, on):
    people, critical, measured = measured_world(world)
    before = outcomes(measured, people, share, on)
    for query in people.queries:
        if how == "errored":
            people_after, critical_after, measured_after = measured_world(world, unjudged={query})
        else:
            people_after, critical_after, measured_after = measured_world(spoiled(world, query, how))
        after = outcomes(measured_after, people_after, share, on)
        turned = [name for name in before if (before[name], after[name]) == ("breached", "passed")]
        assert not turned, (turned, how, query)
        assert not (False in critical and all(critical_after)), (how, query)


@st.composite
def rows(draw, choice):
    """Rows of a metric: values within its bounds, claims by the dozen where it divides claims, and what is missing."""
    low, high = choice.metric.bounds
    value = st.one_of(st.sampled_from([low, high or 5.0, 0.5]), st.floats(low, high or 5.0))
    weight = st.integers(1, 60) if choice.metric.aggregation == "micro" else st.just(1)
    row = st.tuples(value, weight).map(lambda pair: (pair[0] * pair[1], float(pair[1])))
    return draw(st.lists(st.one_of(row, row, row, st.sampled_from(["error", "na", "failed"])), min_size=1, max_size=30))


def worsened(choice, rows, place, how):
    """The rows with one that failed, could not be judged, or, where it still has a value, looks as it may look."""
    changed = list(rows)
    if how == "flattering":
        low, _ = choice.metric.bounds
        changed[place] = (low, 1.0)
    else:
        changed[place] = how
    return changed


@ROWS
@given(st.data())
def test_a_row_that_goes_wrong_never_turns_a_breach_into_a_pass(data):
    choice = data.draw(st.sampled_from([choice for choice in EVERY if choice.metric.name != "broken_off"]))
    before = data.draw(rows(choice))
    place = data.draw(st.integers(0, len(before) - 1))
    how = data.draw(st.sampled_from(["failed", "error", "flattering"]))
    limit = "at_least" if choice.metric.direction == "higher" else "at_most"
    limits = {limit: data.draw(st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0])), "on": data.draw(BASIS)}
    coverage = data.draw(st.sampled_from([0.0, 0.5, 0.95]))
    lost = [index for index, row in enumerate(before) if row == "failed"]
    first = gated(choice.id, before, coverage=coverage, **limits).outcome
    after = worsened(choice, before, place, how)
    failed = () if how == "error" else (place,)
    then = gated(choice.id, after, coverage=coverage, failed=(*lost, *failed), **limits).outcome
    assert (first, then) != ("breached", "passed")
    if isinstance(before[place], tuple):
        assert (first, then) != ("undecided", "passed") or limits["on"] == "bound" or coverage > 0
