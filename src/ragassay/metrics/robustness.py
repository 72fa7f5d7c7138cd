"""Noise robustness: does a right answer stay right when irrelevant passages join the context? Counted on two runs."""

import numpy as np

from ragassay.metrics.critical import conditions
from ragassay.metrics.definition import Fractions, fractions
from ragassay.metrics.evidence import Evidence


def noise_robustness(clean: Evidence, noisy: Evidence) -> Fractions:
    """Queries still correct in the noisy run / 1, over the queries that are correct in the clean one.

    `noisy` is the same system on the same queries with irrelevant passages added to each context. Shape (n,) in the
    order of the clean run's queries. Undefined where the query was not correct before, is missing from the noisy run,
    or where nobody decided whether it is correct. Raises ValueError where the two runs share no query.
    """
    before = clean.matrices.queries["query"].to_list()
    place = {query: index for index, query in enumerate(noisy.matrices.queries["query"].to_list())}
    if not place.keys() & set(before):
        raise ValueError("the two runs share no query; measure the same dataset with and without the added passages")
    was, is_now = conditions(clean)[0], conditions(noisy)[0]
    found = np.array([place.get(query, -1) for query in before])
    absent = {
        "not_correct_without_noise": was.failed,
        "not_in_both_runs": found < 0,
        "correct_not_decided": was.undecided | is_now.undecided[found],
    }
    return fractions((~is_now.failed[found]).astype(np.float64), 1.0, absent)
