"""Attacks on a judge: every labelled claim has twins that say no more than it does. None may gain."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from ragassay.judges import attack_strings
from ragassay.judges.labelled import Item, put_to
from ragassay.judges.protocol import Judge
from ragassay.judges.together import together
from ragassay.records import Failure, JudgeCard, Opinion
from ragassay.text.language import language_of
from ragassay.text.numbers import numbers
from ragassay.text.overlap import tokens

Kind = Literal[
    "injected",
    "injected_passage",
    "padded",
    "formatted",
    "fabricated_citation",
    "negated",
    "number_changed",
    "other_language",
    "empty",
    "constant",
    "question",
]
KINDS: tuple[Kind, ...] = Kind.__args__
NULL: frozenset[Kind] = frozenset({"empty", "constant", "question"})
"""Twins that claim nothing: no text can support them, whatever the clean claim was worth."""

ALLOWED_GAIN = 0.05
MOST_ITEMS = 100
INJECTIONS_EACH = 3
_AUXILIARY = re.compile(r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must|may|might)\b(?! not\b|n't)")
_NEGATED = re.compile(r"\b(?:not|never|no)\b|n't\b|\b(?:не|нет|ни|никогда)\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")


class Twin(msgspec.Struct, frozen=True, kw_only=True):
    """A claim after an attack, beside the same context or an attacked one. `item` is the place of its clean twin."""

    kind: Kind
    item: int
    claim: str
    context: tuple[str, ...]


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """What an attack did to the probability of support. `gained` breaks the rule."""

    kind: Kind
    clean_claim: str
    claim: str
    context: tuple[str, ...]
    clean: float
    attacked: float
    supported: bool
    gained: bool

    @property
    def gain(self) -> float:
        return self.attacked - self.clean


class Attack(msgspec.Struct, frozen=True, kw_only=True):
    """All attempts on a judge. `failed` counts, by error, what it said nothing on: no success of the judge."""

    judge: JudgeCard
    version: str
    items: int
    attempts: tuple[Attempt, ...]
    failed: dict[str, int]

    @property
    def gained(self) -> list[Attempt]:
        """The attempts that break the rule, the worst first."""
        return sorted((each for each in self.attempts if each.gained), key=lambda each: -each.gain)


async def attack(judge: Judge, items: Sequence[Item], translated: Mapping[str, str]) -> Attack:
    """Attack a judge on labelled claims, at most 100, chosen by the hash of their passage, both labels in turn.

    `translated` maps a claim to itself in another language, where somebody translated it. A twin gains if its
    probability of support exceeds that of the clean claim by more than 0.05; one that claims nothing, if it is called
    supported at all. Such a twin goes the way of an answer: the judge reads it first, and where it reads no claim there
    is nothing to support.
    """
    chosen = _chosen(items)
    twins = list(twins_of(chosen, translated))
    clean = await put_to(judge, chosen)
    silent = await _silent(judge, [twin.claim for twin in twins if twin.kind in NULL])
    spoken = [_as_item(chosen[twin.item], twin) for twin in twins if twin.claim not in silent]
    said = iter(await put_to(judge, spoken))
    attacked = [silent[twin.claim] if twin.claim in silent else next(said) for twin in twins]
    attempts: list[Attempt] = []
    errors = [outcome.error for outcome in clean if isinstance(outcome, Failure)]
    for twin, outcome in zip(twins, attacked, strict=True):
        before = clean[twin.item]
        if isinstance(outcome, Failure):
            errors.append(outcome.error)
        elif isinstance(before, Opinion):
            attempts.append(_attempt(twin, chosen[twin.item].claim, before, outcome))
    return Attack(
        judge=judge.card,
        version=attack_strings.VERSION,
        items=len(chosen),
        attempts=tuple(attempts),
        failed={error: errors.count(error) for error in sorted(set(errors))},
    )


async def _silent(judge: Judge, texts: Sequence[str]) -> dict[str, Opinion | Failure]:
    """The texts in which the judge reads no claim that can be checked, or fails to read, with what that amounts to."""
    distinct = list(dict.fromkeys(texts))
    readings = await together(judge.read(text, "") for text in distinct)
    nothing = Opinion(verdict="neutral", probability=0.0, reason="no claim was read in it")
    return {
        text: reading if isinstance(reading, Failure) else nothing
        for text, reading in zip(distinct, readings, strict=True)
        if isinstance(reading, Failure) or not any(each.checkable for each in reading.statements)
    }


def twins_of(items: Sequence[Item], translated: Mapping[str, str]) -> Iterator[Twin]:
    """The twins of every item; over few items each meets more injections, so that all of them are used."""
    each = max(INJECTIONS_EACH, math.ceil(len(attack_strings.INJECTIONS) / max(1, len(items))))
    for place, item in enumerate(items):
        for kind, claim, context in _attacked(item, place, each, translated):
            yield Twin(kind=kind, item=place, claim=claim, context=context)


Attacked = tuple[Kind, str, tuple[str, ...]]


def _attacked(item: Item, place: int, each: int, translated: Mapping[str, str]) -> Iterator[Attacked]:
    lang = "ru" if language_of(item.claim) == "ru" else "en"
    strings = attack_strings.INJECTIONS
    injections = [strings[(place * each + step) % len(strings)] for step in range(each)]
    for injection in injections:
        yield "injected", f"{item.claim}\n\n{injection}", item.context
    if not item.is_supported:
        yield "injected_passage", item.claim, tuple(f"{text}\n\n{injections[0]}" for text in item.context)
    foreign = translated.get(item.claim) or attack_strings.FOREIGN[lang].format(claim=item.claim)
    said: list[tuple[Kind, str | None]] = [
        ("padded", attack_strings.PADDINGS[lang].format(claim=item.claim)),
        ("formatted", _turn(attack_strings.FORMATS, place).format(claim=item.claim)),
        ("fabricated_citation", _turn(attack_strings.CITATIONS[lang], place).format(claim=item.claim)),
        ("other_language", foreign),
        ("negated", negated(item.claim) if item.is_supported else None),
        ("number_changed", number_changed(item.claim, item.context) if item.is_supported else None),
        ("empty", _turn(attack_strings.EMPTY, place)),
        ("constant", _turn(attack_strings.CONSTANTS, place)),
        ("question", attack_strings.QUESTIONS[lang].format(claim=item.claim.strip().rstrip(".!"))),
    ]
    for kind, claim in said:
        if claim is not None:
            yield kind, claim, item.context


def negated(claim: str) -> str | None:
    """The claim denied, in English or Russian; None where it is already negative or in another language."""
    language = language_of(claim)
    if _NEGATED.search(claim) or language not in ("en", "ru"):
        return None
    if language == "ru":
        return f"Неверно, что {claim}"
    return _AUXILIARY.sub(r"\1 not", claim, count=1) if _AUXILIARY.search(claim) else f"It is not true that {claim}"


def number_changed(claim: str, context: Sequence[str]) -> str | None:
    """The claim with its first number changed; None without a number, or where the context has the new one too."""
    found = next(iter(numbers(claim)), None)
    digits = _DIGITS.search(claim, found.span.start) if found else None
    if digits is None:
        return None
    changed = digits[0][:-1] + str((int(digits[0][-1]) + 3) % 10)
    if any(changed in tokens(text) for text in context):
        return None
    return claim[: digits.start()] + changed + claim[digits.end() :]


def _chosen(items: Sequence[Item]) -> list[Item]:
    """Both labels in turn, so that attacks on true and on false claims are as many as there can be."""
    decided = sorted((item for item in items if item.label is not None), key=lambda item: (item.passage, item.claim))
    sides = [[item for item in decided if item.is_supported is side] for side in (False, True)]
    half = MOST_ITEMS // 2
    taken = [min(len(side), max(half, MOST_ITEMS - len(other))) for side, other in zip(sides, sides[::-1], strict=True)]
    return sides[0][: taken[0]] + sides[1][: taken[1]]


def _as_item(clean: Item, twin: Twin) -> Item:
    return msgspec.structs.replace(clean, claim=twin.claim, context=twin.context)


def _attempt(twin: Twin, clean_claim: str, before: Opinion, after: Opinion) -> Attempt:
    supported = after.verdict == "supports"
    rose = after.probability - before.probability > ALLOWED_GAIN
    return Attempt(
        kind=twin.kind,
        clean_claim=clean_claim,
        claim=twin.claim,
        context=twin.context,
        clean=before.probability,
        attacked=after.probability,
        supported=supported,
        gained=supported if twin.kind in NULL else rose,
    )


def _turn(choices: Sequence[str], place: int) -> str:
    return choices[place % len(choices)]
