"""Laws of the decision list, whatever was asked, found and said."""

from random import Random

import polars as pl
import pytest
from plain_causes import plain_causes
from scripted import HashedJudge
from worlds import AS_OF, TEXTS

from ragassay.causes import KINDS, NOT_FAILED, failures, transitions
from ragassay.judges.judging import Bench, judge_cases
from ragassay.judges.together import finished
from ragassay.matrices import build, cases, with_judgements
from ragassay.metrics.evidence import gather
from ragassay.records import Answer, Citation, DatasetCard, Document, Exclusion, Query, Relevance, Requester, Result

ORDER = list(KINDS)
SEEDS = range(12)
QUERIES = 60
K = 3
SAID = (*TEXTS, "The limit is 80 N·m [1].", "The limit is 80 N·m. It was checked [1].", "It was checked [2].")
CARD = DatasetCard(as_of=AS_OF, k=(1, K), disjoint_ids=True, exclusions=(Exclusion(reason="gone", slice="table"),))


def world(seed):
    """Queries, answers and a corpus in which every cause has its chance."""
    roll = Random(seed)
    unit = roll.choice(["document", "passage"])
    queries = [_query(roll, f"q{number:02}", unit) for number in range(QUERIES)]
    answers = [_answer(roll, query.id) for query in queries if roll.random() > 0.03]
    documents = [_document(roll, f"d{number}", revision) for number in range(5) for revision in "AB"]
    return queries, answers, roll.choice([None, documents, documents])


def _query(roll, name, unit):
    relevant = tuple(
        Relevance(
            document=f"d{number}",
            passage=f"d{number}#1" if unit == "passage" else None,
            grade=roll.choice([0.0, 1.0, 1.0, 2.0]),
            need=roll.choice([None, None, "either"]),
        )
        for number in roll.sample(range(6), roll.randint(0, 2))
    )
    return Query(
        id=name,
        question=f"question {name}",
        answerable=roll.choice([True, True, True, True, False, None]),
        relevant=roll.choice([relevant, relevant, relevant, None]),
        critical=roll.random() < 0.2,
        severity=roll.choice(["high", "low", None]),
        reference=roll.choice([None, "The limit is 80 N·m.", "The limit is 80 N·m.", "It is 80 N·m. It was checked."]),
        required_claims=roll.choice([None, None, (f"{name}: 80 N·m",), ("80 N·m", f"checked in {name}")]),
        slices=("table",) if roll.random() < 0.05 else (),
        scope={"product": "K-7"},
        requester=roll.choice([None, None, Requester(("assembly",)), Requester(("quality",))]),
    )


def _answer(roll, query):
    is_ordered = roll.random() < 0.7
    retrieved = _results(roll, query, is_ordered, 6)
    return Answer(
        query=query,
        answer=roll.choice([*SAID, *SAID, None]),
        retrieved=roll.choice([retrieved, retrieved, retrieved, retrieved, None]),
        candidates=roll.choice([None, (*retrieved, *_results(roll, query, True, 4))]),
        packed=roll.choice([None, tuple(each.passage for each in retrieved[roll.randint(0, 1) :][:2])]),
        ordered=is_ordered,
        citations=roll.choice([None, None, (Citation(marker="[1]", passage="d1#1"),), ()]),
        error="timeout" if roll.random() < 0.05 else None,
    )


def _results(roll, query, is_ordered, most):
    return tuple(
        Result(
            passage=f"{document}#{roll.randint(0, 2)}",
            document=document,
            revision=roll.choice([None, "A", "A", "B"]),
            score=10.0 - position if is_ordered else float(roll.randint(0, 3)),
            text=f"Text {roll.randint(0, 3)} of {query}.",
        )
        for position in range(roll.randint(0, most))
        for document in [f"d{roll.randint(0, 5)}"]
    )


def _document(roll, name, revision):
    return Document(
        document=name,
        revision=revision,
        status=roll.choice(["in_force", "in_force", "in_force", "superseded", "unknown"]),
        readers=roll.choice([None, ("*",), ("*",), ("assembly",)]),
        applies_to=roll.choice([{}, {}, {"product": ("K-9",)}]),
    )


def matrices_of(seed, judge):
    """The matrices of a world, judged by somebody, or by nobody."""
    queries, answers, documents = world(seed)
    matrices, _ = build(queries, answers, documents, CARD)
    if judge is None:
        return matrices
    bench = Bench(HashedJudge(judge, fails=judge % 2 == 0), joins=True)
    found = cases(queries, answers, documents, CARD)
    matrices = with_judgements(matrices, found, finished(judge_cases(bench, found)))
    outside = matrices.entailment.filter((pl.col("side") == "answer") & (pl.col("probability") * 100 % 3 < 1))
    outside = outside.with_columns(
        other=pl.lit("external"), verdict=pl.lit("contradicts"), disputed=~pl.col("disputed")
    )
    return matrices._replace(entailment=pl.concat([matrices.entailment, outside]))


def told(seed, judge):
    return failures(gather(matrices_of(seed, judge), "expected"), K)


@pytest.mark.parametrize("shift", [None, 0, 1])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_list_says_what_a_plain_reading_query_by_query_says(seed, shift):
    matrices = matrices_of(seed, None if shift is None else seed + shift)
    found = failures(gather(matrices, "expected"), K)
    names = {each.query: [cause.name for cause in (each.cause, *each.others)] for each in found}
    for query in matrices.queries["query"]:
        assert names.get(query, []) == plain_causes(matrices, query, K), query


def test_every_cause_occurs_in_these_worlds():
    found = {cause.name for seed in SEEDS for each in told(seed, seed) for cause in (each.cause, *each.others)}
    assert found == set(KINDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_primary_cause_is_the_earliest_and_no_query_fails_twice(seed):
    found = told(seed, seed)
    assert len({each.query for each in found}) == len(found)
    for each in found:
        places = [ORDER.index(cause.name) for cause in (each.cause, *each.others)]
        assert places == sorted(set(places))
        assert all((cause.stage, cause.group) == KINDS[cause.name][:2] for cause in (each.cause, *each.others))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_query_has_one_place_in_the_transition_matrix(seed):
    one, other = told(seed, None), told(seed, seed)
    queries = [query.id for query in world(seed)[0]]
    table = transitions(one, other, queries)
    assert sum(count for row in table.values() for count in row.values()) == len(queries)
    assert sum(table[NOT_FAILED].values()) == len(queries) - len(one)
    assert all(row.keys() == {cause} for cause, row in transitions(one, one, queries).items())
