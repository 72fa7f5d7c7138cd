"""How many queries a difference needs."""

import pytest

from ragassay.statistics.intervals import exact_lower_bound
from ragassay.statistics.paired import mcnemar_exact
from ragassay.statistics.power import (
    detectable,
    independent_discordance,
    mcnemar_queries,
    paired_queries,
    unanimous_queries,
)

KNOWN = {
    (0.03, 0.1): 870,
    (0.03, 0.2): 1742,
    (0.03, 0.3): 2614,
    (0.05, 0.1): 312,
    (0.05, 0.2): 626,
    (0.05, 0.3): 940,
    (0.10, 0.2): 155,
    (0.10, 0.3): 234,
}


@pytest.mark.parametrize(("case", "queries"), KNOWN.items())
def test_rates_that_are_known(case, queries):
    assert mcnemar_queries(*case) == queries


def test_more_certainty_needs_more_queries():
    assert mcnemar_queries(0.05, 0.2, power=0.9) > mcnemar_queries(0.05, 0.2)
    assert mcnemar_queries(0.05, 0.2, alpha=0.01) > mcnemar_queries(0.05, 0.2)
    assert paired_queries(0.05, 0.3, power=0.9) > paired_queries(0.05, 0.3)


def test_queries_cannot_differ_less_than_their_rates_do():
    assert mcnemar_queries(0.1, 0.0) == mcnemar_queries(0.1, 0.1)


def test_fewer_pairs_than_a_test_can_use_are_never_enough():
    fewest = next(n for n in range(1, 20) if mcnemar_exact(0, n) <= 0.05)
    assert paired_queries(0.05, 0.0) == mcnemar_queries(1.0, 1.0) == fewest == 6
    assert mcnemar_queries(0.5, 0.5) >= 2 * fewest


def test_systems_that_share_no_failure():
    assert independent_discordance(0.9, 0.05) == pytest.approx(0.9 * 0.15 + 0.85 * 0.1)
    assert independent_discordance(0.1, 0.05) == pytest.approx(independent_discordance(0.9, 0.05))
    assert independent_discordance(1.0, 0.05) == pytest.approx(0.05)
    assert independent_discordance(0.02, 0.05) == pytest.approx(0.02 * 0.93 + 0.07 * 0.98)


@pytest.mark.parametrize("n", [155, 300, 626, 5_000])
def test_what_can_be_shown_is_the_way_back(n):
    found = detectable(lambda difference: mcnemar_queries(difference, 0.2), n, 1.0)
    assert mcnemar_queries(found, 0.2) <= n < mcnemar_queries(found * 0.999, 0.2)


def test_a_handful_shows_nothing():
    assert detectable(lambda difference: mcnemar_queries(difference, 0.2), 3, 1.0) is None


@pytest.mark.parametrize(("rate", "queries"), [(0.90, 29), (0.95, 59), (0.98, 149), (0.99, 299)])
def test_all_of_so_many(rate, queries):
    assert unanimous_queries(rate) == queries
    assert exact_lower_bound(queries) >= rate > exact_lower_bound(queries - 1)


def test_all_of_them_is_the_inverse_of_the_bound():
    assert all(unanimous_queries(exact_lower_bound(n, 0.9), 0.9) == n for n in range(1, 400))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: mcnemar_queries(0.0, 0.2),
        lambda: mcnemar_queries(float("nan"), 0.2),
        lambda: mcnemar_queries(1.2, 0.2),
        lambda: mcnemar_queries(0.1, 1.2),
        lambda: mcnemar_queries(0.1, 0.2, alpha=0.0),
        lambda: paired_queries(0.1, -1.0),
        lambda: paired_queries(0.1, float("inf")),
        lambda: paired_queries(0.1, 1.0, power=1.0),
        lambda: independent_discordance(1.5, 0.1),
        lambda: unanimous_queries(1.0),
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="expected"):
        wrong()
