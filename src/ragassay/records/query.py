"""A query with what experts know about it: the gold."""

from datetime import date

from msgspec import Struct


class Relevance(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One gold id and its grade; ids that share a `need` are alternatives: any of them satisfies it.

    A `passage` is the id where it is given, and `document` then tells whose passage it is. A grade above 0 is
    relevant, 0 or less is judged not relevant.
    """

    document: str | None = None
    passage: str | None = None
    grade: float = 1.0
    need: str | None = None

    @property
    def id(self) -> str:
        return self.passage if self.passage is not None else self.document or ""


class Requester(Struct, frozen=True, omit_defaults=True):
    """Who asks, as far as access is concerned."""

    groups: tuple[str, ...] = ()


class Query(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A question, who asks it, and what a right answer needs.

    `answerable` None means nobody said; `relevant` None means nobody labelled it, an empty tuple that nothing is
    relevant. `requester` None means that access does not matter for this query.
    """

    id: str
    question: str | None = None
    answerable: bool | None = None
    relevant: tuple[Relevance, ...] | None = None
    reference: str | None = None
    required_claims: tuple[str, ...] | None = None
    critical: bool = False
    severity: str | None = None
    difficulty: str | None = None
    task: str | None = None
    language: str | None = None
    slices: tuple[str, ...] = ()
    requester: Requester | None = None
    scope: dict[str, str] = {}
    as_of: date | None = None
    origin: str | None = None

    @property
    def must_refuse(self) -> bool:
        return self.answerable is False
