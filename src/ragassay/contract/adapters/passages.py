"""What a framework retrieved, read as passages. Metadata is whatever stood in the index, so no type is trusted."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeVar, cast

from msgspec import Struct

from ragassay.contract.request import Request
from ragassay.records import ASCENDING, Result, ScoreKind

T = TypeVar("T")
_LONGEST_ID = 1_000


class Keys(Struct, frozen=True, forbid_unknown_fields=True):
    """Under which metadata keys an index keeps what a passage is. None: it keeps none there.

    Without `passage` the framework's own id names the passage, without `score` its own score counts.
    """

    document: str = "document"
    revision: str | None = "revision"
    passage: str | None = None
    score: str | None = None


KEYS = Keys()


def result_of(keys: Keys, metadata: object, *, text: object, passage: object = None, score: object = None) -> Result:
    """A passage from metadata; `passage` and `score` are the framework's own. Never raises.

    What cannot be read is not there: a passage without a score or of no known document is then removed, by name. A
    revision that cannot be read leaves the document unknown, for it may be a superseded one. A whole number serves as
    an id.
    """
    known = cast("Mapping[object, object]", metadata if isinstance(metadata, Mapping) else {})
    labelled = known.get(keys.revision) if keys.revision is not None else None
    revision = _id(labelled)
    is_readable = revision is not None or labelled is None or (isinstance(labelled, str) and not labelled)
    return Result(
        passage=_id(known.get(keys.passage) if keys.passage is not None else passage),
        document=_id(known.get(keys.document)) if is_readable else None,
        revision=revision,
        score=_number(known.get(keys.score) if keys.score is not None else score),
        text=text if isinstance(text, str) else None,
    )


def gathered(batches: Sequence[Iterable[T]], read: Callable[[T], Result], kind: ScoreKind) -> list[tuple[T, Result]]:
    """What several queries found, as one list: in the order found, the better score for what was found twice."""
    pairs = [[(item, read(item)) for item in batch] for batch in batches]
    if len(pairs) == 1:
        return pairs[0]
    found: dict[Any, tuple[T, Result]] = {}
    for item, result in (pair for batch in pairs for pair in batch):
        key = (result.passage, result.document, result.revision, result.text)
        if key not in found or _goodness(kind, result) > _goodness(kind, found[key][1]):
            found[key] = item, result
    return list(found.values())


def screened(request: Request, found: Sequence[tuple[T, Result]]) -> list[T]:
    """What the search stage leaves of what was found; nothing after a stop."""
    if not request.search([result for _, result in found]).proceeds:
        return []
    left = {id(passage) for passage in request.passages}
    return [item for item, result in found if id(result) in left]


def _id(value: object) -> str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return str(value)
    return value if isinstance(value, str) and 0 < len(value) <= _LONGEST_ID else None


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(cast("Any", value)) if not isinstance(value, str | bytes | bytearray) else math.nan
    # An index may give any object for a score, and that object may do anything when it is asked for a number.
    except Exception:
        return None
    return number if math.isfinite(number) else None


def _goodness(kind: ScoreKind, result: Result) -> float:
    if result.score is None:
        return -math.inf
    return -result.score if kind in ASCENDING else result.score
