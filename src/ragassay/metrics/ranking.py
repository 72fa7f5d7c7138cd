"""Where the relevant results stand: the one thing that every retrieval metric sums over.

Only results that are both judged relevant and retrieved need a rank, about three a query. Their rank is one plus the
number of better results, so nothing is sorted and no id is compared, save between equal scores.
"""

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragassay.metrics.ties import by, expected_precision, first_places, spread, spread_members

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Events(NamedTuple):
    """Things that happen at ranks: with chance `weight`, at `rank` of `query`. All arrays have one length.

    Without equal scores every weight is 1. `grade` is the gain at stake.
    """

    query: Ints
    rank: Ints
    weight: Floats
    grade: Floats


class Ranking(NamedTuple):
    """The relevant results of n queries by rank.

    `needs` are first results for a need, `ids` first appearances of a relevant id, `first` the first relevant result
    of a query; `precision` has the precision at the rank where a need is met as its weight. `need_count` and
    `returned` have shape (n,). `ideal` lists the needs of each query by falling grade. `absent` maps a reason to the
    queries (n,) that have nothing to measure for that reason. `tied` counts results that share their score with a
    neighbour.
    """

    needs: Events
    ids: Events
    first: Events
    precision: Events
    need_count: Floats
    ideal: Events
    returned: Floats
    absent: Mapping[str, Bools]
    tied: int

    @property
    def n(self) -> int:
        return len(self.need_count)


class Results(NamedTuple):
    """The retrieved results, those of one query together: query i owns rows `offsets[i]` to `offsets[i + 1]`.

    `scores` None means that the order of the rows is the ranking; otherwise the scores are, and order says nothing.
    """

    offsets: Ints
    scores: Floats | None


class Hits(NamedTuple):
    """Relevant results: row in `Results`, code of the id, code of the need it serves, grade.

    Codes are unique over all queries. An id that serves several needs has one entry for each. Rows may be in any order.
    """

    row: Ints
    id: Ints
    need: Ints
    grade: Floats


class Extent(NamedTuple):
    """The results as a whole: how many each query `returned`, shape (n,), and how many are tied."""

    returned: Floats
    tied: int


class Places(NamedTuple):
    """Where rows stand: `above` better results, in a group of `size` equal ones."""

    query: Ints
    above: Ints
    size: Ints


def rank(results: Results, hits: Hits, needs: Events, absent: Mapping[str, Bools]) -> Ranking:
    """The ranking of every query at once. `needs` lists each need of R once, with its best grade; its ranks are
    ignored."""
    places, tied = place(results, hits.row)
    returned = np.diff(results.offsets).astype(np.float64)
    return rank_placed(hits, places, needs, Extent(returned, tied), absent)


def rank_placed(hits: Hits, places: Places, needs: Events, extent: Extent, absent: Mapping[str, Bools]) -> Ranking:
    """The ranking of results whose places are known; `hits` and `places` run in parallel, and `hits.row` only tells
    results apart."""
    order = by(places.query, places.above)
    hits = Hits(hits.row[order], hits.id[order], hits.need[order], hits.grade[order])
    places = Places(places.query[order], places.above[order], places.size[order])
    once = _once(hits.row)
    single = Places(places.query[once], places.above[once], places.size[once])
    zeros = np.zeros(len(once))
    need_firsts = first_places(hits.need, places.query, places.above, places.size, hits.grade)
    is_plain = len(once) == len(hits.row) and np.array_equal(hits.id, hits.need)  # no alternatives: each id is a need
    id_firsts = need_firsts if is_plain else first_places(hits.id[once], single.query, single.above, single.size, zeros)
    first = first_places(single.query, single.query, single.above, single.size, zeros)
    return Ranking(
        needs=Events(*spread_members(need_firsts, hits.need, places.above, hits.grade)),
        ids=Events(*spread(id_firsts)),
        first=Events(*spread(first)),
        precision=Events(*expected_precision(need_firsts, id_firsts, hits.need, hits.id)),
        need_count=sums(needs.query, np.ones(len(needs.query)), len(extent.returned)),
        ideal=ideal(needs),
        returned=extent.returned,
        absent=absent,
        tied=extent.tied,
    )


def _once(rows: Ints) -> Ints:
    """The first entry of each row."""
    order = np.argsort(rows, kind="stable")
    is_new = np.ones(len(rows), dtype=np.bool_)
    is_new[1:] = rows[order][1:] != rows[order][:-1]
    return np.arange(len(rows)) if is_new.all() else np.sort(order[is_new])


def sums(query: Ints, weights: Floats, n: int) -> Floats:
    """The weights of each query added up; shape (n,)."""
    return np.bincount(query, weights=weights, minlength=n).astype(np.float64, copy=False)


def ideal(needs: Events) -> Events:
    """The order that no system can beat: the needs of each query by falling grade."""
    order = np.lexsort((-needs.grade, needs.query))
    query = needs.query[order]
    starts = np.flatnonzero(np.r_[True, query[1:] != query[:-1]]) if len(query) else np.zeros(0, dtype=np.int64)
    rank_in_query = np.arange(len(query)) - np.repeat(starts, np.diff(np.r_[starts, len(query)])) + 1
    return Events(query, rank_in_query, np.ones(len(query)), needs.grade[order])


def place(results: Results, rows: Ints) -> tuple[Places, int]:
    """Where the given rows stand, and how many of all results are tied."""
    query = np.searchsorted(results.offsets, rows, side="right") - 1
    if results.scores is None:
        return Places(query, rows - results.offsets[query], np.ones(len(rows), dtype=np.int64)), 0
    return place_scores(results.offsets, results.scores, query, results.scores[rows])


def place_scores(offsets: Ints, scores: Floats, query: Ints, own: Floats) -> tuple[Places, int]:
    """Where results with scores `own` stand among all `scores` of their `query`, and how many of all results are
    tied. Every one of `own` occurs in its query."""
    falling = _falling(offsets, scores)
    tied = _tied(offsets, falling)
    start, end = offsets[query], offsets[query + 1]
    above = _bisect(falling, (start, end), own, np.greater)
    if tied == 0:
        return Places(query, above - start, np.ones(len(query), dtype=np.int64)), 0
    return Places(query, above - start, _bisect(falling, (above, end), own, np.greater_equal) - above), tied


def _bisect(falling: Floats, bounds: tuple[Ints, Ints], scores: Floats, is_before: np.ufunc) -> Ints:
    """For each score, the first row within its bounds that is not before it; all searched side by side."""
    low, high = bounds[0].copy(), bounds[1].copy()
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        is_open = low < high
        right = is_open & is_before(falling[np.minimum(middle, len(falling) - 1)], scores)
        low = np.where(right, middle + 1, low)
        high = np.where(is_open & ~right, middle, high)
    return low


def begins(offsets: Ints) -> Bools:
    """Flags the first row of each query."""
    flags = np.zeros(int(offsets[-1]), dtype=np.bool_)
    flags[offsets[:-1][np.diff(offsets) > 0]] = True
    return flags


_CELLS = 1_000_000
"""Values sorted at a time, so that memory does not grow with the number of queries."""

Number = TypeVar("Number", np.float64, np.uint64)


def sort_within(offsets: Ints, values: NDArray[Number]) -> NDArray[Number]:
    """The values of every query in rising order."""
    lengths = np.diff(offsets)
    if len(lengths) and lengths.min() == lengths.max():
        return np.sort(values.reshape(len(lengths), -1), axis=1).reshape(-1)
    ordered = np.empty_like(values)
    by_length = np.argsort(lengths, kind="stable")
    by_length = by_length[np.searchsorted(lengths[by_length], 1) :]
    while len(by_length):
        shortest = int(lengths[by_length[0]])
        part = by_length[: max(1, _CELLS // (2 * shortest))]
        part = part[lengths[part] <= 2 * shortest]
        ordered[rows_of(offsets, part)] = _sorted_block(offsets, values, part)
        by_length = by_length[len(part) :]
    return ordered


def rows_of(offsets: Ints, part: Ints) -> Ints:
    """The rows of these queries, one query after the other."""
    lengths = np.diff(offsets)[part]
    ends = np.cumsum(lengths)
    return np.arange(int(lengths.sum())) + np.repeat(offsets[part] - (ends - lengths), lengths)


def _sorted_block(offsets: Ints, values: NDArray[Number], part: Ints) -> NDArray[Number]:
    """The sorted values of queries of similar length, padded with the greatest value to one length for the sort."""
    lengths = np.diff(offsets)[part]
    is_own = np.arange(int(lengths.max())) < lengths[:, None]
    block = np.full(is_own.shape, values.max(), dtype=values.dtype)
    block[is_own] = values[rows_of(offsets, part)]
    block.sort(axis=1)
    return block[is_own]


def _falling(offsets: Ints, scores: Floats) -> Floats:
    """The scores of every query in falling order; mostly they come so, and then nothing is copied."""
    rises = scores[1:] > scores[:-1]
    inner = offsets[(offsets > 0) & (offsets < len(scores))]
    rises[inner - 1] = False
    if not rises.any():
        return scores
    return -sort_within(offsets, -scores)


def _tied(offsets: Ints, falling: Floats) -> int:
    same = falling[1:] == falling[:-1]
    if not same.any():
        return 0
    same &= ~begins(offsets)[1:]
    return int(np.count_nonzero(np.r_[same, False] | np.r_[False, same]))
