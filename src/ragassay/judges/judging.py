"""One case through a judge: claims are read once, and every claim is put beside every text that metrics ask about."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import structs

from ragassay.judges.protocol import Embedder, Judge, Pair, Reading, Relevance
from ragassay.judges.together import together
from ragassay.records import Case, Claim, Entailment, Failure, Judged, Opinion, Other, Side, Support

Outcome = Opinion | Failure
CONCURRENCY = 32
"""Cases open at once: twice the calls that an endpoint gets, so that there is always one to make."""


class Bench(NamedTuple):
    """What cases are judged with. `relevance` and `embedder` None leave what they measure unmeasured.

    `joins`: whether claims that no passage supports alone are put beside the best two together; a judge that sees all
    passages at once needs no such check.
    """

    judge: Judge
    relevance: Relevance | None = None
    embedder: Embedder | None = None
    joins: bool = False


class Plan(NamedTuple):
    """What to ask of the judge: pairs of a claim and a text, and whose they are."""

    claims: Sequence[Claim]
    texts: Sequence[str]
    pairs: Sequence[Pair]
    passages: int


async def judge_cases(bench: Bench, cases: Sequence[Case], concurrency: int = CONCURRENCY) -> list[Judged]:
    """Every case judged, in order; no more than `concurrency` cases are open at once."""
    open_ = asyncio.Semaphore(concurrency)

    async def judged(case: Case) -> Judged:
        async with open_:
            return await judge_case(bench, case)

    return await together(judged(case) for case in cases)


async def judge_case(bench: Bench, case: Case) -> Judged:
    """Everything that the judge says of a case. A failure to read fails the case; a failed pair fails alone."""
    texts = case.answer, case.reference
    spoken, reference = await together(_read(bench.judge, text, case.question) for text in texts)
    if isinstance(spoken, Failure):
        return Judged(query=case.query, failure=spoken)
    if isinstance(reference, Failure):
        return Judged(query=case.query, failure=reference)
    claims = [*_claims("answer", spoken), *_claims("reference", reference), *_required(case.required)]
    plan = _plan(case, claims)
    said = await bench.judge.verify([each.text for each in claims], plan.texts, plan.pairs)
    outcomes = dict(zip(plan.pairs, said, strict=True))
    outcomes = _suspected(plan, outcomes, {"answer": spoken.suspicion, "reference": reference.suspicion})
    support = list(_support(plan, outcomes))
    support += await _joint(bench, plan, outcomes) if bench.joins else ()
    questions, direct = await _relevancy(bench, case, spoken)
    passages = [passage.text for passage in case.passages or ()]
    related = bench.relevance if case.passages is not None else None
    return Judged(
        query=case.query,
        claims=tuple(claims),
        support=tuple(support),
        entailment=tuple(_entailment(case, plan, outcomes)),
        questions=questions,
        direct=direct,
        relevance=tuple(await related.relevance(case.question, passages)) if related and passages else (),
        sufficiency=await related.sufficiency(case.question, passages) if related else None,
    )


async def _read(judge: Judge, text: str | None, question: str) -> Reading | Failure:
    return Reading(statements=()) if not text else await judge.read(text, question)


def _claims(side: Side, reading: Reading) -> list[Claim]:
    return [
        Claim(side=side, number=number, text=each.text, start=each.start, end=each.end, checkable=each.checkable)
        for number, each in enumerate(reading.statements)
    ]


def _required(required: Sequence[str]) -> list[Claim]:
    return [Claim(side="required", number=number, text=text) for number, text in enumerate(required)]


def _plan(case: Case, claims: Sequence[Claim]) -> Plan:
    """Texts are the passages, then the reference, then the answer; an empty text is never asked about."""
    passages = [passage.text for passage in case.passages or ()]
    texts = [*passages, case.reference or "", case.answer or ""]
    reference, answer = len(passages), len(passages) + 1
    other = {"answer": reference, "reference": answer, "required": answer}
    pairs = [
        (index, text)
        for index, claim in enumerate(claims)
        if claim.checkable
        for text in (*range(len(passages)), other[claim.side])
        if texts[text].strip()
    ]
    return Plan(claims, texts, pairs, len(passages))


def _suspected(plan: Plan, outcomes: dict[Pair, Outcome], suspicions: Mapping[Side, str | None]) -> dict[Pair, Outcome]:
    """The outcomes, with those on claims of a text that speaks to the judge marked for people to decide."""
    found: dict[Pair, Outcome] = {}
    for (index, text), outcome in outcomes.items():
        suspicion = suspicions.get(plan.claims[index].side)
        is_doubtful = suspicion is not None and isinstance(outcome, Opinion)
        found[index, text] = structs.replace(outcome, disputed=True, reason=suspicion) if is_doubtful else outcome
    return found


def _support(plan: Plan, outcomes: dict[Pair, Outcome]) -> Iterator[Support]:
    for (index, text), outcome in outcomes.items():
        if text < plan.passages:
            claim = plan.claims[index]
            yield Support(side=claim.side, number=claim.number, passages=(text,), outcome=outcome)


def _entailment(case: Case, plan: Plan, outcomes: dict[Pair, Outcome]) -> Iterator[Entailment]:
    """Claims beside the other side. What an unanswered query must state is not stated: no judge is needed for that."""
    for index, claim in enumerate(plan.claims):
        other: Other = "reference" if claim.side == "answer" else "answer"
        text = plan.passages + (0 if other == "reference" else 1)
        if (index, text) in outcomes:
            yield Entailment(side=claim.side, number=claim.number, other=other, outcome=outcomes[index, text])
        elif other == "answer" and case.answer is None:
            silent = Opinion(verdict="neutral", probability=0.0, reason="nothing was answered")
            yield Entailment(side=claim.side, number=claim.number, other=other, outcome=silent)


async def _joint(bench: Bench, plan: Plan, outcomes: dict[Pair, Outcome]) -> list[Support]:
    """Claims that no passage supports alone, beside the two likeliest passages together."""
    open_ = [(index, best) for index in range(len(plan.claims)) if (best := _best_two(index, plan, outcomes))]
    texts = ["\n\n".join(plan.texts[place] for place in best) for _, best in open_]
    pairs = [(number, number) for number in range(len(open_))]
    found = await bench.judge.verify([plan.claims[index].text for index, _ in open_], texts, pairs)
    return [
        Support(side=plan.claims[index].side, number=plan.claims[index].number, passages=best, outcome=outcome)
        for (index, best), outcome in zip(open_, found, strict=True)
        if isinstance(outcome, Failure) or outcome.verdict == "supports"
    ]


def _best_two(index: int, plan: Plan, outcomes: dict[Pair, Outcome]) -> tuple[int, int] | None:
    """The two passages likeliest to support a claim, in context order; None where it needs no second look."""
    said = {place: outcomes.get((index, place)) for place in range(plan.passages)}
    opinions = {place: each for place, each in said.items() if isinstance(each, Opinion)}
    if len(opinions) < 2 or any(each.verdict != "neutral" for each in opinions.values()):
        return None
    likeliest = sorted(opinions, key=lambda place: (-opinions[place].probability, plan.texts[place]))[:2]
    first, second = sorted(likeliest)
    return first, second


async def _relevancy(bench: Bench, case: Case, spoken: Reading) -> tuple[tuple[tuple[str, float], ...], float | None]:
    """The cosines of the question with the questions that the answer would answer, and with the answer itself."""
    if bench.embedder is None or case.answer is None or not case.question:
        return (), None
    vectors = await bench.embedder.encode([case.question, case.answer, *spoken.questions])
    cosines = np.asarray(vectors[1:] @ vectors[0], dtype=np.float64).tolist()
    return tuple(zip(spoken.questions, cosines[1:], strict=True)), cosines[0]
