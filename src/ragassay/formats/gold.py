"""`relevant` in every shape that people write it."""

from collections.abc import Sequence
from typing import Any, cast

from ragassay.formats.fields import Converter, Field, Fields, convert, identity, listed, number, text
from ragassay.formats.reading import Misfit, Reading, Unfit
from ragassay.records import Relevance, Unit

RELEVANCE: Fields = {
    "document": Field("document", identity("document")),
    "passage": Field("passage", identity("passage")),
    "grade": Field("grade", number),
    "need": Field("need", text),
}


def relevance(unit: Unit, table: Fields = RELEVANCE) -> Converter:
    """A converter to a tuple of `Relevance`.

    Items are objects, or ids of the given unit; a list within the list is a group of alternatives, one need. An id
    that is repeated in a need counts once and is noted; with two grades it is a fault.
    """

    def convert_relevant(reading: Reading, value: object) -> tuple[Relevance, ...]:
        found: dict[tuple[str | None, str | None, str | None], Relevance] = {}
        misfits: list[Misfit] = []
        for path, item, need in _flattened(value):
            try:
                _add(found, _relevance(reading, item, (unit, table, need)), reading)
            except Unfit as unfit:
                misfits.extend(misfit._replace(path=path + misfit.path) for misfit in unfit.misfits)
        if misfits:
            raise Unfit(*misfits)
        return tuple(found.values())

    return convert_relevant


def _flattened(value: object) -> list[tuple[str, object, str | None]]:
    """(path, item, need) of every item; groups of alternatives are numbered from 1."""
    items: Sequence[Any] = [value] if isinstance(value, dict) else listed(value)
    flat: list[tuple[str, object, str | None]] = []
    for position, item in enumerate(items):
        if isinstance(item, list):
            group = cast("list[object]", item)
            flat.extend((f"[{position}][{place}]", each, str(position + 1)) for place, each in enumerate(group))
        else:
            flat.append((f"[{position}]", item, None))
    return flat


def _relevance(reading: Reading, item: object, rules: tuple[Unit, Fields, str | None]) -> Relevance:
    unit, table, need = rules
    if not isinstance(item, dict):
        return Relevance(need=need, **{unit: reading.identify(unit, item)})  # pyright: ignore[reportArgumentType]
    values = convert(reading, cast("dict[str, object]", item), table, "relevant.")
    if ("document" in values) == ("passage" in values):
        raise Unfit(
            Misfit(
                cast("object", item), "exactly one of document and passage", "label either the document or the passage"
            )
        )
    if need is not None:
        values.setdefault("need", need)
    return Relevance(**values)


def _add(found: dict[tuple[str | None, str | None, str | None], Relevance], new: Relevance, reading: Reading) -> None:
    key = (new.document, new.passage, new.need)
    known = found.setdefault(key, new)
    if known is new:
        return
    if known.grade != new.grade:
        raise Unfit(
            Misfit(
                new.grade, f"the grade {known.grade:g} that {new.id!r} already has", "give an id one grade", ".grade"
            )
        )
    reading.note("repeated_gold", "gold ids named more than once for a query count once")
