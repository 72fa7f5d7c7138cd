"""The dictionary: every metric there is, by family, in the order in which reports print them."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from ragassay.metrics import citations, company, context, critical, effort, groundedness, refusal, relevancy, retrieval
from ragassay.metrics.definition import Choice, Metric, parse_identity

FAMILIES: dict[str, tuple[Metric, ...]] = {
    "retrieval": (*retrieval.METRICS, *company.METRICS),
    "context": context.METRICS,
    "groundedness": (*groundedness.METRICS, *relevancy.METRICS),
    "citations": citations.METRICS,
    "refusal": refusal.METRICS,
    "critical": critical.METRICS,
    "effort": effort.METRICS,
}

DICTIONARY: dict[str, Metric] = {metric.name: metric for family in FAMILIES.values() for metric in family}

ALIASES: dict[str, str] = {alias: metric.name for metric in DICTIONARY.values() for alias in metric.aliases}


def find(identity: str) -> Choice:
    """The choice that an identity names. Raises ValueError naming the nearest metric, variant or version."""
    parts = parse_identity(identity)
    name = ALIASES.get(parts.name, parts.name)
    if name not in DICTIONARY:
        near = get_close_matches(parts.name, [*DICTIONARY, *ALIASES], n=1)
        hint = f"; did you mean {near[0]}?" if near else "; `ragassay metrics` lists the dictionary"
        raise ValueError(f"there is no metric {parts.name!r}{hint}")
    metric = DICTIONARY[name]
    if parts.version not in (None, metric.version):
        raise ValueError(f"{identity!r}: this dictionary defines {name} in version {metric.version}")
    return metric.choose(parts.k, **parts.variant)


def choices(ks: Sequence[int], selected: Iterable[str] | None = None) -> tuple[Choice, ...]:
    """The selected identities, or the whole dictionary at each cut-off."""
    if selected is not None:
        return tuple(find(identity) for identity in selected)
    return tuple(choice for metric in DICTIONARY.values() for choice in metric.every(ks))


def family_of(metric: Metric) -> str:
    return next(family for family, metrics in FAMILIES.items() if metric in metrics)
