"""From matrices to evidence: R(q), and where its members stand. Done once, then every metric only sums."""

from typing import NamedTuple

import numpy as np
import polars as pl

from ragassay.matrices.schema import Matrices
from ragassay.metrics.claims import ClaimTable, claim_table
from ragassay.metrics.ranking import Bools, Events, Floats, Hits, Ints, Ranking, Results, place, rank
from ragassay.metrics.ties import first_places, spread
from ragassay.records import Ties


class Listing(NamedTuple):
    """Every result, relevant or not: `query`, its place (`above` better results, in a group of `size`), and its flags.

    `distinct` lists the first appearance of each passage, or of each id where passages were not recorded. `returned`
    counts results per query, shape (n,).
    """

    query: Ints
    above: Ints
    size: Ints
    judged: Bools
    stale: Bools
    forbidden: Bools
    distinct: Events
    returned: Floats


class Evidence(NamedTuple):
    """What metrics are counted on: the matrices, and the results prepared from them once.

    `condensed` is the ranking with unjudged results removed. `tied` counts results that share their score.
    """

    matrices: Matrices
    ranking: Ranking
    condensed: Ranking
    listing: Listing
    claims: ClaimTable
    tied: int


def gather(matrices: Matrices, ties: Ties) -> Evidence:
    """The evidence of a run. Queries are numbered in the order of matrix `queries`."""
    numbers = matrices.queries.select("query").with_row_index("number")
    gold = matrices.gold.join(numbers, on="query", how="inner", maintain_order="left")
    retrieved = matrices.retrieval.filter(pl.col("stage") == "retrieved")
    retrieved = in_order(retrieved.join(numbers, on="query", how="inner", maintain_order="left"), ties)
    needed = gold.filter((pl.col("grade") > 0) & _not_known_false("readable") & _not_known_false("in_force"))
    absent = absences(matrices.queries, gold, needed)
    ranking = _rank(retrieved, needed, absent, ties)
    condensed = _rank(retrieved.filter(pl.col("grade").is_not_null()), needed, absent, ties)
    return Evidence(
        matrices, ranking, condensed, _listing(retrieved, len(numbers), ties), claim_table(matrices), ranking.tied
    )


def _not_known_false(column: str) -> pl.Expr:
    return pl.col(column).is_null() | pl.col(column)


def in_order(retrieved: pl.DataFrame, ties: Ties) -> pl.DataFrame:
    """Results by query, in recorded order; under `trec`, those without an order by score and id, both falling."""
    if ties == "expected":
        return retrieved.sort("number", "position", maintain_order=True)
    loose = pl.col("rank").is_null()
    score = pl.when(loose).then(pl.col("score").cast(pl.Float32))
    return retrieved.sort(
        "number", score, pl.when(loose).then("id"), "position", descending=[False, True, True, False], nulls_last=True
    )


def results_of(retrieved: pl.DataFrame, n: int, ties: Ties) -> Results:
    """Rows grouped by query. Scores rank only results without an order, and under `expected` ties."""
    offsets = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(retrieved["number"].to_numpy(), minlength=n), out=offsets[1:])
    if ties == "trec" or retrieved["rank"].null_count() == 0:
        return Results(offsets, None)
    scores = retrieved.select(
        pl.when(pl.col("rank").is_null()).then("score").otherwise(-pl.col("position")).cast(pl.Float64)
    )
    return Results(offsets, scores.to_series().to_numpy())


def _rank(retrieved: pl.DataFrame, needed: pl.DataFrame, absent: dict[str, Bools], ties: Ties) -> Ranking:
    n = len(next(iter(absent.values())))
    needs = (
        needed.group_by("number", "need", maintain_order=True).agg(pl.col("grade").max()).with_row_index("need_code")
    )
    ids = needed.select("number", "id").unique(maintain_order=True).with_row_index("id_code")
    coded = needed.join(needs.select("number", "need", "need_code"), on=["number", "need"]).join(
        ids, on=["number", "id"]
    )
    usable = retrieved.with_row_index("row").filter(_not_known_false("readable") & _not_known_false("in_force"))
    found = usable.select("row", "number", "id").join(
        coded.select("number", "id", "id_code", "need_code", "grade"), on=["number", "id"], how="inner"
    )
    columns = (found[name].to_numpy().astype(np.int64) for name in ("row", "id_code", "need_code"))
    hits = Hits(*columns, grade=found["grade"].to_numpy().astype(np.float64))
    query = needs["number"].to_numpy().astype(np.int64)
    needs_of = Events(query, np.zeros_like(query), np.ones(len(query)), needs["grade"].to_numpy().astype(np.float64))
    return rank(results_of(retrieved, n, ties), hits, needs_of, absent)


def absences(queries: pl.DataFrame, gold: pl.DataFrame, needed: pl.DataFrame) -> dict[str, Bools]:
    """Why a query has nothing to find, in the order in which the reasons are tried."""
    n = len(queries)
    has_relevant = _flags(gold.filter(pl.col("grade") > 0), n)
    return {
        "must_refuse": ~queries["answerable"].fill_null(True).to_numpy(),
        "unlabelled": ~queries["labelled"].to_numpy(),
        "no_relevant": ~has_relevant,
        "no_readable_evidence": ~_flags(needed, n),
        "retrieval_not_recorded": (queries["retrieval"] == "not_recorded").to_numpy(),
    }


def _flags(rows: pl.DataFrame, n: int) -> Bools:
    flags = np.zeros(n, dtype=np.bool_)
    flags[rows["number"].to_numpy()] = True
    return flags


def _listing(retrieved: pl.DataFrame, n: int, ties: Ties) -> Listing:
    results = results_of(retrieved, n, ties)
    rows = np.arange(len(retrieved), dtype=np.int64)
    places, _ = place(results, rows)
    ids = (
        retrieved.select(pl.struct("number", pl.coalesce("passage", "id")).rank("dense").alias("code"))["code"]
        .to_numpy()
        .astype(np.int64)
    )
    distinct = first_places(ids, places.query, places.above, places.size, np.zeros(len(rows)))
    return Listing(
        query=places.query,
        above=places.above,
        size=places.size,
        judged=retrieved["grade"].is_not_null().to_numpy(),
        stale=(~retrieved["in_force"]).fill_null(False).to_numpy(),
        forbidden=(~retrieved["readable"]).fill_null(False).to_numpy(),
        distinct=Events(*spread(distinct)),
        returned=np.diff(results.offsets).astype(np.float64),
    )
