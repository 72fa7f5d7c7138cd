"""Several judges as one: the verdict of the majority, with their disagreement kept."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from ragassay.judges.protocol import Judge, Pair, Reading
from ragassay.judges.together import together
from ragassay.records import Failure, JudgeCard, Opinion, Stance, Usage


class Panel:
    """Judges that vote. One that fails does not sink the others; only where all fail there is no verdict.

    The verdict is that of most opinions, and `neutral` where the lead is shared; probabilities are means. An opinion is
    disputed where opinions differ, where a member disputes its own, and where no more than half of the members agree.
    Claims and questions are read by the first member that can.
    """

    def __init__(self, judges: Sequence[Judge]) -> None:
        """Raises ValueError for fewer than two judges, or two of one name."""
        names = [judge.card.name for judge in judges]
        if len(names) < 2 or len(set(names)) < len(names):
            raise ValueError(
                f"a panel needs two or more judges with different names, found {', '.join(names) or 'none'}"
            )
        self._judges = tuple(judges)

    @property
    def card(self) -> JudgeCard:
        cards = [judge.card for judge in self._judges]
        return JudgeCard(
            name=f"panel of {', '.join(card.name for card in cards)}",
            kind="panel",
            version="1",
            screens=all(card.screens for card in cards),
            settings={
                f"{card.name} {key}": value
                for card in cards
                for key, value in {"kind": card.kind, "version": card.version, **card.settings}.items()
            },
        )

    async def read(self, text: str, question: str) -> Reading | Failure:
        failures: dict[str, Failure] = {}
        for judge in self._judges:
            reading = await judge.read(text, question)
            if not isinstance(reading, Failure):
                return reading
            failures[judge.card.name] = reading
        return _all_failed(failures)

    async def verify(
        self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]
    ) -> Sequence[Opinion | Failure]:
        """The members are asked at the same time."""
        names = [judge.card.name for judge in self._judges]
        votes = await together(judge.verify(claims, texts, pairs) for judge in self._judges)
        return [_decided(dict(zip(names, outcomes, strict=True))) for outcomes in zip(*votes, strict=True)]

    def spent(self) -> Usage:
        spent = [judge.spent() for judge in self._judges]
        return Usage(
            calls=sum(usage.calls for usage in spent),
            input_tokens=_count([usage.input_tokens for usage in spent]),
            output_tokens=_count([usage.output_tokens for usage in spent]),
            cost=_total([usage.cost for usage in spent]),
        )

    async def close(self) -> None:
        for judge in self._judges:
            await judge.close()


def _decided(outcomes: dict[str, Opinion | Failure]) -> Opinion | Failure:
    opinions = {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, Opinion)}
    failures = {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, Failure)}
    if not opinions:
        return _all_failed(failures)
    counts: Counter[Stance] = Counter(opinion.verdict for opinion in opinions.values())
    ranked = counts.most_common()
    is_shared = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    verdict: Stance = "neutral" if is_shared else ranked[0][0]
    agreeing = [opinion for opinion in opinions.values() if opinion.verdict == verdict]
    said = [_said(name, opinion) for name, opinion in opinions.items() if len(ranked) > 1 or opinion.reason]
    said += [f"{name} failed ({failure.error})" for name, failure in failures.items()]
    return Opinion(
        verdict=verdict,
        probability=fmean(opinion.probability for opinion in opinions.values()),
        contradiction=fmean(opinion.contradiction for opinion in opinions.values()),
        quote=next((opinion.quote for opinion in agreeing if opinion.quote is not None), None),
        reason="; ".join(said) or None,
        disputed=len(ranked) > 1
        or 2 * len(agreeing) <= len(outcomes)
        or any(opinion.disputed for opinion in opinions.values()),
        judge="panel",
    )


def _said(name: str, opinion: Opinion) -> str:
    return f"{name} {opinion.verdict}{f' ({opinion.reason})' if opinion.reason else ''}"


def _all_failed(failures: dict[str, Failure]) -> Failure:
    told = (
        f"{name}: {failure.error}{f' ({failure.detail})' if failure.detail else ''}"
        for name, failure in failures.items()
    )
    return Failure(error="panel_failed", detail="; ".join(told))


def _total(amounts: Sequence[float | None]) -> float | None:
    """The sum, unknown where a part is unknown."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


def _count(amounts: Sequence[int | None]) -> int | None:
    total = _total(amounts)
    return None if total is None else int(total)
