"""Laws that hold for every metric of the dictionary, whatever was asked, found and said."""

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted import HashedJudge
from worlds import worlds

from ragassay.formats.bundle import Bundle
from ragassay.judges.judging import Bench, judge_cases
from ragassay.judges.together import finished
from ragassay.matrices import build, cases, with_judgements
from ragassay.metrics.aggregation import Measured, Sampling, estimates
from ragassay.metrics.dictionary import DICTIONARY, find
from ragassay.metrics.evidence import gather
from ragassay.metrics.table import fractions_table, measured_from_table
from ragassay.records import Answer, DatasetCard, Query, Relevance, Result

CHOICES = [choice for metric in DICTIONARY.values() for choice in metric.every((1, 3))]
EXTRA = [find("ndcg@3(gain=exp)"), find("recall@3(results=condensed)"), find("mrr@1")]
EVERY = [*CHOICES, *EXTRA]
NAMES = [choice.id for choice in EVERY]
LAW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def measure(bundle: Bundle, ties="expected"):
    matrices = judged_matrices(bundle, HashedJudge(7))
    evidence = gather(matrices, ties)
    return matrices, {choice.id: choice.metric.measure(evidence, choice) for choice in EVERY}


def judged_matrices(bundle, judge):
    """Matrices of a world, judged by somebody."""
    matrices, _ = build(bundle.queries, bundle.answers, bundle.documents, bundle.card)
    found = cases(bundle.queries, bundle.answers, bundle.documents, bundle.card)
    return with_judgements(matrices, found, finished(judge_cases(Bench(judge, joins=True), found)))


def values(fractions, queries):
    return {
        query: None if state else numerator / denominator
        for query, numerator, denominator, state in zip(
            queries, fractions.numerator, fractions.denominator, fractions.state, strict=True
        )
        if state or denominator
    }


def same(one, other):
    assert one.keys() == other.keys()
    for query, value in one.items():
        assert (value is None) == (other[query] is None), query
        assert value is None or value == pytest.approx(other[query], abs=1e-12), query


@LAW
@given(worlds())
def test_every_value_lies_within_its_bounds(world):
    _, measured = measure(world)
    for choice in EVERY:
        fractions = measured[choice.id]
        low, high = choice.metric.bounds
        defined = fractions.defined
        assert np.all(np.isfinite(fractions.numerator)), choice.id
        if choice.metric.name != "cost_per_successful_task":
            assert np.all(fractions.denominator[defined] > 0), choice.id
            value = fractions.numerator[defined] / fractions.denominator[defined]
            assert np.all(value >= low - 1e-12), choice.id
            assert high is None or np.all(value <= high + 1e-12), choice.id


@LAW
@given(worlds())
def test_every_absence_is_a_declared_reason(world):
    _, measured = measure(world)
    for choice in EVERY:
        fractions = measured[choice.id]
        used = {fractions.absences[state - 1] for state in fractions.state if state}
        undeclared = {reason for reason in used if not reason.startswith("error:")} - set(choice.metric.undefined)
        assert not undeclared, choice.id


@LAW
@given(worlds(), st.randoms(use_true_random=False))
def test_renaming_every_id_changes_nothing(world, random):
    documents = sorted({f"d{number}" for number in range(8)})
    renamed = dict(zip(documents, random.sample([f"z{number}" for number in range(50)], len(documents)), strict=True))
    _, before = measure(world)
    _, after = measure(_renamed(world, renamed))
    for name in NAMES:
        same(values(before[name], range(len(world.queries))), values(after[name], range(len(world.queries))))


def _renamed(world: Bundle, names: dict[str, str]) -> Bundle:
    text = msgspec.json.encode(world).decode()
    for old, new in names.items():
        text = text.replace(f'"{old}"', f'"{new}"').replace(f'"{old}#', f'"{new}#')
    return msgspec.json.decode(text, type=Bundle)


@LAW
@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_rows_in_files_changes_nothing(world, random):
    shuffled = msgspec.structs.replace(
        world,
        queries=tuple(random.sample(world.queries, len(world.queries))),
        answers=tuple(random.sample(world.answers, len(world.answers))),
        documents=None if world.documents is None else tuple(random.sample(world.documents, len(world.documents))),
    )
    one, before = measure(world)
    other, after = measure(shuffled)
    assert one.queries["query"].to_list() == other.queries["query"].to_list()
    for name in NAMES:
        same(values(before[name], one.queries["query"]), values(after[name], other.queries["query"]))


@LAW
@given(worlds())
def test_scores_without_an_order_do_not_depend_on_how_results_are_listed(world):
    loose = tuple(msgspec.structs.replace(answer, ordered=False) for answer in world.answers)
    backwards = tuple(
        msgspec.structs.replace(answer, retrieved=None if answer.retrieved is None else answer.retrieved[::-1])
        for answer in loose
    )
    names = [name for name in NAMES if find(name).metric.matrices[0] == "retrieval"]
    _, before = measure(msgspec.structs.replace(world, answers=loose))
    _, after = measure(msgspec.structs.replace(world, answers=backwards))
    for name in names:
        same(values(before[name], range(len(world.queries))), values(after[name], range(len(world.queries))))


@LAW
@given(st.lists(st.booleans(), min_size=2, max_size=8), st.data())
def test_moving_a_relevant_document_up_never_lowers_a_value(relevance, data):
    if not any(relevance[1:]):
        relevance[-1] = True
    position = data.draw(st.sampled_from([index for index in range(1, len(relevance)) if relevance[index]]))
    moved = list(range(len(relevance)))
    moved[position - 1], moved[position] = moved[position], moved[position - 1]
    before, after = _listed(relevance, list(range(len(relevance)))), _listed(relevance, moved)
    names = [name for name in NAMES if find(name).metric.direction == "higher" and "gold" in find(name).metric.matrices]
    assert len(names) > 15
    for name in names:
        assert after[name].numerator[0] >= before[name].numerator[0] - 1e-12, name


def _listed(relevance, order):
    query = Query(
        id="q",
        answerable=True,
        relevant=tuple(
            Relevance(document=f"d{i}", grade=float(is_relevant)) for i, is_relevant in enumerate(relevance)
        ),
    )
    answer = Answer(query="q", retrieved=tuple(Result(document=f"d{i}") for i in order))
    card = DatasetCard(k=(1, 3))
    return measure(Bundle(queries=(query,), answers=(answer,), card=card))[1]


@LAW
@given(worlds())
def test_an_errored_or_undefined_query_has_no_value_and_is_counted(world):
    matrices, measured = measure(world)
    n = len(matrices.queries)
    found = estimates(
        [Measured(choice, measured[choice.id]) for choice in EVERY],
        np.ones(n, dtype=bool),
        [None] * n,
        Sampling(1, 50, 0.95),
    )
    for estimate in found.values():
        assert estimate.n + sum(estimate.undefined.values()) + estimate.errored == n
        assert estimate.value is None or estimate.n > 0


@LAW
@given(worlds())
def test_the_stored_table_gives_the_fractions_back(world):
    matrices, measured = measure(world)
    table = fractions_table([Measured(choice, measured[choice.id]) for choice in EVERY], matrices.queries["query"])
    for back, choice in zip(measured_from_table(table), EVERY, strict=True):
        assert back.choice.id == choice.id
        np.testing.assert_array_equal(back.fractions.numerator, measured[choice.id].numerator)
        np.testing.assert_array_equal(back.fractions.defined, measured[choice.id].defined)


@LAW
@given(worlds())
def test_a_system_that_fails_is_never_better_for_it(world):
    """Recall and its kin: turning an answer into a failure lowers or keeps the value and never removes the query."""
    failed = tuple(
        msgspec.structs.replace(answer, answer=None, retrieved=None, packed=None, citations=None, error="timeout")
        for answer in world.answers
        if answer.retrieved is not None
    )
    kept = {answer.query for answer in failed}
    world = msgspec.structs.replace(
        world,
        queries=tuple(query for query in world.queries if query.id in kept),
        answers=tuple(answer for answer in world.answers if answer.query in kept),
    )
    if not kept:
        return
    _, before = measure(world)
    _, after = measure(msgspec.structs.replace(world, answers=failed))
    for name in ("recall@3", "precision@3", "hit_rate@1", "mrr", "ndcg@3", "map@3", "f1@3"):
        assert list(before[name].defined) == list(after[name].defined), name
        assert np.all(after[name].numerator <= before[name].numerator + 1e-12), name


@LAW
@given(worlds(), st.integers(0, 50))
def test_claims_are_split_without_rest(world, seed):
    """claim_precision + both noise sensitivities + hallucination = 1; grounded + hallucination + self-knowledge = 1."""
    evidence = gather(judged_matrices(world, HashedJudge(seed, fails=False)), "expected")
    names = (
        "claim_precision",
        "noise_sensitivity(from=relevant)",
        "noise_sensitivity(from=irrelevant)",
        "hallucination",
        "grounded_claim_rate",
        "self_knowledge",
    )
    measured = {name: find(name).metric.measure(evidence, find(name)) for name in names}
    defined = np.logical_and.reduce([measured[name].defined for name in names])
    value = {
        name: np.divide(each.numerator, each.denominator, out=np.zeros_like(each.numerator), where=defined)
        for name, each in measured.items()
    }
    correctness = sum(value[name] for name in names[:4])
    grounding = value["grounded_claim_rate"] + value["hallucination"] + value["self_knowledge"]
    np.testing.assert_allclose(correctness[defined], 1.0)
    np.testing.assert_allclose(grounding[defined], 1.0)


@LAW
@given(worlds(), st.integers(0, 50))
def test_the_matrices_alone_reproduce_every_metric(world, seed):
    matrices = judged_matrices(world, HashedJudge(seed))
    stored = type(matrices)(*(pl.DataFrame(each.to_dicts(), schema=each.schema) for each in matrices))
    first, second = gather(matrices, "expected"), gather(stored, "expected")
    for choice in EVERY:
        one, other = choice.metric.measure(first, choice), choice.metric.measure(second, choice)
        np.testing.assert_array_equal(one.numerator, other.numerator)
        np.testing.assert_array_equal(one.state, other.state)
