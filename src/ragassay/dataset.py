"""What a dataset is: its fingerprint, and what is wrong with it as a measuring instrument."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

import msgspec

from ragassay.records import DatasetCard, Notice, Query, RunCard
from ragassay.text.normalise import comparable

SHOWN = 3
"""Places that a notice names; its count says how many there are."""


def fingerprint(records: Iterable[msgspec.Struct]) -> str:
    """`sha256:…` over the records as canonical JSON, in an order that does not depend on the files'."""
    encoder = msgspec.json.Encoder(order="deterministic")
    lines = sorted(encoder.encode(record) for record in records)
    content = b"\n".join(lines)
    return f"sha256:{sha256(content).hexdigest()}"


def run_id(card: RunCard) -> str:
    """The id of a run: a hash of its card, which holds the hashes of everything that was measured."""
    return fingerprint([card]).removeprefix("sha256:")[:16]


def notice(code: str, places: Sequence[str], message: str) -> list[Notice]:
    """One notice that counts all places and names the first few, or none where there is no place."""
    samples = tuple(places[:SHOWN])
    return [Notice(code=code, count=len(places), message=message, samples=samples)] if places else []


def inspect(queries: Sequence[Query], card: DatasetCard) -> list[Notice]:
    """What a reader must know about the labels before believing a number that rests on them."""
    labelled_to_refuse = [query.id for query in queries if query.must_refuse and query.relevant]
    return [
        *_repeats(queries),
        *notice(
            "refusal_with_gold",
            labelled_to_refuse,
            "labelled answerable = false and yet with relevant ids; they count as queries that must be refused",
        ),
        *_quotas(queries, card.quotas),
    ]


def duplicate_groups(queries: Sequence[Query]) -> list[list[Query]]:
    """Queries that ask the same for the same requester, scope and date, in groups of two and more."""
    groups: dict[tuple[object, ...], list[Query]] = {}
    for query in queries:
        if query.question:
            key = (_asked(query.question), query.requester, tuple(sorted(query.scope.items())), query.as_of)
            groups.setdefault(key, []).append(query)
    return [group for group in groups.values() if len(group) > 1]


def effective_n(queries: Sequence[Query]) -> int:
    """How many different questions the queries hold."""
    return len(queries) - sum(len(group) - 1 for group in duplicate_groups(queries))


def _asked(question: str) -> str:
    """The question without the spacing and punctuation in which copies differ."""
    return "".join(character for character in comparable(question) if character.isalnum())


def conflicting(group: Sequence[Query]) -> list[tuple[str, str]]:
    """Pairs of one group whose gold differs: one of the two must be wrong."""
    first = group[0]
    return [(first.id, other.id) for other in group[1:] if _gold(other) != _gold(first)]


def _gold(query: Query) -> tuple[object, ...]:
    ids = None if query.relevant is None else frozenset(relevance.id for relevance in query.relevant)
    return ids, comparable(query.reference or ""), query.answerable


def _repeats(queries: Sequence[Query]) -> list[Notice]:
    groups = duplicate_groups(queries)
    conflicts = [f"{one}|{other}" for group in groups for one, other in conflicting(group)]
    return [
        *notice(
            "duplicate_questions",
            ["|".join(query.id for query in group) for group in groups],
            f"asked more than once; the {len(queries)} queries hold {effective_n(queries)} different questions, so that"
            " intervals are too narrow",
        ),
        *notice(
            "conflicting_gold", conflicts, "the same question has different gold; resolve it before relying on either"
        ),
    ]


def _quotas(queries: Sequence[Query], quotas: Mapping[str, int]) -> list[Notice]:
    counts = {name: sum(name in query.slices for query in queries) for name in quotas}
    short = [f"{name}: {counts[name]} of {quota}" for name, quota in quotas.items() if counts[name] < quota]
    return notice("quota_not_met", short, "the dataset holds fewer queries of a slice than dataset.toml asks for")
