"""Human labels as a judge. A person's label outranks every model; where nobody labelled, another judge answers."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ragassay.judges.judging import Bench
from ragassay.judges.protocol import Judge, Pair, Reading, Statement
from ragassay.records import AnyLabel, Failure, JudgeCard, Judged, Label, Opinion, Stance, Usage
from ragassay.statistics.votes import majority
from ragassay.text.normalise import comparable
from ragassay.text.statements import statements

NAME = "human"


class _Votes(NamedTuple):
    """What people say of one claim beside one context; `verdict` None where they are evenly divided."""

    verdict: Stance | None
    supporting: float
    contradicting: float
    raters: int
    is_disputed: bool


class Nobody:
    """Stands where no judge is: claims are the statements of a text, and what nobody labelled is a failure."""

    @property
    def card(self) -> JudgeCard:
        return JudgeCard(name="nobody", kind=NAME, version="1", screens=False)

    async def read(self, text: str, question: str) -> Reading:  # noqa: ARG002  the protocol's
        return Reading(statements=tuple(Statement(text[span.start : span.end], *span) for span in statements(text)))

    async def verify(self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]) -> Sequence[Failure]:  # noqa: ARG002
        return [Failure(error="not_labelled")] * len(pairs)

    def spent(self) -> Usage:
        return Usage()

    async def close(self) -> None:
        """Nothing is held open."""


class HumanJudge:
    """People first, then `otherwise`.

    Labels are the current ones, one per rater and item. They are found again by the texts of claim and context as a
    reader sees them. A label on one text decides that pair. A label on several texts says of all of them together:
    where people do not call the claim supported, none of the texts supports it; where they do, and all of those texts
    are asked about, it rests on the one that `otherwise` finds most probable. Two of those texts joined are still those
    texts.
    Raters who disagree: the majority decides, disputed; where they are evenly divided, `otherwise` decides, disputed.
    """

    def __init__(self, labels: Sequence[Label], otherwise: Judge) -> None:
        self._otherwise = otherwise
        self._labels = tuple(labels)
        self._single: dict[tuple[str, str], _Votes] = {}
        self._joint: dict[str, list[tuple[frozenset[str], _Votes]]] = {}
        for (claim, context), votes in _counted(labels).items():
            if len(context) == 1:
                self._single[claim, next(iter(context))] = votes
            else:
                self._joint.setdefault(claim, []).append((context, votes))

    @property
    def card(self) -> JudgeCard:
        inner = self._otherwise.card
        labels = hashlib.sha256(msgspec.json.encode(self._labels)).hexdigest()
        return JudgeCard(
            name=f"{NAME}+{inner.name}",
            kind=NAME,
            version=inner.version,
            screens=inner.screens,
            settings={**inner.settings, "otherwise": inner.kind, "labels": f"sha256:{labels}"},
        )

    async def read(self, text: str, question: str) -> Reading | Failure:
        return await self._otherwise.read(text, question)

    async def verify(
        self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]
    ) -> Sequence[Opinion | Failure]:
        asked = [(comparable(claims[claim]), comparable(texts[text])) for claim, text in pairs]
        decided = {
            place: _opinion(votes)
            for place, key in enumerate(asked)
            if (votes := self._single.get(key)) is not None and votes.verdict is not None
        }
        left = [place for place in range(len(pairs)) if place not in decided]
        answers = await self._otherwise.verify(claims, texts, [pairs[place] for place in left])
        outcomes: list[Opinion | Failure] = [decided.get(place, _UNASKED) for place in range(len(pairs))]
        for place, answer in zip(left, answers, strict=True):
            outcomes[place] = _divided(answer) if asked[place] in self._single else answer
        for claim in dict.fromkeys(claim for claim, _ in asked if claim in self._joint):
            self._apply_joint(claim, {place: asked[place][1] for place in left if asked[place][0] == claim}, outcomes)
        return outcomes

    def _apply_joint(self, claim: str, places: dict[int, str], outcomes: list[Opinion | Failure]) -> None:
        for context, votes in self._joint[claim]:
            inside = [place for place, text in places.items() if _is_within(text, context)]
            if votes.verdict is None:
                settled = {place: _divided(outcomes[place]) for place in inside}
            elif votes.verdict != "supports":
                settled = _unsupported(votes, {place: outcomes[place] for place in inside})
            elif context <= {places[place] for place in inside}:
                best = max(inside, key=lambda place: _likelihood(outcomes[place]))
                settled = {best: _opinion(votes, quote=_quote(outcomes[best]))}
            else:
                settled = {}
            for place, outcome in settled.items():
                outcomes[place] = outcome

    def spent(self) -> Usage:
        return self._otherwise.spent()

    async def close(self) -> None:
        await self._otherwise.close()


_UNASKED = Failure(error="not_asked")


def with_people(bench: Bench | None, labels: Sequence[AnyLabel]) -> Bench | None:
    """The bench with people's labels of claims before its judge; people alone where it is None and they said anything.

    Other labels are no judge's business.
    """
    claims = [label for label in labels if isinstance(label, Label)]
    if not claims:
        return bench
    return (
        Bench(HumanJudge(claims, Nobody())) if bench is None else bench._replace(judge=HumanJudge(claims, bench.judge))
    )


def decided_by_people(judged: Sequence[Judged]) -> list[Judged]:
    """Cases of which people said something."""
    return [
        case
        for case in judged
        if any(
            isinstance(each.outcome, Opinion) and each.outcome.judge == NAME
            for each in (*case.support, *case.entailment)
        )
    ]


def _is_within(text: str, context: frozenset[str]) -> bool:
    """Whether a text is one of the context, or two of them joined."""
    if text in context:
        return True
    return any(text.startswith(f"{each} ") and text[len(each) + 1 :] in context for each in context)


def _counted(labels: Sequence[Label]) -> dict[tuple[str, frozenset[str]], _Votes]:
    given: dict[tuple[str, frozenset[str]], dict[tuple[str | None, Stance], Stance]] = {}
    for label in labels:
        key = comparable(label.claim), frozenset(comparable(text) for text in label.context)
        given.setdefault(key, {})[label.rater, label.label] = label.label
    return {key: _votes_of(list(votes.values())) for key, votes in given.items()}


def _votes_of(verdicts: Sequence[Stance]) -> _Votes:
    """The majority of at least one verdict, and how far it is shared."""
    return _Votes(
        verdict=majority(verdicts),
        supporting=verdicts.count("supports") / len(verdicts),
        contradicting=verdicts.count("contradicts") / len(verdicts),
        raters=len(verdicts),
        is_disputed=len(set(verdicts)) > 1,
    )


def _opinion(votes: _Votes, quote: str | None = None) -> Opinion:
    people = "1 person" if votes.raters == 1 else f"{votes.raters} people"
    return Opinion(
        verdict=votes.verdict or "neutral",
        probability=votes.supporting,
        contradiction=votes.contradicting,
        quote=quote if votes.verdict == "supports" else None,
        reason=f"labelled by {people}",
        disputed=votes.is_disputed,
        judge=NAME,
    )


def _divided(answer: Opinion | Failure) -> Opinion | Failure:
    """A model's opinion where people are evenly divided: it stands, disputed."""
    if isinstance(answer, Failure):
        return answer
    return msgspec.structs.replace(answer, disputed=True, reason="people are evenly divided")


def _unsupported(votes: _Votes, outcomes: dict[int, Opinion | Failure]) -> dict[int, Opinion | Failure]:
    """No text supports the claim; a contradiction rests on the text that contradicts it most."""
    settled: dict[int, Opinion | Failure] = {place: _opinion(votes._replace(verdict="neutral")) for place in outcomes}
    if votes.verdict == "contradicts" and outcomes:
        settled[max(outcomes, key=lambda place: _likelihood(outcomes[place], of_support=False))] = _opinion(votes)
    return settled


def _likelihood(outcome: Opinion | Failure, *, of_support: bool = True) -> float:
    if isinstance(outcome, Failure):
        return -1.0
    return outcome.probability if of_support else outcome.contradiction


def _quote(outcome: Opinion | Failure) -> str | None:
    return outcome.quote if isinstance(outcome, Opinion) else None
