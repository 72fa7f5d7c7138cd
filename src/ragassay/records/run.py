"""A run: what exactly was measured, and the summary that follows from its matrices."""

from datetime import date
from typing import Literal

from msgspec import Struct

from ragassay.records.cause import Failed
from ragassay.records.judgement import JudgeCard
from ragassay.records.measurement import Estimate
from ragassay.records.system import Asked

Unit = Literal["document", "passage"]
Ties = Literal["expected", "trec"]


class Exclusion(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rule that keeps queries out of every denominator: by id or by slice, with its reason."""

    reason: str
    query: str | None = None
    slice: str | None = None


class DatasetCard(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`dataset.toml`: what the labels mean. `unit` None leaves it to the gold: documents or passages.

    Gold and results that share no id at all are refused as a join fault, unless `disjoint_ids` says that this is true.
    """

    name: str = "unnamed"
    version: str = "0"
    unit: Unit | None = None
    as_of: date | None = None
    k: tuple[int, ...] = (1, 3, 5, 10)
    labelling_rules: str | None = None
    exclusions: tuple[Exclusion, ...] = ()
    quotas: dict[str, int] = {}
    disjoint_ids: bool = False


class Notice(Struct, frozen=True, kw_only=True):
    """Something a reader must know before believing a number; `samples` name the first few places."""

    code: str
    count: int
    message: str
    samples: tuple[str, ...] = ()


class RunCard(Struct, frozen=True, kw_only=True):
    """What was run. Two runs are comparable only as far as their cards agree.

    `system` holds the versions that recorded answers name; `asked` is None where answers were recorded elsewhere.
    """

    ragassay: str
    dataset: str
    dataset_version: str
    dataset_hash: str
    answers_hash: str
    corpus_hash: str | None
    labels_hash: str | None = None
    judgements_hash: str | None = None
    system: str | None
    asked: Asked | None = None
    unit: Unit
    ties: Ties
    score_precision: str
    k: tuple[int, ...]
    as_of: date | None
    metrics: tuple[str, ...]
    judge: JudgeCard | None
    seed: int
    resamples: int
    level: float
    inputs: tuple[str, ...]
    labelling_rules: str | None
    exclusions: tuple[Exclusion, ...]


class Summary(Struct, frozen=True, kw_only=True):
    """The aggregates of a run: over all queries, and by slice (`language=ru` → metric → estimate)."""

    metrics: dict[str, Estimate]
    slices: dict[str, dict[str, Estimate]]


class CriticalResult(Struct, frozen=True, kw_only=True):
    """One critical query. `passed` None: no condition failed, and `undecided` names those that nobody decided."""

    query: str
    question: str | None
    passed: bool | None
    failed: tuple[str, ...]
    undecided: tuple[str, ...]


class NoiseRow(Struct, frozen=True, kw_only=True):
    """What stood among the candidates of one type of query: result counts, each result counted in one column only."""

    query_type: str
    queries: int
    results: int
    relevant: int
    not_relevant: int
    unjudged: int
    stale: int
    forbidden: int


class ClaimFinding(Struct, frozen=True, kw_only=True):
    """A claim with its verdict and the evidence nearest to it.

    `passage` and `position` name the passage of the context, `second` the position of another one that is needed too.
    `quote` stands in the passage verbatim; `reason` says why the verdict is not better.
    """

    query: str
    side: str
    number: int
    text: str
    verdict: Literal["supported", "contradicted", "unverified", "errored"]
    passage: str | None
    position: int | None
    second: int | None
    probability: float | None
    quote: str | None
    reason: str | None
    disputed: bool


class Findings(Struct, frozen=True, kw_only=True):
    """What the report shows beside the numbers, counted on the same matrices.

    `failed` holds every query that failed, worst first, and why.
    `refusals` maps expected → observed → queries. `first_ranks` counts needs by the rank at which they were first met
    (`"1"`, `"2"`, …, `"not found"`). `latencies` maps a stage to its sorted seconds.
    `unsupported` holds the first of `unsupported_count` answer claims that the context does not support, worst first.
    """

    critical: tuple[CriticalResult, ...]
    refusals: dict[str, dict[str, int]]
    noise: tuple[NoiseRow, ...]
    noise_stage: str
    first_ranks: dict[str, int]
    citation_faults: dict[str, int]
    latencies: dict[str, tuple[float, ...]]
    origins: dict[str, int]
    unsupported: tuple[ClaimFinding, ...] = ()
    unsupported_count: int = 0
    failed: tuple[Failed, ...] = ()


class Run(Struct, frozen=True, kw_only=True):
    """`run.json`: the card, the summary, what else was found, the notices.

    `id` is the hash of the card, which holds the hashes of queries, answers, corpus, labels and judgements. `not_shown`
    names the metrics that were not measured, and why.
    """

    id: str
    card: RunCard
    summary: Summary
    findings: Findings
    notices: tuple[Notice, ...]
    not_shown: dict[str, str]
