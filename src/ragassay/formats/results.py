"""`retrieved` in every shape that people write it."""

from collections.abc import Sequence
from typing import Any, cast

from ragassay.formats.fields import Converter, Field, Fields, convert, identity, listed, number, rank, text
from ragassay.formats.reading import Misfit, Reading, Unfit
from ragassay.records import Result

RESULT: Fields = {
    "passage": Field("passage", identity("passage")),
    "document": Field("document", identity("document")),
    "revision": Field("revision", identity("revision")),
    "score": Field("score", number),
    "rank": Field("rank", rank),
    "text": Field("text", text),
}


def results(bare: str, table: Fields = RESULT) -> Converter:
    """A converter to a tuple of `Result` in order of rank, or of the list where no ranks are given.

    Items are objects, or bare values for the field `bare`: "document", "passage" or "text".
    """

    def convert_results(reading: Reading, value: object) -> tuple[Result, ...]:
        found: list[Result] = []
        misfits: list[Misfit] = []
        items: Sequence[Any] = [value] if isinstance(value, dict) else listed(value)
        for position, item in enumerate(items):
            try:
                found.append(_result(reading, item, bare, table))
            except Unfit as unfit:
                misfits.extend(misfit._replace(path=f"[{position}]{misfit.path}") for misfit in unfit.misfits)
        if misfits:
            raise Unfit(*misfits)
        return _ranked(found)

    return convert_results


def _result(reading: Reading, item: object, bare: str, table: Fields) -> Result:
    if not isinstance(item, dict):
        if bare != "text":
            return Result(**{bare: reading.identify(bare, item)})  # pyright: ignore[reportArgumentType]
        if isinstance(item, str):
            return Result(text=item)
        raise Unfit(Misfit(item, "the text of a passage"))
    values = convert(reading, cast("dict[str, object]", item), table, "retrieved.")
    if not values.keys() & {"passage", "document", "text"}:
        raise Unfit(Misfit(cast("object", item), "a passage, a document or a text", "name what was retrieved"))
    return Result(**values)


def _ranked(found: list[Result]) -> tuple[Result, ...]:
    ranks = [result.rank for result in found if result.rank is not None]
    if not ranks:
        return tuple(found)
    if len(ranks) != len(found):
        raise Unfit(Misfit(f"{len(ranks)} ranks", f"a rank for each of the {len(found)} results, or for none"))
    if len(set(ranks)) != len(ranks):
        raise Unfit(Misfit(sorted(ranks), "a different rank for each result"))
    return tuple(sorted(found, key=lambda result: result.rank or 0))
