"""Gold and runs that are Python mappings: `{query: {id: grade}}` with `{query: {id: score}}` or `{query: [id, …]}`.

Nothing is copied that no one asks for: only judged ids are looked up, and a run's ids become columns only where equal
scores must be told apart by id.
"""

import math
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Sized
from itertools import chain, islice, repeat
from typing import cast

import numpy as np
import polars as pl

from ragassay.formats.fields import number
from ragassay.formats.reading import Reading, Unfit, shown
from ragassay.metrics.columns import Found, Gold, Judgements, Slice
from ragassay.metrics.ranking import Floats, Ints, Places, place_scores
from ragassay.records import FaultyInput
from ragassay.text.normalise import identifier

Grades = Mapping[str, Mapping[str, float] | None]
"""Grades of ids by query. None is a query that nobody labelled."""
Retrieved = Mapping[str, Mapping[str, float]] | Mapping[str, Sequence[str]]
"""By query, the scores of its results, or their ids in order."""
Rounding = Callable[[Floats], Floats]
SHOWN_FAULTS = 20
_NOTHING: Mapping[str, float] = {}


class GoldMapping:
    """Gold from a mapping, with its judgements as columns. Raises `FaultyInput` with the faulty grades."""

    def __init__(self, grades: Grades) -> None:
        reading = Reading("gold")
        self.by_query = _texts(_labelled(grades), reading)
        if not self.by_query:
            raise reading.stop("no_queries", "the gold holds no queries", expected="at least one query")
        lengths = _lengths(self.by_query.values())
        self.judgements = Judgements(
            queries=pl.Series(list(self.by_query), dtype=pl.String),
            query=np.repeat(np.arange(len(lengths)), lengths),
            grade=_numbers(self.by_query, int(lengths.sum()), reading),
        )

    def columns(self) -> Gold:
        """The same gold with its ids as a column."""
        return Gold(self.judgements, _column(self.by_query.values()))


def _labelled(grades: Grades) -> Mapping[str, Mapping[str, float]]:
    if None in grades.values():
        return {query: judged or {} for query, judged in grades.items()}
    return cast("Mapping[str, Mapping[str, float]]", grades)


class RunMapping:
    """A run from a mapping. Raises `FaultyInput` where it mixes scores and lists, or holds anything else."""

    def __init__(self, retrieved: Retrieved) -> None:
        self.reading = Reading("run")
        self.scored: dict[str, Mapping[str, float]] | None = None
        self.listed: dict[str, Sequence[str]] | None = None
        kinds = set(map(type, retrieved.values()))
        if all(issubclass(kind, Mapping) for kind in kinds):
            self.scored = _texts(cast("Mapping[str, Mapping[str, float]]", retrieved), self.reading)
        elif all(issubclass(kind, Sequence) and not issubclass(kind, str | bytes) for kind in kinds):
            self.listed = _text_lists(cast("Mapping[str, Sequence[str]]", retrieved), self.reading)
        else:
            raise self.reading.stop(
                "bad_value",
                "the results of a query are neither scores by id nor a list of ids",
                value=", ".join(sorted(kind.__name__ for kind in kinds)),
                expected="one kind for all queries: {id: score}, or [id, …] in order",
            )

    def slices(self, rounding: Rounding) -> Iterator[Slice]:
        """The run as columns."""
        held = self.listed if self.scored is None else self.scored
        offsets = _offsets((held or {}).values())
        scores = None
        if self.scored is not None:
            scores = rounding(_numbers(self.scored, int(offsets[-1]), self.reading))
        yield Slice(pl.Series(list(held or ()), dtype=pl.String), offsets, _column((held or {}).values()), scores)

    def find(self, gold: GoldMapping, rounding: Rounding) -> Found:
        """The judged relevant results. Equal scores share their places."""
        if self.scored is not None:
            return self._find_scored(self.scored, gold, rounding)
        return self._find_listed(self.listed or {}, gold)

    def _find_scored(self, scored: Mapping[str, Mapping[str, float]], gold: GoldMapping, rounding: Rounding) -> Found:
        held = list(map(scored.get, gold.by_query, repeat(_NOTHING)))
        offsets = _offsets(held)
        looked_up = array("d")
        values = _values_then_lookups(held, gold, looked_up)
        scores = _finite(values, int(offsets[-1]))
        if scores is None:
            raise _not_finite(scored, self.reading)
        next(values, None)  # the lookups of the last query follow its last value
        hits, own = _hits(np.frombuffer(looked_up, dtype=np.float64), gold)
        places, tied = place_scores(offsets, rounding(scores), gold.judgements.query[hits], rounding(own))
        return _found(gold, scored, (hits, places), np.diff(offsets), tied=tied)

    def _find_listed(self, listed: Mapping[str, Sequence[str]], gold: GoldMapping) -> Found:
        """An id that is repeated stands where it stands first."""
        held = list(map(listed.get, gold.by_query, repeat(())))
        lengths = _lengths(held)
        distinct: list[int] = []
        lookups = chain.from_iterable(_position_lookups(held, gold, distinct))
        hits, own = _hits(np.fromiter(lookups, np.float64, len(gold.judgements.query)), gold)
        places = Places(gold.judgements.query[hits], own.astype(np.int64), np.ones(len(hits), dtype=np.int64))
        return _found(gold, listed, (hits, places), lengths, repeats=int(lengths.sum()) - sum(distinct))


def _found(
    gold: GoldMapping,
    run: Mapping[str, object],
    hits: tuple[Ints, Places],
    lengths: Ints,
    tied: int = 0,
    repeats: int = 0,
) -> Found:
    present = np.flatnonzero(np.fromiter(map(run.__contains__, gold.by_query), np.bool_, len(lengths)))
    unknown = tuple(query for query in run if query not in gold.by_query) if len(run) > len(present) else ()
    return Found(hits[0], hits[0], hits[1], present, lengths[present], tied, repeats, unknown)


def _values_then_lookups(
    held: Iterable[Mapping[str, float]], gold: GoldMapping, looked_up: "array[float]"
) -> Iterator[float]:
    """Every score, query by query; what gold looks for in a query is looked up while its results are still at hand."""

    def by_query() -> Iterator[Iterable[float]]:
        for results, ids in zip(held, gold.by_query.values(), strict=True):
            yield results.values()
            looked_up.extend(map(results.get, ids, repeat(math.nan)))

    return chain.from_iterable(by_query())


def _hits(looked_up: Floats, gold: GoldMapping) -> tuple[Ints, Floats]:
    """The relevant judgements whose id is held for their query, and what is held of it; NaN is nothing."""
    hits = np.flatnonzero(~np.isnan(looked_up) & (gold.judgements.grade > 0))
    return hits, looked_up[hits]


def _position_lookups(
    held: Iterable[Sequence[str]], gold: GoldMapping, distinct: list[int]
) -> Iterator[Iterable[float]]:
    """For each query, where the ids of its gold stand first. One query's positions are in memory at a time."""
    for results, ids in zip(held, gold.by_query.values(), strict=True):
        positions = dict(zip(reversed(results), range(len(results) - 1, -1, -1), strict=True))
        distinct.append(len(positions))
        yield map(positions.get, ids, repeat(math.nan))


def _column(held: Iterable[Iterable[str]]) -> pl.Series:
    return pl.Series(list(chain.from_iterable(held)), dtype=pl.String)


def _lengths(held: Collection[Sized]) -> Ints:
    return np.fromiter(map(len, held), np.int64, len(held))


def _offsets(held: Collection[Sized]) -> Ints:
    offsets = np.zeros(len(held) + 1, dtype=np.int64)
    np.cumsum(_lengths(held), out=offsets[1:])
    return offsets


def _numbers(held: Mapping[str, Mapping[str, float]], count: int, reading: Reading) -> Floats:
    """All values in order. Raises `FaultyInput` for those that are no finite numbers."""
    values = _finite(chain.from_iterable(each.values() for each in held.values()), count)
    if values is None:
        raise _not_finite(held, reading)
    return values


def _finite(values: Iterable[float], count: int) -> Floats | None:
    try:
        numbers = np.fromiter(values, np.float64, count)
    except (TypeError, ValueError, OverflowError):
        return None
    return numbers if np.isfinite(numbers).all() else None


def _not_finite(held: Mapping[str, Mapping[str, float]], reading: Reading) -> FaultyInput:
    for query, each in held.items():
        for identity, value in each.items():
            try:
                number(reading, value)
            except Unfit as unfit:
                _add(reading, f"[{query!r}][{identity!r}]", value, unfit.misfits[0].expected)
    return FaultyInput(reading.faults)


def _add(reading: Reading, field: str, value: object, expected: str) -> None:
    if len(reading.faults) < SHOWN_FAULTS:
        reading.fault("bad_value", "unusable value", field=field, value=shown(value), expected=expected)


def _texts(held: Mapping[str, Mapping[str, float]], reading: Reading) -> dict[str, Mapping[str, float]]:
    """The mapping with ids as text; whole numbers become text."""
    if _is_text(held):
        return held if isinstance(held, dict) else dict(held)
    texts: dict[str, Mapping[str, float]] = {
        _text(query, reading): {_text(identity, reading): value for identity, value in each.items()}
        for query, each in held.items()
    }
    reading.raise_faults()
    if list(map(len, texts.values())) != list(map(len, held.values())):
        raise reading.stop("ids_collapse", "two ids become one as text", expected="ids that differ as text")
    return texts


def _text_lists(held: Mapping[str, Sequence[str]], reading: Reading) -> dict[str, Sequence[str]]:
    if _is_text(held):
        return dict(held)
    texts: dict[str, Sequence[str]] = {
        _text(query, reading): [_text(identity, reading) for identity in each] for query, each in held.items()
    }
    reading.raise_faults()
    if len(texts) < len(held):
        raise reading.stop("ids_collapse", "two queries become one as text", expected="ids that differ as text")
    return texts


def _is_text(held: Mapping[str, Collection[str]]) -> bool:
    """Whether queries are text, and so are ids; the ids of a mapping are of one kind, and one is looked at."""
    first = chain.from_iterable(islice(filter(None, held.values()), 1))
    return all(issubclass(kind, str) for kind in set(map(type, chain(held, islice(first, 1)))))


def _text(value: object, reading: Reading) -> str:
    try:
        return identifier(value)
    except ValueError as error:
        _add(reading, "id", value, str(error))
        return ""
