"""Gold and runs that are Python mappings: `{query: {id: grade}}` with `{query: {id: score}}` or `{query: [id, …]}`.

Nothing is copied that no one asks for: only judged ids are looked up, and a run's ids become columns only where equal
scores must be told apart by id.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, cast

import numpy as np
import polars as pl

from ragassay.formats.fields import number
from ragassay.formats.reading import Reading, Unfit, shown
from ragassay.metrics.columns import Found, Gold, Judgements, Slice
from ragassay.metrics.ranking import Floats, Ints, Places, place_scores
from ragassay.text.normalise import identifier

Grades = Mapping[str, Mapping[str, float] | None]
"""Grades of ids by query. None is a query that nobody labelled."""
Retrieved = Mapping[str, Mapping[str, float]] | Mapping[str, Sequence[str]]
"""By query, the scores of its results, or their ids in order."""
Rounding = Callable[[Floats], Floats]
SHOWN_FAULTS = 20


class GoldMapping:
    """Gold from a mapping, with its judgements as columns. Raises `FaultyInput` with the faulty grades."""

    def __init__(self, grades: Grades) -> None:
        reading = Reading("gold")
        self.by_query = _texts({query: judged or {} for query, judged in grades.items()}, reading)
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
        ids = pl.Series(list(chain.from_iterable(self.by_query.values())), dtype=pl.String)
        return Gold(self.judgements, ids)


class RunMapping:
    """A run from a mapping. Raises `FaultyInput` where it mixes scores and lists, or holds anything else."""

    def __init__(self, retrieved: Retrieved) -> None:
        self.reading = Reading("run")
        kinds = {type(results) for results in retrieved.values()}
        if all(issubclass(kind, Mapping) for kind in kinds):
            self.by_query: dict[str, Any] = _texts(cast("Mapping[str, Mapping[str, float]]", retrieved), self.reading)
            self.is_scored = True
        elif all(issubclass(kind, Sequence) and not issubclass(kind, str | bytes) for kind in kinds):
            self.by_query = _text_lists(cast("Mapping[str, Sequence[str]]", retrieved), self.reading)
            self.is_scored = False
        else:
            raise self.reading.stop(
                "bad_value",
                "the results of a query are neither scores by id nor a list of ids",
                value=", ".join(sorted(kind.__name__ for kind in kinds)),
                expected="one kind for all queries: {id: score}, or [id, …] in order",
            )

    def slices(self, rounding: Rounding) -> Iterator[Slice]:
        """The run as columns."""
        held = self.by_query.values()
        offsets = _offsets(_lengths(held))
        scores = rounding(_numbers(self.by_query, int(offsets[-1]), self.reading)) if self.is_scored else None
        ids = pl.Series(list(chain.from_iterable(held)), dtype=pl.String)
        yield Slice(pl.Series(list(self.by_query), dtype=pl.String), offsets, ids, scores)

    def find(self, gold: GoldMapping, rounding: Rounding) -> Found:
        """The judged relevant results. Equal scores share their places."""
        given = list(map(self.by_query.get, gold.by_query))
        asked = dict(zip(gold.by_query, ({} if results is None else results for results in given), strict=True))
        lengths = _lengths(asked.values())
        offsets = _offsets(lengths)
        present = np.flatnonzero(np.fromiter((results is not None for results in given), np.bool_, len(given)))
        found = self._found_scores if self.is_scored else self._found_positions
        judgement, places, tied, repeats = found(gold, asked, offsets, rounding)
        return Found(
            judgement=judgement,
            row=judgement,
            places=places,
            present=present,
            returned=lengths[present],
            tied=tied,
            repeats=repeats,
            unknown=tuple(query for query in self.by_query if query not in gold.by_query),
        )

    def _found_scores(
        self, gold: GoldMapping, asked: Mapping[str, Any], offsets: Ints, rounding: Rounding
    ) -> tuple[Ints, Places, int, int]:
        scores = rounding(_numbers(asked, int(offsets[-1]), self.reading))
        own = _looked_up(asked.values(), gold)
        hits = np.flatnonzero(~np.isnan(own) & (gold.judgements.grade > 0))
        places, tied = place_scores(offsets, scores, gold.judgements.query[hits], rounding(own[hits]))
        return hits, places, tied, 0

    def _found_positions(
        self, gold: GoldMapping, asked: Mapping[str, Any], offsets: Ints, rounding: Rounding
    ) -> tuple[Ints, Places, int, int]:
        del rounding
        positions = [dict(zip(reversed(ids), range(len(ids) - 1, -1, -1), strict=True)) for ids in map(list, asked.values())]
        own = _looked_up(positions, gold)
        hits = np.flatnonzero(~np.isnan(own) & (gold.judgements.grade > 0))
        places = Places(gold.judgements.query[hits], own[hits].astype(np.int64), np.ones(len(hits), dtype=np.int64))
        return hits, places, 0, int(offsets[-1]) - sum(map(len, positions))


def _looked_up(results: Iterable[Mapping[str, float]], gold: GoldMapping) -> Floats:
    """For each judgement, what its query's results hold under its id, or NaN."""
    getters = (held.get for held in results)
    values = chain.from_iterable(map(map, getters, gold.by_query.values()))
    return np.fromiter(values, np.float64, len(gold.judgements.query))


def _lengths(held: Iterable[Any]) -> Ints:
    return np.array([len(each) for each in held], dtype=np.int64)


def _offsets(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _numbers(held: Mapping[str, Mapping[str, float]], count: int, reading: Reading) -> Floats:
    """All values in order. Raises `FaultyInput` for those that are no finite numbers."""
    try:
        values = np.fromiter(chain.from_iterable(each.values() for each in held.values()), np.float64, count)
    except (TypeError, ValueError, OverflowError):
        values = np.full(1, np.nan)
    if np.isfinite(values).all():
        return values
    for query, each in held.items():
        for identity, value in each.items():
            try:
                number(reading, value)
            except Unfit as unfit:
                _add(reading, f"[{query!r}][{identity!r}]", value, unfit.misfits[0].expected)
    reading.raise_faults()
    return values


def _add(reading: Reading, field: str, value: object, expected: str) -> None:
    if len(reading.faults) < SHOWN_FAULTS:
        reading.fault("bad_value", "unusable value", field=field, value=shown(value), expected=expected)


def _texts(held: Mapping[str, Mapping[str, float]], reading: Reading) -> dict[str, Mapping[str, float]]:
    """The mapping with ids as text; whole numbers become text. The ids of one query are of one kind."""
    if all(isinstance(key, str) for key in chain(held, (next(iter(each), "") for each in held.values()))):
        return held if isinstance(held, dict) else dict(held)
    texts = {
        _text(query, reading): {_text(identity, reading): value for identity, value in each.items()}
        for query, each in held.items()
    }
    reading.raise_faults()
    if len(texts) < len(held) or any(len(text) < len(each) for text, each in zip(texts.values(), held.values(), strict=True)):
        raise reading.stop("ids_collapse", "two ids become one as text", expected="ids that differ as text")
    return texts


def _text_lists(held: Mapping[str, Sequence[str]], reading: Reading) -> dict[str, Sequence[str]]:
    if all(isinstance(key, str) for key in chain(held, (each[0] for each in held.values() if len(each)))):
        return dict(held)
    texts = {_text(query, reading): [_text(identity, reading) for identity in each] for query, each in held.items()}
    reading.raise_faults()
    return texts


def _text(value: object, reading: Reading) -> str:
    try:
        return identifier(value)
    except ValueError as error:
        _add(reading, "id", value, str(error))
        return ""
