"""How far a judge may be believed: its figures beside people's labels, a token-overlap floor, and people themselves.

The threshold and the grey band are chosen on the half of the passages that is set apart, and every figure is counted on
the other half.
"""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ragassay.judges.labelled import STANCES, Item, is_development
from ragassay.records import Failure, JudgeCard, Opinion, Stance
from ragassay.statistics import agreement
from ragassay.statistics.agreement import Bin, Sampling
from ragassay.statistics.calibration import best_threshold, grey_band
from ragassay.statistics.intervals import Interval
from ragassay.statistics.votes import majority
from ragassay.text.overlap import token_overlap

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Pairs = Sequence[tuple[Item, Opinion]]


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A number with its interval; `value` None is undefined: a class without items, or nothing but chance."""

    value: float | None
    interval: Interval


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far verdicts agree with people on n claims, of which people call `supported` supported."""

    n: int
    supported: int
    passages: int
    balanced_accuracy: Figure
    kappa: Figure
    auc: float | None
    recall_supported: float | None
    recall_unsupported: float | None
    precision_supported: float | None


class Reliability(msgspec.Struct, frozen=True, kw_only=True):
    """What the judge's probabilities are worth: the calibration picture, its error, the Brier score."""

    bins: tuple[Bin, ...]
    error: float | None
    brier: float | None


class GreyBand(msgspec.Struct, frozen=True, kw_only=True):
    """Probabilities in [low, high) go to people: their share of the test part, and the agreement outside the band."""

    low: float
    high: float
    share: float | None
    outside: Agreement


class People(msgspec.Struct, frozen=True, kw_only=True):
    """How far people agree with one another on whether claims are supported, over items with several raters.

    `rater` and `judge` are balanced accuracies against the majority of the other raters, on the same items.
    """

    items: int
    raters: int
    agreement: float
    alpha: Figure
    rater: float | None
    judge: float | None


class Confusion(msgspec.Struct, frozen=True, kw_only=True):
    """A test claim on which judge and people differ at the threshold."""

    claim: str
    context: tuple[str, ...]
    lang: str
    label: Stance
    verdict: Stance
    probability: float
    quote: str | None


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """A judge beside people. `headline` is at the frozen threshold, `own` the verdicts as the judge gives them.

    `repeated` counts rows that say what a rater said already: one claim counts once.
    `divided` counts items without a majority, `failed` those the judge failed on, by error; neither is in a figure.
    `verdicts` counts, on the test part, people's label → the judge's own verdict.
    """

    judge: JudgeCard
    development: int
    threshold: float
    floor_threshold: float
    headline: Agreement
    own: Agreement
    floor: Agreement
    by_language: dict[str, Agreement]
    by_slice: dict[str, Agreement]
    reliability: Reliability
    grey_band: GreyBand
    verdicts: dict[str, dict[str, int]]
    people: People | None
    confusions: tuple[Confusion, ...]
    failed: dict[str, int]
    divided: int
    repeated: int


def check(
    card: JudgeCard, items: Sequence[Item], outcomes: Sequence[Opinion | Failure], sampling: Sampling = agreement.USUAL
) -> Check:
    """Count every figure; outcomes are those of the items, in order."""
    judged = [(i, o) for i, o in zip(items, outcomes, strict=True) if isinstance(o, Opinion) and i.label is not None]
    development = [pair for pair in judged if is_development(pair[0])]
    test = [pair for pair in judged if not is_development(pair[0])]
    truth, raw = _truth(development), _probabilities(development)
    threshold = best_threshold(truth, raw)
    floor_threshold = best_threshold(truth, _overlaps(development))
    failed = [outcome.error for outcome in outcomes if isinstance(outcome, Failure)]
    score = _at(threshold, _probabilities)
    return Check(
        judge=card,
        development=len(development),
        threshold=threshold,
        floor_threshold=floor_threshold,
        headline=_agreement(test, *score(test), sampling),
        own=_agreement(test, _probabilities(test), _own(test), sampling),
        floor=_agreement(test, *_at(floor_threshold, _overlaps)(test), sampling),
        by_language=_by(test, lambda item: (item.lang,), score, sampling),
        by_slice=_by(test, lambda item: item.slices, score, sampling),
        reliability=reliability(test),
        grey_band=_grey(test, grey_band(truth, raw, threshold), score, sampling),
        verdicts=_table(test),
        people=_people(items, outcomes, sampling),
        confusions=_confusions(test, threshold),
        failed={error: failed.count(error) for error in sorted(set(failed))},
        divided=sum(item.label is None for item in items),
        repeated=sum(item.repeated for item in items),
    )


def figures(pairs: Pairs, sampling: Sampling = agreement.USUAL) -> Agreement:
    """How far a judge's own verdicts agree with people."""
    return _agreement(pairs, _probabilities(pairs), _own(pairs), sampling)


def reliability(pairs: Pairs) -> Reliability:
    """The calibration picture of a judge's probabilities."""
    truth, values = _truth(pairs), _probabilities(pairs)
    bins = agreement.reliability(truth, values)
    error = agreement.expected_calibration_error(bins)
    return Reliability(bins=tuple(bins), error=error, brier=agreement.brier(truth, values))


def overlap(item: Item) -> float:
    """The floor: the largest share of the claim's tokens that one text of the context holds; 0 without tokens."""
    return max((token_overlap(item.claim, text) or 0.0 for text in item.context), default=0.0)


Scored = Callable[[Pairs], tuple[Floats, Bools]]


def _at(threshold: float, scores: Callable[[Pairs], Floats]) -> Scored:
    def score(pairs: Pairs) -> tuple[Floats, Bools]:
        values = scores(pairs)
        return values, values >= threshold

    return score


def _truth(pairs: Pairs) -> Bools:
    return np.array([item.is_supported for item, _ in pairs], dtype=np.bool_)


def _probabilities(pairs: Pairs) -> Floats:
    return np.array([opinion.probability for _, opinion in pairs], dtype=np.float64)


def _own(pairs: Pairs) -> Bools:
    return np.array([opinion.verdict == "supports" for _, opinion in pairs], dtype=np.bool_)


def _overlaps(pairs: Pairs) -> Floats:
    return np.array([overlap(item) for item, _ in pairs], dtype=np.float64)


def _agreement(pairs: Pairs, scores: Floats, judged: Bools, sampling: Sampling) -> Agreement:
    truth = _truth(pairs)
    _, clusters = np.unique([item.passage for item, _ in pairs], return_inverse=True)
    counts = agreement.confusion(truth, judged, 2)
    recall, precision = agreement.recalls(counts), agreement.precisions(counts)
    return Agreement(
        n=len(pairs),
        supported=int(truth.sum()),
        passages=len(set(clusters.tolist())),
        balanced_accuracy=Figure(
            value=agreement.balanced_accuracy(counts),
            interval=agreement.balanced_accuracy_interval(truth, judged, clusters, sampling),
        ),
        kappa=Figure(
            value=agreement.cohen_kappa(counts), interval=agreement.kappa_interval(truth, judged, clusters, sampling)
        ),
        auc=agreement.auc(truth, scores),
        recall_supported=recall[1],
        recall_unsupported=recall[0],
        precision_supported=precision[1],
    )


def _by(
    pairs: Pairs, names: Callable[[Item], tuple[str, ...]], score: Scored, sampling: Sampling
) -> dict[str, Agreement]:
    parts: dict[str, list[tuple[Item, Opinion]]] = {}
    for pair in pairs:
        for name in names(pair[0]):
            parts.setdefault(name, []).append(pair)
    return {name: _agreement(part, *score(part), sampling) for name, part in sorted(parts.items())}


def _grey(test: Pairs, band: tuple[float, float], score: Scored, sampling: Sampling) -> GreyBand:
    low, high = band
    outside = [pair for pair in test if not low <= pair[1].probability < high]
    share = 1 - len(outside) / len(test) if test else None
    return GreyBand(low=low, high=high, share=share, outside=_agreement(outside, *score(outside), sampling))


def _table(test: Pairs) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {label: dict.fromkeys(STANCES, 0) for label in STANCES}
    for item, opinion in test:
        counts[item.label or ""][opinion.verdict] += 1
    return counts


def _confusions(test: Pairs, threshold: float) -> tuple[Confusion, ...]:
    """Every difference, the surest mistake first."""
    wrong = [(item, opinion) for item, opinion in test if (opinion.probability >= threshold) != item.is_supported]
    wrong.sort(key=lambda pair: -abs(pair[1].probability - threshold))
    return tuple(
        Confusion(
            claim=item.claim,
            context=item.context,
            lang=item.lang,
            label=item.label or "neutral",
            verdict=opinion.verdict,
            probability=opinion.probability,
            quote=opinion.quote,
        )
        for item, opinion in wrong
    )


def _people(items: Sequence[Item], outcomes: Sequence[Opinion | Failure], sampling: Sampling) -> People | None:
    shared = [(i, o) for i, o in zip(items, outcomes, strict=True) if len({rater for rater, _ in i.votes}) > 1]
    if not shared:
        return None
    raters = {rater: place for place, rater in enumerate(sorted({r or "" for i, _ in shared for r, _ in i.votes}))}
    ratings = np.full((len(raters), len(shared)), agreement.MISSING, dtype=np.intp)
    for column, (item, _) in enumerate(shared):
        for rater, verdict in item.votes:
            ratings[raters[rater or ""], column] = verdict == "supports"
    against = [row for item, outcome in shared for row in _against_others(item, outcome)]
    people = agreement.confusion([row[0] for row in against], [row[1] for row in against], 2)
    known = [(row[0], row[2]) for row in against if row[2] is not None]
    judge = agreement.confusion([truth for truth, _ in known], [said for _, said in known], 2)
    return People(
        items=len(shared),
        raters=len(raters),
        agreement=float(np.mean([_pairwise(item) for item, _ in shared])),
        alpha=Figure(
            value=agreement.krippendorff_alpha(ratings, 2), interval=agreement.alpha_interval(ratings, 2, sampling)
        ),
        rater=agreement.balanced_accuracy(people),
        judge=agreement.balanced_accuracy(judge),
    )


def _against_others(item: Item, outcome: Opinion | Failure) -> list[tuple[bool, bool, bool | None]]:
    """For each rater: what the majority of the others says, what the rater says, what the judge says."""
    judged = outcome.verdict == "supports" if isinstance(outcome, Opinion) else None
    rows: list[tuple[bool, bool, bool | None]] = []
    for place, (_, verdict) in enumerate(item.votes):
        others = majority([_side(other) for at, (_, other) in enumerate(item.votes) if at != place])
        if others is not None:
            rows.append((others == "supports", verdict == "supports", judged))
    return rows


def _pairwise(item: Item) -> float:
    """The share of pairs of raters who agree."""
    supporting, total = sum(verdict == "supports" for _, verdict in item.votes), len(item.votes)
    against = total - supporting
    return (supporting * (supporting - 1) + against * (against - 1)) / (total * (total - 1))


def _side(verdict: Stance) -> Stance:
    return "supports" if verdict == "supports" else "neutral"
