"""The worked checks of the specification come out exactly."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from ragassay.formats.bundle import Bundle
from ragassay.matrices import build
from ragassay.matrices.schema import SCHEMAS
from ragassay.metrics.aggregation import Measured, Sampling, estimates
from ragassay.metrics.dictionary import find
from ragassay.metrics.evidence import gather
from ragassay.records import Answer, Query, Relevance, Result

REFUSED = "I could not find this in the documents I have."


def estimate(matrices, metric):
    choice = find(metric)
    measured = Measured(choice, choice.metric.measure(gather(matrices, "expected"), choice))
    n = len(matrices.queries)
    return estimates([measured], np.ones(n, dtype=bool), [None] * n, Sampling(1, 100, 0.95))[metric]


def linked(links):
    """Matrices of one answer with one citation for each of its statements."""
    matrices, _ = build([Query(id="q")], [Answer(query="q", answer="x [1]", citations=())], None, Bundle().card)
    sound = dict.fromkeys(("missing", "dangling", "superseded", "forbidden", "not_applicable"), False)
    rows = [{"query": "q", "statement": i, "claim": i, **sound, **link} for i, link in enumerate(links)]
    return matrices._replace(citations=pl.DataFrame(rows, schema=SCHEMAS["citations"]))


def test_recall_of_four_relevant_three_in_the_top_five_is_075():
    query = Query(id="q", relevant=tuple(Relevance(document=name) for name in "abcd"))
    answer = Answer(query="q", retrieved=tuple(Result(document=name) for name in "axbyc"))
    matrices, _ = build([query], [answer], None, Bundle().card)
    assert estimate(matrices, "recall@5").value == 0.75


@pytest.mark.parametrize(
    ("metric", "answerable", "refused", "n", "expected"),
    [
        ("correct_abstention", False, 9, 10, Fraction(9, 10)),
        ("false_refusal_rate", True, 2, 20, Fraction(2, 20)),
    ],
)
def test_refusal_rates_keep_their_own_denominators(metric, answerable, refused, n, expected):
    queries = [Query(id=f"q{i}", answerable=answerable) for i in range(n)]
    queries.append(Query(id="other", answerable=not answerable))
    answers = [Answer(query=f"q{i}", answer=REFUSED if i < refused else "The limit is 80 N·m.") for i in range(n)]
    matrices, _ = build(queries, [*answers, Answer(query="other", answer=REFUSED)], None, Bundle().card)
    found = estimate(matrices, metric)
    assert (found.numerator, found.denominator) == (refused, n)
    assert found.value == float(expected)


def test_citation_precision_of_four_supporting_links_of_five_is_080():
    matrices = linked([{"supports": i != 3} for i in range(5)])
    assert estimate(matrices, "citation_precision").value == 0.80
    assert estimate(matrices, "citation_recall").value == 0.80


def test_a_dangling_link_counts_against_precision_even_if_a_judge_believes_it():
    matrices = linked([{"supports": True, "dangling": i == 4} for i in range(5)])
    assert estimate(matrices, "citation_precision").value == 0.80
