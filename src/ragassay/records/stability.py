"""How far repetitions of one run agree: the noise that a single run hides."""

from msgspec import Struct

from ragassay.records.comparison import Mismatch
from ragassay.records.measurement import Interval


class Share(Struct, frozen=True, kw_only=True):
    """A mean over `n` queries with the interval of a bootstrap over them; both None where there are none."""

    value: float | None
    interval: Interval | None
    n: int


class Repeated(Struct, frozen=True, kw_only=True):
    """One metric over all repetitions.

    `mean` is the aggregate over queries of what each shows on average, so that its interval holds the noise of
    repeating too; `deviation` is that noise: the standard deviation between repetitions of one query, over the queries
    with two values and more. `rule` says what passes, None where nothing does; then the rest is empty. `every[k - 1]`
    is the chance that a query passes k times of k, `once[k - 1]` that it passes at least once of k, both unbiased from
    the queries with k outcomes and more. `flips` is the share of queries that pass in some repetitions and not in
    others. `without` counts, over all repetitions, what has neither value nor outcome, by reason.
    """

    metric: str
    mean: Share
    deviation: float | None
    rule: str | None
    every: tuple[Share, ...]
    once: tuple[Share, ...]
    flips: Share
    without: dict[str, int]


class Unsteady(Struct, frozen=True, kw_only=True):
    """A query of which a metric does not always say the same: it passed in `passed` of `outcomes` repetitions, and its
    values lie between `low` and `high`. `passed` None: nothing says what passes.
    """

    query: str
    metric: str
    passed: int | None
    outcomes: int
    low: float | None
    high: float | None


class SelfAgreement(Struct, frozen=True, kw_only=True):
    """How often a judge repeats itself on the same claims of the same answers.

    `agreement` is the share of `judgements` that were the same every time, its interval from a bootstrap over queries;
    `alpha` is Krippendorff's, None where only one verdict was ever given.
    """

    judgements: int
    agreement: Share
    alpha: float | None


class Stability(Struct, frozen=True, kw_only=True):
    """`unsteady` holds every query and metric that varies; what it does not hold was the same in every repetition.

    `same_answers` counts queries that had the same answer, on the same passages, more than once. `judge` is None where
    none of them was judged more than once.
    """

    runs: tuple[str, ...]
    mismatches: tuple[Mismatch, ...]
    metrics: tuple[Repeated, ...]
    unsteady: tuple[Unsteady, ...]
    same_answers: int
    judge: SelfAgreement | None
