"""How far a judge repeats itself where the same answer came back and was judged again."""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec
import numpy as np
import polars as pl

from ragassay.matrices import Matrices
from ragassay.metrics.aggregation import Sampling
from ragassay.records import Answer
from ragassay.records.stability import SelfAgreement, Share
from ragassay.statistics.agreement import MISSING, krippendorff_alpha
from ragassay.statistics.bootstrap import Fractions, bootstrap_intervals

_PEOPLE = "human"
_VERDICTS = ("supports", "contradicts", "neutral")
_ITEM = ("query", "content", "matrix", "side", "text", "beside")
"""The same claim of the same answer beside the same text."""


class Said(NamedTuple):
    """What one repetition answered, and what was judged of it."""

    matrices: Matrices
    answers: Sequence[Answer]


def same_answers(said: Sequence[Said], queries: pl.Series) -> int:
    """How many of the queries had the same answer, on the same passages, in two repetitions and more."""
    contents = pl.concat([_contents(each.answers) for each in said])
    repeated = contents.group_by("query", "content").len().filter(pl.col("len") > 1)
    return int(queries.is_in(repeated["query"].implode()).sum())


def self_agreement(said: Sequence[Said], queries: pl.Series, sampling: Sampling) -> SelfAgreement | None:
    """What the judge, not people, said more than once of the same; None where there is nothing of the kind."""
    verdicts = [_verdicts(each).with_columns(pl.lit(number).alias("by")) for number, each in enumerate(said)]
    rows = pl.concat(verdicts).filter(pl.col("query").is_in(queries.implode()))
    items = rows.group_by(_ITEM, maintain_order=True).agg(
        pl.len().alias("times"), (pl.col("verdict").n_unique() == 1).alias("agree"), "by", "verdict"
    )
    items = items.filter(pl.col("times") > 1)
    if items.is_empty():
        return None
    return SelfAgreement(judgements=len(items), agreement=_agreement(items, sampling), alpha=_alpha(items, len(said)))


def _contents(answers: Sequence[Answer]) -> pl.DataFrame:
    """Query → a hash of whatever a judge sees of its answer."""
    rows = [(each.query, _content(each)) for each in answers if each.answer is not None]
    return pl.DataFrame(rows, schema={"query": pl.String(), "content": pl.String()}, orient="row")


def _content(answer: Answer) -> str:
    found = [(each.passage, each.document, each.revision, each.text) for each in answer.retrieved or ()]
    return sha256(msgspec.json.encode((answer.answer, found, answer.packed, answer.citations))).hexdigest()


def _verdicts(said: Said) -> pl.DataFrame:
    """One row per verdict of the judge: what it is about, and what it says."""
    texts = said.matrices.claims.select("query", "side", "claim", "text")
    passages = pl.concat_str("position", pl.col("second").fill_null(0), separator="+")
    parts = [
        frame.with_columns(pl.lit(name).alias("matrix"), beside.alias("beside"))
        .filter(pl.col("verdict").is_not_null() & (pl.col("judge") != _PEOPLE))
        .join(texts, on=["query", "side", "claim"], how="inner")
        .select("query", "matrix", "side", "text", "beside", "verdict")
        for name, frame, beside in (
            ("support", said.matrices.support, passages),
            ("entailment", said.matrices.entailment, pl.col("other")),
        )
    ]
    found = pl.concat(parts).join(_contents(said.answers), on="query", how="inner")
    return found.unique(_ITEM, keep="first", maintain_order=True).select(*_ITEM, "verdict")


def _agreement(items: pl.DataFrame, sampling: Sampling) -> Share:
    counts = items.group_by("query").agg(pl.col("agree").sum(), pl.len()).sort("query")
    agree, judged = (counts[name].to_numpy().astype(np.float64).reshape(-1, 1) for name in ("agree", "len"))
    fractions = Fractions(agree, judged, np.ones(agree.shape, dtype=np.bool_), ["micro"], [True])
    (found,) = bootstrap_intervals(fractions, sampling.seed, sampling.resamples, sampling.level)
    return Share(value=float(agree.sum() / judged.sum()), interval=(found.low, found.high), n=len(counts))


def _alpha(items: pl.DataFrame, repetitions: int) -> float | None:
    given = items.with_row_index("item").select("item", "by", "verdict").explode("by", "verdict")
    ratings = np.full((repetitions, len(items)), MISSING)
    codes = given["verdict"].replace_strict({name: code for code, name in enumerate(_VERDICTS)}).to_numpy()
    ratings[given["by"].to_numpy(), given["item"].to_numpy()] = codes
    return krippendorff_alpha(ratings, len(_VERDICTS))
