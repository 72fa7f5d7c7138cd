"""A failure that is kept as a case, so that it is asked again with every later evaluation."""

from datetime import date
from typing import Literal

from msgspec import Struct

from ragassay.records.cause import Cause
from ragassay.records.query import Query

CaseKind = Literal["incident", "regression"]


class Shown(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A passage as it was shown to the generator, or retrieved where the prompt was not recorded."""

    passage: str | None = None
    document: str | None = None
    revision: str | None = None
    text: str | None = None


class Retired(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a case is asked no longer, and since when. The case itself stays."""

    reason: str
    date: date


class PinnedCase(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A failed query with its evidence as it was in the run that failed.

    `incident` is a failure that somebody suffered, `regression` one that a version brought. `query` holds question and
    gold at that time, so that the case outlives changes of the dataset. `id` is made of the query and the run.
    """

    id: str
    kind: CaseKind
    query: Query
    cause: Cause
    run: str
    date: date
    answer: str | None = None
    error: str | None = None
    passages: tuple[Shown, ...] = ()
    note: str | None = None
    retired: Retired | None = None
