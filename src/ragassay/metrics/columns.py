"""From columns to a ranking, without a matrix of results: the road for millions of rows.

Results are joined to gold on a 64-bit key of query and id; a key decides nothing, the two ids behind it do. Only
judged relevant results are ever looked at one by one. Runs of any size pass through in slices of whole queries.
"""

from collections.abc import Sequence
from itertools import count, repeat
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragassay.metrics.ranking import (
    Events,
    Extent,
    Floats,
    Hits,
    Ints,
    Places,
    Ranking,
    Results,
    begins,
    place,
    rank_placed,
    rows_of,
    sort_within,
)
from ragassay.records import Ties

Keys = NDArray[np.uint64]


class Judgements(NamedTuple):
    """Gold in columns: judgement i gives `grade[i]` to an id of query number `query[i]`; a query has an id once.

    Judgements are in order of query. `queries` holds the ids of the n queries; one without a judgement is unlabelled.
    """

    queries: pl.Series
    query: Ints
    grade: Floats

    @property
    def n(self) -> int:
        return len(self.queries)


class Gold(NamedTuple):
    """Judgements with their ids, `id[i]` for judgement i."""

    judgements: Judgements
    id: pl.Series


class Slice(NamedTuple):
    """Results of whole queries: `queries[i]` owns rows `offsets[i]` to `offsets[i + 1]` of `id` and `scores`.

    With `scores` None the order of the rows is the ranking. No query occurs twice, here or in two slices of one run.
    """

    queries: pl.Series
    offsets: Ints
    id: pl.Series
    scores: Floats | None


class Found(NamedTuple):
    """What a run holds of the gold: judgement `judgement[i]` was retrieved as result `row[i]`, at `places`.

    `present` and `returned` run in parallel: the numbers of the queries that have results, and how many. `tied`
    counts results that share their score, `repeats` those whose id stands above already, `unknown` the queries that
    the gold does not hold.
    """

    judgement: Ints
    row: Ints
    places: Places
    present: Ints
    returned: Ints
    tied: int
    repeats: int
    unknown: tuple[str, ...]


class Index:
    """The relevant judgements of a gold by key, made once and then asked for every slice."""

    def __init__(self, gold: Gold) -> None:
        self.gold = gold
        self.numbers = {query: number for number, query in enumerate(gold.judgements.queries.to_list())}
        self.relevant = np.flatnonzero(gold.judgements.grade > 0)
        query = gold.judgements.query[self.relevant]
        self.offsets = np.searchsorted(query, np.arange(gold.judgements.n + 1))
        for self.seed in count():  # until no two ids have one key, nearly always at once
            self.keys = keys_of(gold.id.gather(self.relevant), query, self.seed)
            ordered = np.sort(self.keys)
            if not np.any(ordered[1:] == ordered[:-1]):
                break

    def find(self, results: Slice, ties: Ties) -> Found:
        """The judged relevant results of a slice, with their places."""
        number = np.fromiter(map(self.numbers.get, results.queries.to_list(), repeat(-1)), np.int64)
        unknown = results.queries.filter(number < 0).to_list()
        if unknown:
            results, number = _only(results, number >= 0), number[number >= 0]
        lengths = np.diff(results.offsets)
        keys = keys_of(results.id, np.repeat(number, lengths), self.seed)
        judgement, row = self._matches(keys, results, number)
        places, tied = place(Results(results.offsets, results.scores), row)
        if ties == "trec" and results.scores is not None and tied:
            places = _by_id(places, row, results.offsets, results.scores, results.id)
        return Found(
            judgement=judgement,
            row=row,
            places=places._replace(query=number[places.query]),
            present=number,
            returned=lengths,
            tied=tied,
            repeats=len(repeated(keys, results.offsets, results.id)),
            unknown=tuple(unknown),
        )

    def _matches(self, keys: Keys, results: Slice, number: Ints) -> tuple[Ints, Ints]:
        """(judgement, row) of every result that gold calls relevant, by row."""
        sought = rows_of(self.offsets, number)
        sought = sought[np.argsort(self.keys[sought])]
        ordered = self.keys[sought]
        cells = np.zeros(1 << _BITS, dtype=np.bool_)
        cells[ordered >> _SHIFT] = True
        likely = np.flatnonzero(cells[keys >> _SHIFT])
        if not len(likely):
            return likely, likely
        at = np.searchsorted(ordered, keys[likely])
        is_key = ordered[np.minimum(at, len(ordered) - 1)] == keys[likely]
        row, judgement = likely[is_key], self.relevant[sought[at[is_key]]]
        same_id = (results.id.gather(row) == self.gold.id.gather(judgement)).to_numpy()
        query = number[np.searchsorted(results.offsets, row, side="right") - 1]
        is_match = same_id & (query == self.gold.judgements.query[judgement])
        return judgement[is_match], row[is_match]


def _only(results: Slice, is_kept: NDArray[np.bool_]) -> Slice:
    """The slice without the other queries."""
    lengths = np.diff(results.offsets)
    rows = np.repeat(is_kept, lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths[is_kept])]).astype(np.int64)
    scores = None if results.scores is None else results.scores[rows]
    return Slice(results.queries.filter(is_kept), offsets, results.id.filter(rows), scores)


_BITS = 20
_SHIFT = np.uint64(64 - _BITS)
_ODD = np.uint64(0x9E3779B97F4A7C15)


def keys_of(ids: pl.Series, query: Ints, seed: int = 0) -> Keys:
    """A key for each id of a query. The hash spreads ids, the product spreads queries."""
    return ids.hash(seed).to_numpy() ^ (query.astype(np.uint64) * _ODD)


def repeated(keys: Keys, offsets: Ints, ids: pl.Series) -> Ints:
    """The rows that repeat an id of their query, the first row of each id not among them."""
    ordered = sort_within(offsets, keys)
    same = (ordered[1:] == ordered[:-1]) & ~begins(offsets)[1:]
    if not same.any():
        return np.zeros(0, dtype=np.int64)
    suspects = np.flatnonzero(np.isin(keys, ordered[1:][same]))
    query = np.searchsorted(offsets, suspects, side="right")
    order = np.lexsort((suspects, keys[suspects], query))
    query, suspects = query[order], suspects[order]
    one, other = suspects[:-1], suspects[1:]
    is_pair = (keys[one] == keys[other]) & (query[1:] == query[:-1])
    is_pair[is_pair] = (ids.gather(one[is_pair]) == ids.gather(other[is_pair])).to_numpy()
    return np.sort(other[is_pair])


def _by_id(places: Places, rows: Ints, offsets: Ints, scores: Floats, ids: pl.Series) -> Places:
    """Equal scores in falling order of id, as trec_eval has it; ids compare as UTF-8 bytes do."""
    tied = np.flatnonzero(places.size > 1)
    above = places.above.copy()
    lengths = np.diff(offsets)[places.query[tied]]
    for part in np.array_split(np.arange(len(tied)), 1 + int(lengths.sum()) // _COMPARED):
        own, length = rows[tied[part]], lengths[part]
        ends = np.cumsum(length)
        cells = np.arange(int(length.sum())) + np.repeat(offsets[places.query[tied[part]]] - (ends - length), length)
        mine = np.repeat(np.arange(len(part)), length)
        equal = scores[cells] == scores[own[mine]]
        cells, mine = cells[equal], mine[equal]
        is_before = (ids.gather(cells) > ids.gather(own[mine])).to_numpy()
        above[tied[part]] += np.bincount(mine[is_before], minlength=len(part))
    return Places(places.query, above, np.ones(len(above), dtype=np.int64))


_COMPARED = 1_000_000
"""Tied results compared at a time."""


def merged(parts: Sequence[Found]) -> Found:
    """The parts of one run as one. Rows are renumbered; they only tell results apart."""
    rows = [part.row for part in parts]
    starts = np.cumsum([0, *(int(row.max(initial=-1)) + 1 for row in rows)])
    return Found(
        judgement=_joined([part.judgement for part in parts]),
        row=_joined([row + start for row, start in zip(rows, starts.tolist(), strict=False)]),
        places=Places(*(_joined(list(column)) for column in zip(*(part.places for part in parts), strict=True)))
        if parts
        else Places(*[_joined([])] * 3),
        present=_joined([part.present for part in parts]),
        returned=_joined([part.returned for part in parts]),
        tied=sum(part.tied for part in parts),
        repeats=sum(part.repeats for part in parts),
        unknown=tuple(query for part in parts for query in part.unknown),
    )


def _joined(columns: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *columns])


def ranking(judgements: Judgements, found: Found) -> Ranking:
    """The ranking of all queries. Every relevant id is a need of its own."""
    relevant = np.flatnonzero(judgements.grade > 0)
    query = judgements.query[relevant]
    needs = Events(query, np.zeros_like(query), np.ones(len(query)), judgements.grade[relevant])
    hits = Hits(found.row, found.judgement, found.judgement, judgements.grade[found.judgement])
    returned = np.zeros(judgements.n)
    returned[found.present] = found.returned
    absent = {
        "unlabelled": np.bincount(judgements.query, minlength=judgements.n) == 0,
        "no_relevant": np.bincount(query, minlength=judgements.n) == 0,
    }
    return rank_placed(hits, found.places, needs, Extent(returned, found.tied), absent)
