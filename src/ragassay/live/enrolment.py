"""A run becomes known to the store, unless its name or its system's version already stands for something else."""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from ragassay.live.plan import Plan, PlanCard, differences
from ragassay.records import Fault, FaultyInput, SystemCard
from ragassay.store import Fact, RunEntry, Store

_ENCODER = msgspec.json.Encoder(order="deterministic")


def enrol(store: Store, plan: Plan, name: str | None, now: datetime) -> RunEntry:
    """Keeps the plan's card and registers the run.

    Raises `FaultyInput` where a run of this name has another plan, or where the version that people gave the system
    already stands for another system; both name what differs.
    """
    card = plan.card
    if faults := [*_taken(store, card, name), *_relabelled(store, card.system)]:
        raise FaultyInput(faults)
    store.append([Fact("plan", card.hash, _ENCODER.encode(card))])
    entry = RunEntry(
        id=plan.id,
        plan=card.hash,
        name=name or plan.id,
        created=now,
        system=card.system,
        dataset=card.dataset,
        dataset_hash=card.dataset_hash,
    )
    return store.register(entry)


def _taken(store: Store, card: PlanCard, name: str | None) -> Iterator[Fault]:
    others = [entry for entry in store.runs() if name is not None and entry.name == name and entry.plan != card.hash]
    for entry in others[:1]:
        known = store.facts("plan", [entry.plan]).get(entry.plan)
        apart = [] if known is None else differences(msgspec.json.decode(known, type=PlanCard), card)
        yield Fault(
            code="run_of_another_plan",
            message="a run of this name was planned differently, and the two must not be mixed",
            field="--name",
            value=name,
            expected="; ".join(apart) or "the same plan",
            remedy="give another name; whatever did not change is taken from the store",
        )


def _relabelled(store: Store, system: SystemCard) -> Iterator[Fault]:
    if system.version is None:
        return
    for known in store.systems(system.version).values():
        before, now = (msgspec.structs.replace(card, name="") for card in (known, system))
        if apart := differences(before, now):
            yield Fault(
                code="system_changed_under_its_version",
                message="this version stands for another system already, so that no comparison could be believed",
                field="version",
                value=system.version,
                expected="; ".join(apart),
                remedy="give the changed system a version of its own",
            )
            return
