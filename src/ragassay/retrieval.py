"""Retrieval metrics straight from gold and a run: ten queries or ten million rows, the formulas of the dictionary."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, cast

import numpy as np
import polars as pl
from msgspec import Struct

from ragassay.dataset import notice
from ragassay.formats.columns import NotClean, RunTable, read_gold, read_run
from ragassay.formats.mappings import GoldMapping, Grades, Retrieved, RunMapping
from ragassay.formats.reading import Reading
from ragassay.metrics.aggregation import Measured, Sampling, estimates
from ragassay.metrics.columns import Found, Gold, Index, Judgements, Slice, merged, ranking
from ragassay.metrics.definition import Choice, Fractions
from ragassay.metrics.dictionary import find
from ragassay.metrics.ranking import Floats
from ragassay.metrics.retrieval import FORMULAS, count
from ragassay.metrics.table import fractions_table
from ragassay.records import Estimate, Notice, Ties, Unit

ScorePrecision = Literal["float32", "float64"]
Frame = pl.DataFrame | pl.LazyFrame
GoldSource = Grades | str | Path | Frame | Sequence[str | Path]
RunSource = Retrieved | str | Path | Frame | Sequence[str | Path]
Side = Grades | Retrieved | Path | Frame
METRICS = ("recall@10", "precision@10", "hit_rate@10", "mrr", "ndcg@10", "map@100")
PARTS = "*.parquet"


class RetrievalFractions(Struct, frozen=True, kw_only=True):
    """One fraction per metric and query; `queries` are those of the gold, in its order.

    A query that the run lacks counts 0. `tied` counts results that share their score; `ties` and `score_precision`
    say what was made of them.
    """

    queries: pl.Series
    fractions: dict[str, Fractions]
    ties: Ties
    score_precision: ScorePrecision
    tied: int
    notices: tuple[Notice, ...]

    def mean(self, metric: str) -> float | None:
        """The mean over the queries with a value; None if there are none. Raises ValueError for a metric that was
        not measured."""
        fractions = self._of(metric)
        defined = fractions.defined
        return float(np.mean(fractions.numerator[defined] / fractions.denominator[defined])) if defined.any() else None

    def __getitem__(self, metric: str) -> Estimate:
        """The mean with its bootstrap interval and with the counts of queries that have no value, by reason."""
        measured = Measured(find(metric), self._of(metric))
        everyone = np.ones(len(self.queries), dtype=np.bool_)
        sampling = Sampling(seed=20261, resamples=2_000, level=0.95)
        return estimates([measured], everyone, [None] * len(self.queries), sampling)[measured.choice.id]

    def table(self) -> pl.DataFrame:
        """One row per metric and query: `metric`, `query`, `numerator`, `denominator`, `undefined`, `errored`."""
        return fractions_table([Measured(find(name), each) for name, each in self.fractions.items()], self.queries)

    def _of(self, metric: str) -> Fractions:
        name = find(metric).id
        if name not in self.fractions:
            raise ValueError(f"{name} was not measured; measured were {', '.join(self.fractions)}")
        return self.fractions[name]


def measure_retrieval(
    gold: GoldSource,
    run: RunSource,
    metrics: Sequence[str] = METRICS,
    ties: Ties = "expected",
    score_precision: ScorePrecision | None = None,
) -> RetrievalFractions:
    """The metrics of a run for every query of the gold.

    Gold: `{query: {id: grade}}`; run: `{query: {id: score}}` or `{query: [id, …]}` in order. Either may be a TREC,
    Parquet or other long file, a polars frame, or a list of files or folder of Parquet files in which part i of the
    gold and part i of the run hold the same queries. Equal scores count with the mean over their orders, or as in
    trec_eval with `ties="trec"`, whose scores have `score_precision` float32 (9.x, the default then) or float64 (10).

    Raises `FaultyInput` with every fault, and ValueError for a metric that needs more than a ranking.
    """
    choices = [_choice(identity) for identity in metrics]
    precision = score_precision or ("float32" if ties == "trec" else "float64")
    rule = Rule(ties, precision)
    parts = [_measure(part_gold, part_run, choices, rule) for part_gold, part_run in _partitions(gold, run)]
    _check_namespaces(parts)
    queries = pl.concat([part.queries for part in parts])
    if len(parts) > 1 and queries.is_duplicated().any():
        repeated = queries.filter(queries.is_duplicated()).unique().sort().head(5).to_list()
        raise Reading("gold").stop(
            "query_in_two_parts",
            "queries stand in two parts",
            value=", ".join(repeated),
            expected="each query in one part",
        )
    return RetrievalFractions(
        queries=queries,
        fractions={choice.id: _joined([part.fractions[choice.id] for part in parts]) for choice in choices},
        ties=ties,
        score_precision=precision,
        tied=sum(part.tied for part in parts),
        notices=_notices(parts),
    )


class Rule(NamedTuple):
    """What is made of equal scores, and when scores are equal."""

    ties: Ties
    precision: ScorePrecision

    def rounded(self, scores: Floats) -> Floats:
        if self.precision == "float64":
            return scores
        with np.errstate(over="ignore"):
            return scores.astype(np.float32).astype(np.float64)


class Apart(NamedTuple):
    """A kind of id of which gold and run share none, with samples of both."""

    kind: str
    gold: Sequence[str]
    run: Sequence[str]


class Part(NamedTuple):
    """What was measured on a gold and a run with the same queries, and how these stand `apart`, if they do."""

    queries: pl.Series
    fractions: Mapping[str, Fractions]
    tied: int
    repeats: int
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    apart: Apart | None


def _choice(identity: str) -> Choice:
    choice = find(identity)
    if choice.metric.name not in FORMULAS or choice.variant.get("results", "all") != "all":
        raise ValueError(f"{choice.id} needs more than a ranking; measure it with ragassay.evaluate")
    return choice


def _partitions(gold: GoldSource, run: RunSource) -> list[tuple[Side, Side]]:
    """Pairs of gold and run with the same queries. Raises `FaultyInput` where the parts do not pair."""
    golds, runs = _parts(gold, "gold"), _parts(run, "run")
    if len(golds) != len(runs):
        raise Reading("run").stop(
            "parts_do_not_pair",
            "gold and run have different numbers of parts",
            value=f"{len(golds)} and {len(runs)}",
            expected="part i of both holds the same queries",
        )
    return list(zip(golds, runs, strict=True))


def _parts(source: GoldSource | RunSource, side: str) -> list[Side]:
    if isinstance(source, Mapping | pl.DataFrame | pl.LazyFrame):
        return [source]
    if isinstance(source, str | Path):
        path = Path(source)
        if not path.is_dir():
            return [path]
        source = sorted(path.glob(PARTS))
    if not source:
        raise Reading(side).stop("no_parts", "there are no parts", expected=f"files {PARTS}")
    return [Path(part) for part in source]


def _measure(gold: Side, run: Side, choices: Sequence[Choice], rule: Rule) -> Part:
    unit: Unit = "document"
    if isinstance(gold, Mapping):
        judged = GoldMapping(cast("Grades", gold))
    else:
        judged, unit = read_gold(gold)
    held = RunMapping(cast("Retrieved", run)) if isinstance(run, Mapping) else read_run(run, unit)
    found = _found(judged, held, rule)
    ranked = ranking(judged.judgements, found)
    return Part(
        queries=judged.judgements.queries,
        fractions={choice.id: count(ranked, choice) for choice in choices},
        tied=found.tied,
        repeats=found.repeats,
        missing=_missing(judged.judgements, found),
        unknown=found.unknown,
        apart=None if len(found.judgement) else _apart(judged, held, rule),
    )


def _found(gold: GoldMapping | Gold, run: RunMapping | RunTable, rule: Rule) -> Found:
    if isinstance(gold, GoldMapping) and isinstance(run, RunMapping):
        found = run.find(gold, rule.rounded)
        if rule.ties == "expected" or found.tied == 0:
            return found
    index = Index(gold.columns() if isinstance(gold, GoldMapping) else gold)
    if isinstance(run, RunMapping):
        return merged([index.find(part, rule.ties) for part in run.slices(rule.rounded)])
    try:
        found = merged([index.find(_rounded(part, run, rule), rule.ties) for part in run.slices()])
        is_whole = int(np.bincount(found.present).max(initial=0)) <= 1
    except NotClean:
        found, is_whole = None, False
    if found is None or not is_whole:
        found = merged([index.find(_rounded(part, run, rule), rule.ties) for part in run.gathered()])
    if run.ranked and found.tied:
        raise Reading(run.name).stop(
            "repeated_rank", f"{found.tied} results share their rank", field="rank", expected="a different rank each"
        )
    return found


def _rounded(part: Slice, run: RunTable, rule: Rule) -> Slice:
    return part if run.ranked or part.scores is None else part._replace(scores=rule.rounded(part.scores))


def _missing(judgements: Judgements, found: Found) -> tuple[str, ...]:
    is_missing = np.ones(judgements.n, dtype=np.bool_)
    is_missing[found.present] = False
    return tuple(judgements.queries.filter(pl.Series(is_missing)).to_list()) if is_missing.any() else ()


def _apart(gold: GoldMapping | Gold, run: RunMapping | RunTable, rule: Rule) -> Apart | None:
    """Samples of queries or ids where gold and run share none of them."""
    judged = gold.columns() if isinstance(gold, GoldMapping) else gold
    slices: Iterable[Slice] = run.slices(rule.rounded) if isinstance(run, RunMapping) else run.gathered()
    queries, ids = judged.judgements.queries, judged.id
    strangers: list[str] = []
    samples: list[str] = []
    for part in slices:
        is_known = part.queries.is_in(queries.implode())
        known = part.id.filter(pl.Series(np.repeat(is_known.to_numpy(), np.diff(part.offsets))))
        if known.is_in(ids.implode()).any():
            return None
        samples = samples or _samples(known)
        strangers = strangers or _samples(part.queries.filter(~is_known))
    if samples and len(ids):
        return Apart("id", _samples(ids), samples)
    return Apart("query id", _samples(queries), strangers) if strangers and not samples else None


def _samples(ids: pl.Series) -> list[str]:
    return ids.unique().sort().head(2).to_list()


def _check_namespaces(parts: Sequence[Part]) -> None:
    """Gold and run that share no id at all are a join fault, not a retriever that never succeeds."""
    apart = [part.apart for part in parts if part.apart is not None]
    if len(apart) < len(parts):
        return
    kind, *samples = apart[0]
    gold, found = (", ".join(map(repr, each)) for each in samples)
    raise Reading("run").stop(
        "id_namespaces_disjoint",
        f"no {kind} of the gold occurs in the run: gold has {gold}, the run has {found}",
        expected="ids of one kind on both sides",
        remedy="map the ids of one side to those of the other, passages to their documents for example",
    )


def _joined(parts: Sequence[Fractions]) -> Fractions:
    return Fractions(
        np.concatenate([part.numerator for part in parts]),
        np.concatenate([part.denominator for part in parts]),
        np.concatenate([part.state for part in parts]),
        parts[0].absences,
    )


def _notices(parts: Sequence[Part]) -> tuple[Notice, ...]:
    tied, repeats = sum(part.tied for part in parts), sum(part.repeats for part in parts)
    counted = (
        ("duplicate_retrieved_ids", repeats, "results repeat one above; a repeat keeps its rank and earns nothing"),
        ("ties", tied, "results share their score; see the rule for ties"),
    )
    return (
        *notice(
            "missing_in_run", [each for part in parts for each in part.missing], "queries that the run lacks count 0"
        ),
        *notice(
            "unknown_in_gold",
            list(dict.fromkeys(each for part in parts for each in part.unknown)),
            "queries of the run that the gold does not hold were left out",
        ),
        *(Notice(code=code, count=number, message=message) for code, number, message in counted if number),
    )
