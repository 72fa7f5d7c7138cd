"""What happens at a rank on average over all orders of equal scores.

Names: a row stands in a group of `size` equal results, below `above` better ones. A *unit* (a need, an id, a query)
may own several rows of a group; of `size` places, the first of its `members` rows falls on place x with chance C(size
- x, members - 1) / C(size, members). After McSherry and Najork, "Computing information retrieval performance measures
efficiently in the presence of tied scores", ECIR 2008.
"""

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Spread = tuple[Ints, Ints, Floats, Floats]


class Firsts(NamedTuple):
    """For each unit, the best group that holds one of its rows. `grade` is the mean grade of its members there."""

    unit: Ints
    query: Ints
    above: Ints
    size: Ints
    members: Ints
    grade: Floats


def first_places(unit: Ints, query: Ints, above: Ints, size: Ints, grade: Floats) -> Firsts:
    """One entry per unit, ordered by query and then by place."""
    order = by(unit, above)
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = unit[order][1:] != unit[order][:-1]
    starts = np.flatnonzero(is_first)
    head = order[starts]
    members, mean = np.ones(len(head), dtype=np.int64), grade[head]
    if len(starts) < len(order):
        is_best = above[order] == np.repeat(above[head], np.diff(np.r_[starts, len(order)]))
        members = np.add.reduceat(is_best.astype(np.int64), starts)
        mean = np.add.reduceat(np.where(is_best, grade[order], 0.0), starts) / members
    by_place = by(query[head], above[head])
    head = head[by_place]
    return Firsts(unit[head], query[head], above[head], size[head], members[by_place], mean[by_place])


def by(major: Ints, minor: Ints) -> Ints:
    """The order by the first numbers and then the second, none of them negative; quick where it holds already."""
    return np.argsort(major * (int(minor.max(initial=0)) + 1) + minor, kind="stable")


def chance(size: int, members: int, x: Ints) -> Floats:
    """The chance that the first of `members` rows falls on place x of `size`, for every x given."""
    if members == 1:
        return np.full(len(x), 1.0 / size)
    total = comb(size, members)
    return np.array([comb(size - int(place), members - 1) / total for place in x])


def spread(firsts: Firsts) -> Spread:
    """(query, rank, weight, grade) for every place on which a unit's first row may fall."""
    if not np.any(firsts.size > 1):
        return firsts.query, firsts.above + 1, np.ones(len(firsts.query)), firsts.grade
    reach = firsts.size - firsts.members + 1
    place = np.arange(int(reach.sum())) - np.repeat(np.cumsum(reach) - reach, reach) + 1
    weight = np.repeat(1.0 / firsts.size, reach)
    ends = np.cumsum(reach)
    for index in np.flatnonzero(firsts.members > 1):
        own = slice(int(ends[index] - reach[index]), int(ends[index]))
        weight[own] = chance(int(firsts.size[index]), int(firsts.members[index]), place[own])
    return (
        np.repeat(firsts.query, reach),
        np.repeat(firsts.above, reach) + place,
        weight,
        np.repeat(firsts.grade, reach),
    )


def spread_members(firsts: Firsts, unit: Ints, above: Ints, grade: Floats) -> Spread:
    """As `spread`, with entries for every member of a unit: each may come first, and earns its own grade.

    `unit`, `above` and `grade` are those that `first_places` was given.
    """
    if not np.any(firsts.members > 1):
        return spread(firsts)
    by_unit = np.argsort(firsts.unit)
    index = by_unit[np.searchsorted(firsts.unit[by_unit], unit)]
    member = np.flatnonzero(above == firsts.above[index])
    member = member[np.argsort(index[member], kind="stable")]
    own = index[member]
    each = Firsts(unit[member], firsts.query[own], above[member], firsts.size[own], firsts.members[own], grade[member])
    query, rank, weight, grades = spread(each)
    return query, rank, weight / np.repeat(each.members, each.size - each.members + 1), grades


def expected_precision(needs: Firsts, ids: Firsts, hit_need: Ints, hit_id: Ints) -> Spread:
    """For every place where a need may first be met: the precision there, times the chance that it is met there.

    Precision counts distinct relevant ids, so it needs to know how many of them stand no lower: all of the groups
    above, and within the group those that the orders put first.
    """
    before, within, has_copies = _counts(needs, ids)
    alone = needs.size == 1
    rank = needs.above + 1
    weight = (before + within) / rank
    if np.all(alone):
        return needs.query, rank, weight, np.zeros(len(rank))
    parts = [(needs.query[alone], rank[alone], weight[alone])]
    plain = ~alone & ~has_copies
    parts.append(_plain((needs.query[plain], needs.above[plain], needs.size[plain]), before[plain], within[plain]))
    serves = _pairs(hit_need, hit_id)
    for index in np.flatnonzero(~alone & has_copies).tolist():
        x = np.arange(1, int(needs.size[index] - needs.members[index]) + 2)
        met = chance(int(needs.size[index]), int(needs.members[index]), x)
        value = (before[index] * met + _company(index, needs, ids, serves, x)) / (needs.above[index] + x)
        parts.append((np.full(len(x), needs.query[index]), needs.above[index] + x, value))
    query, ranks, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return query, ranks, values, np.zeros(len(ranks))


def _plain(groups: tuple[Ints, Ints, Ints], before: Ints, within: Ints) -> tuple[Ints, Ints, Floats]:
    """Groups in which every unit owns one row: the others of the group are spread evenly over the remaining places."""
    query, above, size = groups
    place = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size) + 1
    others = np.repeat((within - 1) / (size - 1), size) * (place - 1)
    rank = np.repeat(above, size) + place
    return np.repeat(query, size), rank, (np.repeat(before + 1, size) + others) / (np.repeat(size, size) * rank)


def _counts(needs: Firsts, ids: Firsts) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """For each need: relevant ids first seen above its group, those first seen within it, and whether any has copies
    there."""
    stride = int(max(needs.above.max(initial=0), ids.above.max(initial=0))) + 2
    id_keys = ids.query * stride + ids.above
    need_keys = needs.query * stride + needs.above
    start = np.searchsorted(id_keys, needs.query * stride)
    left, right = np.searchsorted(id_keys, need_keys), np.searchsorted(id_keys, need_keys, side="right")
    copied = np.r_[id_keys[ids.members > 1], need_keys[needs.members > 1]]
    return left - start, right - left, np.isin(need_keys, copied)


def _pairs(hit_need: Ints, hit_id: Ints) -> dict[int, set[int]]:
    serves: dict[int, set[int]] = {}
    for need, identity in zip(hit_need.tolist(), hit_id.tolist(), strict=True):
        serves.setdefault(need, set()).add(identity)
    return serves


def _company(index: int, needs: Firsts, ids: Firsts, serves: dict[int, set[int]], x: Ints) -> Floats:
    """Σ over the group's ids of P(the need is first met on place x, and the id stands there or above)."""
    size, members = int(needs.size[index]), int(needs.members[index])
    here = np.flatnonzero((ids.query == needs.query[index]) & (ids.above == needs.above[index]))
    met = chance(size, members, x)
    total = np.zeros(len(x))
    ways = comb(size, members)
    for identity in here.tolist():
        copies = int(ids.members[identity])
        if int(ids.unit[identity]) in serves[int(needs.unit[index])]:
            total += met * copies / members
            continue
        all_ways = ways * comb(size - members, copies)
        later = [comb(size - p, members - 1) * comb(size - p - members + 1, copies) / all_ways for p in x.tolist()]
        total += met - np.array(later)
    return total
