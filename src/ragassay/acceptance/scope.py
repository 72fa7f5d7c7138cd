"""Scope: what was measured, on what, and for whom."""

from collections.abc import Iterator

from ragassay.acceptance.presented import Presented, check, plural, some
from ragassay.records import RunCard
from ragassay.records.acceptance import Check

ASKS = "What was measured: which system, which dataset, which queries?"
ALWAYS = frozenset(("critical=yes", "answerable=no", "answerable=yes"))
"""Slices that every run has, even when they are empty."""


def scope(presented: Presented) -> Iterator[Check]:
    yield _system(presented.run.card)
    yield _dataset(presented.run.card)
    yield _rules(presented.run.card)
    yield _slices(presented)
    yield _critical(presented)
    yield _answers(presented)


def _system(card: RunCard) -> Check:
    asked = None if card.asked is None else card.asked.system
    named = [card.system, asked and asked.version, asked and asked.model]
    found = "; ".join(dict.fromkeys(name for name in named if name))
    return check(
        "system",
        "The system is named with its version",
        "met" if found else "not_shown",
        found or "no version is named",
        "`system` in the answers, or `version` in the description of the live system",
        ("run.json#/card/system", "run.json#/card/asked"),
    )


def _dataset(card: RunCard) -> Check:
    is_named = card.dataset != "unnamed" and card.dataset_version != "0"
    return check(
        "dataset",
        "The dataset has a name and a version",
        "met" if is_named else "not_shown",
        f"{card.dataset} {card.dataset_version}, relevance by {card.unit};"
        f" {plural(len(card.exclusions), 'rule', 'rules')} of exclusion",
        "`name` and `version` in dataset.toml",
        ("run.json#/card/dataset", "run.json#/card/dataset_version", "run.json#/card/exclusions"),
    )


def _rules(card: RunCard) -> Check:
    rules = (card.labelling_rules or "").strip()
    return check(
        "labelling_rules",
        "It is written down what the labels mean",
        "met" if rules else "not_shown",
        "labelling rules are stored with the run" if rules else "no labelling rules",
        "`labelling_rules` in dataset.toml",
        ("run.json#/card/labelling_rules",),
    )


def _slices(presented: Presented) -> Check:
    labels = [label for label in presented.run.summary.slices if label not in ALWAYS]
    return check(
        "slices",
        "Parts of the dataset are measured apart",
        "met" if labels else "not_shown",
        some(labels) if labels else "no query names a slice, a language, a task or a severity",
        "`slices`, `language`, `task`, `severity` or `difficulty` in the queries: one mean hides a broken part",
        ("run.json#/summary/slices",),
    )


def _critical(presented: Presented) -> Check:
    number = len(presented.run.findings.critical)
    return check(
        "critical_queries",
        "It is said which queries are critical",
        "met" if number else "not_shown",
        f"{number:,} of {plural(len(presented.queries), 'query', 'queries')}",
        "`critical = true` on every query of which a wrong answer does harm",
        ("run.json#/findings/critical", "matrices/queries.parquet#critical"),
    )


def _answers(presented: Presented) -> Check:
    open_ = presented.noticed("missing_in_run", "unknown_in_gold")
    missing, unknown = open_.get("missing_in_run", 0), open_.get("unknown_in_gold", 0)
    return check(
        "answers",
        "Every query was asked, and every answer belongs to one",
        "not_shown" if open_ else "met",
        f"{missing:,} without an answer, {unknown:,} to queries that the dataset does not hold"
        if open_
        else plural(len(presented.answers), "answer", "answers"),
        "answers to exactly the queries of the dataset",
        ("run.json#/notices", "observations/answers.jsonl"),
    )
