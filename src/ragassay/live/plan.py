"""What is to be done, under names that change with everything that can change its result."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, cast

import msgspec
from msgspec import Struct

from ragassay.dataset import fingerprint
from ragassay.formats.bundle import Bundle
from ragassay.judges.judging import Bench
from ragassay.records import Case, Fault, FaultyInput, JudgeCard, Query, SystemCard
from ragassay.runner import Settings
from ragassay.systems import asked_part

_ENCODER = msgspec.json.Encoder(order="deterministic")


class PlanCard(Struct, frozen=True, kw_only=True):
    """What is asked, of whom, judged by whom, measured how. Two runs of one card are the same run."""

    dataset: str
    dataset_version: str
    dataset_hash: str
    corpus_hash: str | None
    system: SystemCard
    judge: JudgeCard | None
    settings: Settings
    repetition: int

    @property
    def hash(self) -> str:
        return _hash("plan", self)


class Task(Struct, frozen=True):
    """One query to be asked; `key` names its answer in the store."""

    query: Query
    key: str


class Plan(Struct, frozen=True, kw_only=True):
    """All tasks of a run, in the order of the dataset."""

    card: PlanCard
    tasks: tuple[Task, ...]

    @property
    def id(self) -> str:
        return self.card.hash[:16]


def plan_for(observed: Bundle, system: SystemCard, bench: Bench | None, settings: Settings, repetition: int) -> Plan:
    """Raises `FaultyInput` with every query that cannot be asked."""
    faults = list(_unaskable(observed.queries, system))
    if faults:
        raise FaultyInput(faults)
    card = PlanCard(
        dataset=observed.card.name,
        dataset_version=observed.card.version,
        dataset_hash=fingerprint((observed.card, *observed.queries)),
        corpus_hash=None if observed.documents is None else fingerprint(observed.documents),
        system=system,
        judge=None if bench is None else bench.judge.card,
        settings=settings,
        repetition=repetition,
    )
    return Plan(card=card, tasks=tuple(Task(query, answer_key(query, card)) for query in observed.queries))


def answer_key(query: Query, card: PlanCard) -> str:
    return _hash("answer", asked_part(query), card.system, card.repetition)


def judgement_key(case: Case, card: PlanCard) -> str:
    return _hash("judgement", case, card.judge, card.repetition)


def differences(known: Struct, new: Struct) -> list[str]:
    """What differs between two cards of one kind, by the path of each field: `system.prompt_hash: a is now b`."""
    return list(_differences("", msgspec.to_builtins(known), msgspec.to_builtins(new)))


def _differences(path: str, known: Any, new: Any) -> Iterator[str]:  # noqa: ANN401  whatever JSON holds
    if isinstance(known, dict) or isinstance(new, dict):  # What is at its default may be left out.
        before, after = cast("dict[str, Any]", known or {}), cast("dict[str, Any]", new or {})
        for name in sorted({*before, *after}):
            inner = f"{path}.{name}" if path else name
            yield from _differences(inner, before.get(name), after.get(name))
    elif known != new:
        yield f"{path}: {_shown(known)} is now {_shown(new)}"


def _shown(value: Any) -> str:  # noqa: ANN401  whatever JSON holds
    return "nothing" if value is None else str(value)


def _hash(kind: str, *parts: Struct | int | None) -> str:
    return sha256(_ENCODER.encode([kind, *parts])).hexdigest()


def _unaskable(queries: Sequence[Query], system: SystemCard) -> Iterator[Fault]:
    if system.kind == "recorded":
        return
    for query in queries:
        if not query.question:
            yield Fault(
                code="no_question",
                message="a query without a question cannot be asked",
                field="question",
                value=query.id,
                expected="the text to ask",
                remedy="add the question, or measure recorded answers",
            )
