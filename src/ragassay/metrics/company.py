"""What stood among the first k besides: unjudged, stale, forbidden and repeated results."""

import numpy as np

from ragassay.metrics.definition import Choice, Fractions, Metric, fractions
from ragassay.metrics.evidence import Evidence, Listing
from ragassay.metrics.ranking import Bools, Floats
from ragassay.metrics.retrieval import sums, total


def judged(evidence: Evidence, choice: Choice) -> Fractions:
    """Judged results among the first k / results in the first k."""
    listing, k = evidence.listing, choice.k or 0
    absent = {reason: evidence.ranking.absent[reason] for reason in ("must_refuse", "unlabelled")}
    return fractions(within(listing, listing.judged, k), shown(listing, k), {**absent, **_nothing(evidence)})


def stale(evidence: Evidence, choice: Choice) -> Fractions:
    """Results in the first k whose revision is superseded, withdrawn, a draft or not yet in force / results in the
    first k."""
    listing, k = evidence.listing, choice.k or 0
    absent = {"corpus_not_given": _corpus_not_given(evidence)}
    return fractions(within(listing, listing.stale, k), shown(listing, k), {**absent, **_nothing(evidence)})


def forbidden(evidence: Evidence, choice: Choice) -> Fractions:
    """Count of results in the first k that the requester may not read."""
    listing, queries = evidence.listing, evidence.matrices.queries
    absent = {
        "corpus_not_given": _corpus_not_given(evidence),
        "requester_not_given": queries["groups"].is_null().to_numpy(),
        "retrieval_not_recorded": evidence.ranking.absent["retrieval_not_recorded"],
    }
    return fractions(within(listing, listing.forbidden, choice.k or 0), 1.0, absent)


def duplicate(evidence: Evidence, choice: Choice) -> Fractions:
    """Results in the first k that repeat an id seen above / results in the first k."""
    listing, k = evidence.listing, choice.k or 0
    count = shown(listing, k)
    return fractions(count - total(listing.distinct, len(count), k), count, _nothing(evidence))


def shown(listing: Listing, k: int) -> Floats:
    """How many results each query has among its first k; shape (n,)."""
    return np.minimum(listing.returned, k)


def within(listing: Listing, flag: Bools, k: int) -> Floats:
    """Flagged results among the first k of each query: a tied one counts with its chance to be there; shape (n,)."""
    chance = np.clip((k - listing.above) / listing.size, 0.0, 1.0)
    return sums(listing.query, chance * flag, len(listing.returned))


def _nothing(evidence: Evidence) -> dict[str, Bools]:
    return {
        "retrieval_not_recorded": evidence.ranking.absent["retrieval_not_recorded"],
        "nothing_returned": evidence.listing.returned == 0,
    }


def _corpus_not_given(evidence: Evidence) -> Bools:
    is_given = evidence.matrices.retrieval["in_corpus"].null_count() < len(evidence.matrices.retrieval)
    return np.full(len(evidence.listing.returned), not is_given)


METRICS = (
    Metric(
        name="judged",
        question="How much of the first k did anybody judge? The rest counts as not relevant.",
        unit="query",
        formula="judged results among the first k / results in the first k",
        matrices=("retrieval", "gold"),
        undefined=("must_refuse", "unlabelled", "retrieval_not_recorded", "nothing_returned"),
        aggregation="macro",
        direction="higher",
        bounds=(0.0, 1.0),
        source="Azure AI Evaluation, there `holes`",
        measure=judged,
        cutoff="required",
    ),
    Metric(
        name="stale",
        question="How much of the first k is not in force at the date of the query?",
        unit="query",
        formula="results superseded, withdrawn, draft or not yet in force / results in the first k",
        matrices=("retrieval",),
        undefined=("corpus_not_given", "retrieval_not_recorded", "nothing_returned"),
        aggregation="macro",
        direction="lower",
        bounds=(0.0, 1.0),
        source="A",
        measure=stale,
        cutoff="required",
    ),
    Metric(
        name="forbidden",
        question="How many results did the requester have no right to read?",
        unit="passage",
        formula="count of results in the first k that the requester may not read",
        matrices=("retrieval", "queries"),
        undefined=("corpus_not_given", "requester_not_given", "retrieval_not_recorded"),
        aggregation="count",
        direction="lower",
        bounds=(0.0, None),
        source="A",
        measure=forbidden,
        cutoff="required",
    ),
    Metric(
        name="duplicate",
        question="How much of the first k only repeats what stood above?",
        unit="query",
        formula="results in the first k that repeat an id / results in the first k",
        matrices=("retrieval",),
        undefined=("retrieval_not_recorded", "nothing_returned"),
        aggregation="macro",
        direction="lower",
        bounds=(0.0, 1.0),
        source="own",
        measure=duplicate,
        cutoff="required",
    ),
)
