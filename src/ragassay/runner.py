"""The line from recorded answers to a run: observations → matrices → fractions → estimates."""

from collections.abc import Mapping, Sequence

import msgspec
import polars as pl
from msgspec import Struct

from ragassay import __version__
from ragassay.causes import failures
from ragassay.dataset import fingerprint, inspect, notice, run_id
from ragassay.formats.bundle import Bundle
from ragassay.judges.apart import Apart, judge_apart
from ragassay.judges.human import decided_by_people, with_people
from ragassay.judges.judging import Bench, judge_cases
from ragassay.matrices import Matrices, build, cases, unknown_queries, with_judgements, with_labels
from ragassay.metrics.aggregation import Measured, Sampling
from ragassay.metrics.caveats import caveats
from ragassay.metrics.definition import Fractions
from ragassay.metrics.dictionary import choices, find
from ragassay.metrics.evidence import Evidence, gather
from ragassay.metrics.findings import findings
from ragassay.metrics.sides import is_correctable, sides, with_sides
from ragassay.metrics.summary import summarise
from ragassay.metrics.table import fractions_table
from ragassay.records import (
    AnyLabel,
    Asked,
    Case,
    DatasetCard,
    Estimate,
    JudgeCard,
    Judged,
    Notice,
    Run,
    RunCard,
    Ties,
    Unit,
)


class Settings(Struct, frozen=True, kw_only=True):
    """How to measure: cut-offs (None: the dataset's), the rule for ties, metrics (None: all), intervals."""

    k: tuple[int, ...] | None = None
    ties: Ties = "expected"
    metrics: tuple[str, ...] | None = None
    seed: int = 20261
    resamples: int = 2_000
    level: float = 0.95


class Evaluation(Struct, frozen=True, kw_only=True):
    """A run with the evidence it was counted on. `fractions` has one row per metric and query."""

    run: Run
    matrices: Matrices
    fractions: pl.DataFrame
    observed: Bundle

    def __repr__(self) -> str:
        """Short: an event loop writes out for itself whatever a finished task returned."""
        return f"Evaluation({self.run.id!r})"


Judgements = tuple[JudgeCard, Sequence[Judged]]
"""Who judged, and what was said of each of `observed_cases`; a case that is missing was not judged."""


async def evaluate(observed: Bundle, settings: Settings, bench: Bench | None = None) -> Evaluation:
    """Measure recorded answers, with a judge where one is given; it is closed afterwards. Labels outrank it.

    Raises `FaultyInput` where gold and results cannot be joined, before anything is judged.
    """
    seated = bench or with_people(None, observed.labels)
    if seated is None:
        return measure(observed, settings)
    build(observed.queries, observed.answers, observed.documents, _dataset_card(observed, settings))
    found = observed_cases(observed, settings)
    try:
        if bench is not None and observed.labels:
            apart = await judge_apart(bench, observed.labels, found)
            return _with_sides(measure(observed, settings, (apart.card, apart.together)), settings, apart)
        judged = await judge_cases(seated, found)
    finally:
        await seated.judge.close()
    return measure(observed, settings, (seated.judge.card, judged if bench else decided_by_people(judged)))


def observed_cases(observed: Bundle, settings: Settings) -> list[Case]:
    """What there is to judge."""
    card = _dataset_card(observed, settings)
    return cases(observed.queries, observed.answers, observed.documents, card, observed.labels)


def measure(
    observed: Bundle, settings: Settings, judgements: Judgements | None = None, asked: Asked | None = None
) -> Evaluation:
    """Measure answers with what was judged of them; None: with code and recorded labels alone.

    `asked` says who gave the answers, where they were not recorded elsewhere.

    Raises `FaultyInput` where gold and results cannot be joined.
    """
    card, judge, said = _dataset_card(observed, settings), None, None
    matrices, unit = build(observed.queries, observed.answers, observed.documents, card)
    if judgements is not None:
        judge, judged = judgements
        said = fingerprint(judged)
        matrices = with_judgements(matrices, observed_cases(observed, settings), judged)
    matrices, unused = with_labels(matrices, observed.answers, observed.labels)
    evidence = gather(matrices, settings.ties)
    measured = [
        Measured(choice, choice.metric.measure(evidence, choice)) for choice in choices(card.k, settings.metrics)
    ]
    summary = summarise(measured, matrices.queries, Sampling(settings.seed, settings.resamples, settings.level))
    run_card = _card(observed, card, unit, settings, judge)
    identities = tuple(str(each.choice) for each in measured)
    run_card = msgspec.structs.replace(run_card, asked=asked, judgements_hash=said, metrics=identities)
    run = Run(
        id=run_id(run_card),
        card=run_card,
        summary=summary,
        findings=msgspec.structs.replace(findings(evidence), failed=failures(evidence, max(card.k))),
        notices=(*_notices(observed, evidence), *_unused(unused)),
        not_shown=_not_shown(summary.metrics),
    )
    return Evaluation(
        run=run, matrices=matrices, fractions=fractions_table(measured, matrices.queries["query"]), observed=observed
    )


def _with_sides(evaluation: Evaluation, settings: Settings, apart: Apart) -> Evaluation:
    """With what labels can correct measured thrice more: by the judge as if without labels, by people, by nobody."""
    observed = evaluation.observed
    built, _ = build(observed.queries, observed.answers, observed.documents, _dataset_card(observed, settings))
    correctable = [choice for name in evaluation.run.card.metrics if is_correctable((choice := find(name)).metric)]
    found_cases, views = observed_cases(observed, settings), list[list[Fractions]]()
    for judged, labels in ((apart.judge, ()), (apart.people, observed.labels), (apart.nobody, ())):
        matrices = with_judgements(built, found_cases, judged)
        evidence = gather(with_labels(matrices, observed.answers, labels).matrices, settings.ties)
        views.append([choice.metric.measure(evidence, choice) for choice in correctable])
    found = {str(choice): sides(*parts) for choice, *parts in zip(correctable, *views, strict=True)}
    fractions = with_sides(evaluation.fractions, found, evaluation.matrices.queries["query"])
    return msgspec.structs.replace(evaluation, fractions=fractions)


def _dataset_card(observed: Bundle, settings: Settings) -> DatasetCard:
    return msgspec.structs.replace(observed.card, k=settings.k or observed.card.k)


def _card(observed: Bundle, card: DatasetCard, unit: Unit, settings: Settings, judge: JudgeCard | None) -> RunCard:
    systems = sorted({answer.system for answer in observed.answers if answer.system is not None})
    return RunCard(
        ragassay=__version__,
        dataset=card.name,
        dataset_version=card.version,
        dataset_hash=fingerprint(observed.queries),
        answers_hash=fingerprint(observed.answers),
        corpus_hash=None if observed.documents is None else fingerprint(observed.documents),
        labels_hash=fingerprint(observed.labels) if observed.labels else None,
        system=", ".join(systems) or None,
        unit=unit,
        ties=settings.ties,
        score_precision="float32" if settings.ties == "trec" else "float64",
        k=card.k,
        as_of=card.as_of,
        metrics=(),
        judge=judge,
        seed=settings.seed,
        resamples=settings.resamples,
        level=settings.level,
        inputs=observed.inputs,
        labelling_rules=card.labelling_rules,
        exclusions=card.exclusions,
    )


def _notices(observed: Bundle, evidence: Evidence) -> list[Notice]:
    unknown = unknown_queries(observed.queries, observed.answers)
    return [
        *observed.notices,
        *notice("unknown_in_gold", unknown, "answers to queries that the dataset does not hold; they cannot be scored"),
        *inspect(observed.queries, observed.card),
        *caveats(evidence),
    ]


def _unused(labels: Sequence[AnyLabel]) -> list[Notice]:
    message = "labels of answers, passages or citations that are not in this run; they decide nothing"
    return notice("labels_unused", [label.id or "" for label in labels], message)


def _explains(identity: str, reason: str) -> bool:
    """Whether a reason voids the metric, rather than only keeping a query out of it."""
    return reason in find(identity).metric.voided_by


def _not_shown(metrics: Mapping[str, Estimate]) -> dict[str, str]:
    """Metrics without a value, each with the commonest reason."""
    shown: dict[str, str] = {}
    for name, estimate in metrics.items():
        if estimate.value is None:
            reasons = {reason: count for reason, count in estimate.undefined.items() if _explains(name, reason)}
            shown[name] = max(
                reasons or estimate.undefined, key=lambda why: estimate.undefined[why], default="no queries"
            )
    return shown
