"""Why an answer failed."""

from typing import Literal

from msgspec import Struct

Group = Literal["found nothing", "found too much", "found it and still missed", "other"]


class Cause(Struct, frozen=True, kw_only=True):
    """One cause of one failed query. `stage` is the part of the system to mend; `detail` names rank, passage, fact, or
    what is missing to tell more.
    """

    name: str
    stage: str
    group: Group
    detail: str | None = None


class Failed(Struct, frozen=True, kw_only=True):
    """A failed query with its primary cause, and every other one, in the order of the decision list."""

    query: str
    cause: Cause
    others: tuple[Cause, ...] = ()
