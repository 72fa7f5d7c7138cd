"""A judge with threshold and grey band fitted to labelled claims of the user's own domain."""

from collections.abc import Sequence

import msgspec

from ragassay.judges.checking import Agreement, Reliability, figures, reliability
from ragassay.judges.labelled import Item, fold
from ragassay.judges.protocol import Judge, Pair, Reading
from ragassay.records import Failure, JudgeCard, Opinion, Usage
from ragassay.statistics.calibration import Calibration, fit

LEAST = 40
"""Labelled claims below which a threshold is an accident."""
FOLDS = 5
DECIDING = ("n", "slope", "intercept", "threshold", "low", "high")
_HASH = 16


class CalibratedJudge:
    """The verdicts of another judge at a fitted threshold; its probabilities mapped; its grey band replaced.

    A claim is supported exactly where its mapped probability reaches the threshold. Raises ValueError where the
    calibration was fitted to another judge.
    """

    def __init__(self, judge: Judge, calibration: Calibration) -> None:
        if calibration.judge != judge.card.name:
            raise ValueError(f"the calibration is for judge {calibration.judge}, not for {judge.card.name}")
        self._judge, self._calibration = judge, calibration

    @property
    def card(self) -> JudgeCard:
        card = self._judge.card
        fitted = {f"calibration.{name}": repr(getattr(self._calibration, name)) for name in DECIDING}
        return msgspec.structs.replace(card, settings=card.settings | fitted)

    async def read(self, text: str, question: str) -> Reading | Failure:
        return await self._judge.read(text, question)

    async def verify(
        self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]
    ) -> Sequence[Opinion | Failure]:
        return [applied(self._calibration, outcome) for outcome in await self._judge.verify(claims, texts, pairs)]

    def spent(self) -> Usage:
        return self._judge.spent()

    async def close(self) -> None:
        await self._judge.close()


class Calibrated(msgspec.Struct, frozen=True, kw_only=True):
    """A calibration and what it is worth. `before` and `after` are on the same held-out claims.

    `share` of them fell into the grey band; `outside` is the agreement on the others.
    """

    calibration: Calibration
    folds: int
    before: Agreement
    after: Agreement
    reliability_before: Reliability
    reliability_after: Reliability
    share: float
    outside: Agreement
    failed: int
    divided: int

    @property
    def has_helped(self) -> bool:
        """Whether held-out claims are judged better at the fitted threshold than by the judge's own verdicts."""
        before, after = self.before.balanced_accuracy.value, self.after.balanced_accuracy.value
        return before is not None and after is not None and after > before


def applied(calibration: Calibration, outcome: Opinion | Failure) -> Opinion | Failure:
    """The outcome at the calibration's threshold."""
    if isinstance(outcome, Failure):
        return outcome
    probability = float(calibration.probability([outcome.probability])[0])
    verdict = "neutral" if outcome.verdict == "supports" else outcome.verdict
    return msgspec.structs.replace(
        outcome,
        verdict="supports" if probability >= calibration.threshold else verdict,
        probability=probability,
        disputed=calibration.low <= probability < calibration.high,
    )


def fitted_on(calibration: Calibration, items: Sequence[Item]) -> int:
    """How many items stand beside a context that the calibration was fitted on."""
    known = set(calibration.contexts)
    return sum(item.passage[:_HASH] in known for item in items)


def calibrate(card: JudgeCard, items: Sequence[Item], outcomes: Sequence[Opinion | Failure]) -> Calibrated:
    """Fit to all labelled claims, and say what such a fit is worth on held-out ones.

    Five folds that share no passage: each is judged by a fit to the other four. Raises ValueError for fewer than 40
    usable labels, for labels of one kind, and where the judge's probabilities do not rise with the labels.
    """
    pairs = [(i, o) for i, o in zip(items, outcomes, strict=True) if isinstance(o, Opinion) and i.label is not None]
    if len(pairs) < LEAST:
        raise ValueError(f"{len(pairs)} usable labels, expected at least {LEAST}; 50 to 100 are good")
    calibration = _fit(card, pairs)
    before: list[tuple[Item, Opinion]] = []
    after: list[tuple[Item, Opinion]] = []
    for number in range(FOLDS):
        held = [pair for pair in pairs if fold(pair[0], FOLDS) == number]
        if held:
            part = _fit(card, [pair for pair in pairs if fold(pair[0], FOLDS) != number])
            before += held
            after += [(item, judged) for item, said in held if isinstance(judged := applied(part, said), Opinion)]
    outside = [pair for pair in after if not pair[1].disputed]
    return Calibrated(
        calibration=calibration,
        folds=FOLDS,
        before=figures(before),
        after=figures(after),
        reliability_before=reliability(before),
        reliability_after=reliability(after),
        share=1 - len(outside) / len(after),
        outside=figures(outside),
        failed=sum(isinstance(outcome, Failure) for outcome in outcomes),
        divided=sum(item.label is None for item in items),
    )


def _fit(card: JudgeCard, pairs: Sequence[tuple[Item, Opinion]]) -> Calibration:
    fitted = fit(card.name, [item.is_supported for item, _ in pairs], [opinion.probability for _, opinion in pairs])
    return msgspec.structs.replace(fitted, contexts=tuple(sorted({item.passage[:_HASH] for item, _ in pairs})))
