"""Laws of the ranking: the expectation over ties is the mean over all orders; what must not matter does not."""

import math
from collections.abc import Mapping, Sequence
from itertools import permutations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.formats.bundle import Bundle
from ragassay.metrics.dictionary import find
from ragassay.metrics.ranking import Events, Hits, Ranking, Results, rank
from ragassay.metrics.retrieval import count
from ragassay.records import Answer, FaultyInput, Query, Relevance, Result
from ragassay.retrieval import RetrievalFractions, measure_retrieval
from ragassay.runner import Settings, measure

METRICS = (
    *(f"{name}@{k}" for name in ("recall", "precision", "hit_rate", "mrr", "ndcg", "map") for k in (1, 2, 3, 10)),
    "mrr",
    "ndcg@3(gain=exp)",
)
SOME = ("recall@2", "precision@3", "hit_rate@1", "mrr", "ndcg@3", "ndcg@3(gain=exp)", "map@10", "f1@2")
IDS = ("a", "b", "c", "d", "e")


class Case(NamedTuple):
    """One query: (score, id) of every result, and needs as alternatives with their grades."""

    results: list[tuple[int, str]]
    needs: list[dict[str, int]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    results = draw(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(IDS)), max_size=5))
    alternatives = st.dictionaries(st.sampled_from(IDS[:4]), st.integers(1, 3), min_size=1, max_size=3)
    return Case(results, draw(st.lists(alternatives, min_size=1, max_size=3)))


def by_definition(order: Sequence[str], needs: Sequence[Mapping[str, int]], identity: str) -> float:
    """The value of a metric for one query whose results have a definite order, straight from the dictionary."""
    choice = find(identity)
    k = choice.k or len(order)
    relevant = set().union(*needs)
    seen = [set(order[: place + 1]) & relevant for place in range(len(order))]
    met = [(min(places), need[order[min(places)]]) for need in needs if (places := places_of(order, need))]
    within = [(place, grade) for place, grade in met if place < k]
    firsts = [place for place, each in enumerate(order[:k]) if each in relevant]
    gain = (lambda grade: 2.0**grade - 1) if choice.variant.get("gain") == "exp" else float
    ideal = sorted((max(need.values()) for need in needs), reverse=True)[:k]
    match choice.metric.name:
        case "recall":
            return len(within) / len(needs)
        case "precision":
            return len(set(order[:k]) & relevant) / k
        case "hit_rate":
            return float(bool(firsts))
        case "mrr":
            return 1 / (firsts[0] + 1) if firsts else 0.0
        case "ndcg":
            best = sum(gain(grade) / math.log2(place + 2) for place, grade in enumerate(ideal))
            return sum(gain(grade) / math.log2(place + 2) for place, grade in within) / best
        case _:
            return sum(len(seen[place]) / (place + 1) for place, _ in within) / len(needs)


def places_of(order: Sequence[str], need: Mapping[str, int]) -> list[int]:
    return [place for place, each in enumerate(order) if each in need]


def orders(results: Sequence[tuple[int, str]]) -> list[list[str]]:
    """Every order of the results in which scores fall."""
    groups = [[each for score, each in results if score == level] for level in (2, 1, 0)]
    return [[*one, *two, *three] for one, two, three in product(*(permutations(group) for group in groups))]


def ranked(case: Case) -> Ranking:
    scores = np.array([float(score) for score, _ in case.results])
    codes = {each: code for code, each in enumerate(IDS)}
    hits = [
        (row, codes[each], number, float(need[each]))
        for row, (_, each) in enumerate(case.results)
        for number, need in enumerate(case.needs)
        if each in need
    ]
    columns = [np.array([hit[part] for hit in hits], dtype=np.int64) for part in range(3)]
    zeros = np.zeros(len(case.needs), dtype=np.int64)
    grades = np.array([float(max(need.values())) for need in case.needs])
    return rank(
        Results(np.array([0, len(scores)]), scores),
        Hits(*columns, grade=np.array([hit[3] for hit in hits], dtype=np.float64)),
        Events(zeros, zeros, np.ones(len(zeros)), grades),
        {"no_relevant": np.zeros(1, dtype=np.bool_)},
    )


@settings(deadline=None, max_examples=120)
@given(cases())
def test_expectation_is_the_mean_over_all_orders(case: Case) -> None:
    every, ranking = orders(case.results), ranked(case)
    for identity in METRICS:
        mean = sum(by_definition(order, case.needs, identity) for order in every) / len(every)
        fractions = count(ranking, find(identity))
        assert fractions.numerator[0] / fractions.denominator[0] == pytest.approx(mean, abs=1e-12), identity


Gold = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


@st.composite
def collections(draw: st.DrawFn) -> tuple[Gold, Scores]:
    """A few queries, some without results, some without anything relevant; scores are often equal."""
    ids = st.sampled_from([*IDS, "ж", "f g"])
    grades = st.dictionaries(ids, st.integers(-1, 3), min_size=1, max_size=5)
    gold = draw(st.dictionaries(st.sampled_from("pqrs"), grades, min_size=1, max_size=4))
    scores = st.dictionaries(ids, st.integers(0, 4).map(float), max_size=7)
    run = draw(st.dictionaries(st.sampled_from("pqrst"), scores, max_size=5))
    first = next(iter(gold))
    if run:
        run.setdefault(first, {})[next(iter(gold[first]))] = draw(st.integers(0, 4).map(float))
    return gold, run


def frames(gold: Gold, run: Scores) -> tuple[pl.DataFrame, pl.DataFrame]:
    judged = [(query, identity, grade) for query, ids in gold.items() for identity, grade in ids.items()]
    found = [(query, identity, score) for query, ids in run.items() for identity, score in ids.items()]
    return (
        pl.DataFrame(judged, schema={"query_id": pl.String, "doc_id": pl.String, "grade": pl.Int64}, orient="row"),
        pl.DataFrame(found, schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}, orient="row"),
    )


def values(result: RetrievalFractions) -> dict[tuple[str, str], tuple[object, ...]]:
    """(numerator, denominator, reason) by metric and query."""
    return {(row[0], row[1]): row[2:] for row in result.table().iter_rows()}


def same(one: RetrievalFractions, other: RetrievalFractions) -> None:
    left, right = values(one), values(other)
    assert left.keys() == right.keys()
    for key, row in left.items():
        assert row == pytest.approx(right[key], abs=1e-12), key


TIES = pytest.mark.parametrize("ties", ["expected", "trec"])


@TIES
@settings(deadline=None, max_examples=40)
@given(data=collections())
def test_records_and_columns_agree(data: tuple[Gold, Scores], ties: str) -> None:
    gold, run = data
    queries = [
        Query(id=query, relevant=tuple(Relevance(document=each, grade=float(grade)) for each, grade in ids.items()))
        for query, ids in gold.items()
    ]
    answers = [
        Answer(query=query, ordered=False, retrieved=tuple(Result(document=each, score=s) for each, s in ids.items()))
        for query, ids in run.items()
    ]
    by_records = measure(
        Bundle(queries=tuple(queries), answers=tuple(answers)), Settings(ties=ties, metrics=SOME, resamples=10)
    ).fractions
    fast = values(measure_retrieval(gold, run, SOME, ties))
    slow = {(row[0], row[1]): row[2:] for row in by_records.iter_rows()}
    assert slow.keys() == fast.keys()
    for key, row in slow.items():
        assert fast[key] == pytest.approx(row, abs=1e-12), key


@TIES
@settings(deadline=None, max_examples=40)
@given(data=collections(), seed=st.integers(0, 99))
def test_order_of_rows_does_not_matter_where_scores_are_given(data: tuple[Gold, Scores], seed: int, ties: str) -> None:
    gold, run = frames(*data)
    if not len(run):
        return
    expected = measure_retrieval(*data, SOME, ties)
    same(expected, measure_retrieval(gold, run, SOME, ties))
    shuffled = [frame.sample(fraction=1, shuffle=True, seed=seed) for frame in (gold, run)]
    same(expected, measure_retrieval(*shuffled, SOME, ties))


@settings(deadline=None, max_examples=40)
@given(data=collections())
def test_names_do_not_matter(data: tuple[Gold, Scores]) -> None:
    def renamed(ids: Mapping[str, float]) -> dict[str, float]:
        return {str(1000 - sum(map(ord, identity))): value for identity, value in ids.items()}

    other = measure_retrieval(
        {query: renamed(ids) for query, ids in data[0].items()},
        {query: renamed(ids) for query, ids in data[1].items()},
        SOME,
    )
    same(measure_retrieval(*data, SOME), other)


@settings(deadline=None, max_examples=25)
@given(data=collections())
def test_partitions_do_not_matter(tmp_path_factory: pytest.TempPathFactory, data: tuple[Gold, Scores]) -> None:
    gold, run = frames(*data)
    folder = tmp_path_factory.mktemp("parts")
    parts: dict[str, list[Path]] = {"gold": [], "run": []}
    for number, query in enumerate(data[0]):
        for side, frame in (("gold", gold), ("run", run)):
            path = folder / side / f"{number}.parquet"
            path.parent.mkdir(exist_ok=True)
            frame.filter(query_id=query).write_parquet(path)
            parts[side].append(path)
    try:
        whole = measure_retrieval(data[0], {query: ids for query, ids in data[1].items() if query in data[0]}, SOME)
    except FaultyInput:
        return
    same(whole, measure_retrieval(parts["gold"], parts["run"], SOME))
    same(whole, measure_retrieval(folder / "gold", folder / "run", SOME))


@settings(deadline=None, max_examples=40)
@given(data=collections())
def test_a_list_is_its_order(data: tuple[Gold, Scores]) -> None:
    gold, run = data
    lists = {query: list(ids) for query, ids in run.items()}
    descending = {query: {each: -float(place) for place, each in enumerate(ids)} for query, ids in lists.items()}
    same(measure_retrieval(gold, lists, SOME), measure_retrieval(gold, descending, SOME))
