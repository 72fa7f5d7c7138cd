"""What a metric is: a fraction per query, counted on evidence, under a definition that says everything about it."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ragassay.metrics.evidence import Evidence
from ragassay.metrics.ranking import Floats
from ragassay.records import Aggregation

Direction = Literal["higher", "lower"]


class Fractions(NamedTuple):
    """One fraction per query: `numerator` and `denominator` of shape (n,), and `state` of shape (n,).

    State 0 is defined; state i > 0 means that there is no value, for `absences[i - 1]`. An absence is the name of a
    reason for being undefined, or starts with `error:` where evidence could not be obtained.
    """

    numerator: Floats
    denominator: Floats
    state: NDArray[np.uint8]
    absences: tuple[str, ...]

    @property
    def defined(self) -> NDArray[np.bool_]:
        return self.state == 0


class Measure(Protocol):
    """Counts one metric for all queries at once. `__name__` is the function's own."""

    __name__: str

    def __call__(self, evidence: Evidence, choice: "Choice", /) -> Fractions: ...


class Choice(NamedTuple):
    """A metric with its parameters: what an identity such as `ndcg@10(gain=exp):v1` names."""

    metric: "Metric"
    k: int | None
    variant: Mapping[str, str]

    @property
    def id(self) -> str:
        """The identity without its version. A default variant is left out, save where the definition has no default."""
        rank = "" if self.k is None else f"@{self.k}"
        named = [f"{key}={value}" for key, value in sorted(self.variant.items()) if value != self.metric.default(key)]
        return f"{self.metric.name}{rank}({','.join(named)})" if named else f"{self.metric.name}{rank}"

    def __str__(self) -> str:
        return f"{self.id}:v{self.metric.version}"


class Metric(Struct, frozen=True, kw_only=True):
    """A definition. `formula` is the promise; `measure` keeps it for all queries at once.

    `cutoff` says whether the metric is read at a rank k: never, only with one ("required"), or either way
    ("optional"). `variants` maps a parameter to its values, the default first; one in `spelled` has no default and
    must be given. `beside` reports the other aggregation too. A reason in
    `voided_by` would bias the aggregate: where one query has no value for it, there is no aggregate at all.
    """

    name: str
    version: int = 1
    question: str
    unit: str
    formula: str
    matrices: tuple[str, ...]
    undefined: tuple[str, ...]
    aggregation: Aggregation
    direction: Direction
    bounds: tuple[float, float | None]
    source: str
    measure: Measure
    cutoff: Literal["none", "optional", "required"] = "none"
    variants: dict[str, tuple[str, ...]] = {}
    spelled: tuple[str, ...] = ()
    beside: bool = False
    voided_by: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    def default(self, parameter: str) -> str | None:
        return None if parameter in self.spelled else self.variants[parameter][0]

    def choose(self, k: int | None = None, **variant: str) -> Choice:
        """This metric at k under the given variant; raises ValueError where the definition has no such choice."""
        if (k is None and self.cutoff == "required") or (k is not None and self.cutoff == "none"):
            raise ValueError(f"{self.name} takes {'a' if k is None else 'no'} cut-off k, for example {self.example()}")
        if k is not None and k < 1:
            raise ValueError(f"{self.name}@{k}: k counts results from 1")
        chosen = {key: variant.get(key, self.default(key)) for key in self.variants}
        for key, value in {**variant, **chosen}.items():
            if value not in self.variants.get(key, ()):
                found = f"no variant {key}={value}" if value else f"to be told {key}"
                raise ValueError(f"{self.name} has {found}; for example {self.example()}")
        return Choice(self, k, {key: value for key, value in chosen.items() if value is not None})

    def every(self, ks: Sequence[int]) -> tuple[Choice, ...]:
        """What a report shows by default: each cut-off, each spelled variant, other variants at their defaults."""
        cutoffs: Sequence[int | None] = ks if self.cutoff == "required" else (None,)
        spelled = [{key: value} for key in self.spelled for value in self.variants[key]] or [{}]
        return tuple(self.choose(k, **variant) for k in cutoffs for variant in spelled)

    def example(self) -> str:
        named = ",".join(f"{key}={self.variants[key][0]}" for key in self.spelled)
        return f"{self.name}{'@10' if self.cutoff == 'required' else ''}{f'({named})' if named else ''}"


_IDENTITY = re.compile(
    r"(?P<name>[a-z0-9_]+)(?:@(?P<k>[0-9]{1,6}))?(?:\((?P<variant>[^()]*)\))?(?::v(?P<version>[0-9]{1,4}))?"
)


class Identity(NamedTuple):
    """The parts of a written identity, before anybody looked whether such a metric exists."""

    name: str
    k: int | None
    variant: dict[str, str]
    version: int | None


def parse_identity(text: str) -> Identity:
    """`ndcg@10(gain=exp):v1` → its parts. Raises ValueError where the text is no identity."""
    match = _IDENTITY.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"{text!r} names no metric; an identity looks like recall@10, ndcg@10(gain=exp) or recall@10:v1"
        )
    variant: dict[str, str] = {}
    for part in (match["variant"] or "").split(","):
        key, separator, value = part.strip().partition("=")
        if separator:
            variant[key.strip()] = value.strip()
        elif key:
            raise ValueError(f"{text!r}: a variant is written key=value, for example gain=exp")
    k, version = match["k"], match["version"]
    return Identity(match["name"], int(k) if k else None, variant, int(version) if version else None)


def fractions(numerator: Floats, denominator: Floats | float, absent: Mapping[str, NDArray[np.bool_]]) -> Fractions:
    """Fractions with the first absence that holds for each query; a query with a zero denominator must be absent."""
    state = np.zeros(len(numerator), dtype=np.uint8)
    for index, mask in enumerate(absent.values(), start=1):
        state[mask & (state == 0)] = index
    bottom = np.broadcast_to(np.asarray(denominator, dtype=np.float64), numerator.shape)
    defined = state == 0
    return Fractions(np.where(defined, numerator, 0.0), np.where(defined, bottom, 0.0), state, tuple(absent))
