"""Data: is the dataset an instrument that measures what it says?"""

import re
from collections.abc import Iterator

import polars as pl

from ragassay.acceptance.presented import Presented, check, plural, some
from ragassay.dataset import fingerprint
from ragassay.records.acceptance import Check
from ragassay.text.normalise import comparable

ASKS = "Is the data pinned, and what is known about where it comes from?"
SHORTEST = 24
"""Letters and digits of a question below which its wording occurs anywhere by chance."""
FAULTS = ("conflicting_gold", "refusal_with_gold", "duplicate_questions", "quota_not_met")
_SYNTHETIC = re.compile(r"synthetic|generated|синтет|сгенерир", re.IGNORECASE)
_PROOFREAD = re.compile(r"proofread|reviewed by|checked by|вычитан|проверен", re.IGNORECASE)
_NOT = re.compile(r"\bnot (?:yet )?(?:proofread|reviewed|checked)|\bне (?:вычитан|проверен)|unreviewed", re.IGNORECASE)
NOT_GIVEN = "not given"


def data(presented: Presented) -> Iterator[Check]:
    yield _pinned(presented)
    yield _corpus(presented)
    yield _revisions(presented)
    yield _origins(presented)
    yield _labels(presented)
    yield _ages(presented)
    yield _leakage(presented)


def _pinned(presented: Presented) -> Check:
    card = presented.run.card
    kept = {
        "queries": (fingerprint(presented.queries), card.dataset_hash),
        "answers": (fingerprint(presented.answers), card.answers_hash),
    }
    differing = [name for name, (found, pinned) in kept.items() if found != pinned]
    if presented.noticed("lock_mismatch"):
        differing.append("the files locked in dataset.lock")
    return check(
        "pinned",
        "The stored queries and answers are those that the card pins",
        "not_met" if differing else "met",
        f"other content than was pinned: {', '.join(differing)}" if differing else f"queries {card.dataset_hash[:23]}…",
        "the files as they were when they were pinned, or a new version of the dataset and a new run",
        ("run.json#/card/dataset_hash", "observations/queries.jsonl", "run.json#/card/answers_hash"),
    )


def _corpus(presented: Presented) -> Check:
    corpus = presented.run.card.corpus_hash
    return check(
        "corpus",
        "The corpus is pinned",
        "met" if corpus else "not_shown",
        f"corpus {corpus[:23]}…" if corpus else "no corpus was given",
        "`--corpus`: without it nothing is known of revisions, dates and access",
        ("run.json#/card/corpus_hash",),
    )


def _revisions(presented: Presented) -> Check:
    rows = presented.matrices.retrieval.filter(pl.col("stage") == "retrieved")
    unknown = len(rows.filter(pl.col("in_force").is_null() | (pl.col("in_corpus") != True)))  # noqa: E712 (a column)
    return check(
        "revisions",
        "Every result is in the corpus, and whether it was in force is known",
        "met" if len(rows) and not unknown else "not_shown",
        f"{unknown:,} of {plural(len(rows), 'result', 'results')} unknown",
        "source, revision, status and dates of every document that is retrieved",
        ("matrices/retrieval.parquet#in_force", "matrices/retrieval.parquet#in_corpus"),
    )


def _origins(presented: Presented) -> Check:
    origins = presented.run.findings.origins
    everything = sum(origins.values())
    absent = origins.get(NOT_GIVEN, 0)
    synthetic = {origin: count for origin, count in origins.items() if _SYNTHETIC.search(origin)}
    unread = sum(count for origin, count in synthetic.items() if not _is_proofread(origin))
    made = sum(synthetic.values())
    share = f"{made / everything:.0%}" if everything else "none"
    return check(
        "origins",
        "It is known where the queries come from, and people read the synthetic ones",
        "met" if everything and not absent and not unread else "not_shown",
        f"{everything:,} queries: {share} synthetic, {unread:,} of those read by nobody; {absent:,} without an origin",
        "`origin` on every query, for synthetic ones with who read them: `synthetic, proofread by NAME`",
        ("run.json#/findings/origins", "matrices/queries.parquet#origin"),
    )


def _is_proofread(origin: str) -> bool:
    return bool(_PROOFREAD.search(origin)) and not _NOT.search(origin)


def _labels(presented: Presented) -> Check:
    faults = presented.noticed(*FAULTS)
    labelled = int(presented.matrices.queries["labelled"].fill_null(value=False).sum())
    named = ", ".join(f"{code.replace('_', ' ')} {count:,}" for code, count in faults.items())
    return check(
        "labels",
        "The labels do not contradict each other, and no part is short of queries",
        "not_met" if faults else "met" if labelled else "not_shown",
        named or f"{labelled:,} of {plural(len(presented.queries), 'query', 'queries')} labelled, no fault found",
        "resolve them, or label queries, before relying on a number",
        ("run.json#/notices", "matrices/gold.parquet"),
    )


def _ages(presented: Presented) -> Check:
    dates = [query.as_of or presented.run.card.as_of for query in presented.queries]
    known = sorted(day for day in dates if day is not None)
    undated = len(dates) - len(known)
    span = f"from {known[0].isoformat()} to {known[-1].isoformat()}, " if known else ""
    return check(
        "label_dates",
        "It is known for which day the labels hold",
        "met" if known and not undated else "not_shown",
        f"{span}{plural(undated, 'query', 'queries')} without a date",
        "`as_of` in dataset.toml or on the query: labels age with the documents",
        ("run.json#/card/as_of", "matrices/queries.parquet#as_of"),
    )


def _leakage(presented: Presented) -> Check:
    """Whether the dataset stands among what the system was given. What a model was trained on, no run can show."""
    texts = {
        each.query: "\n".join(result.text for result in each.retrieved or () if result.text)
        for each in presented.answers
    }
    asked = {query.id: _letters(query.question or "") for query in presented.queries}
    sought = {name: letters for name, letters in asked.items() if len(letters) >= SHORTEST and texts.get(name)}
    copied = [name for name, letters in sought.items() if letters in _letters(texts[name])]
    found = (
        f"{len(copied):,} of {plural(len(sought), 'question', 'questions')} stand word for word in what was retrieved"
    )
    return check(
        "leakage",
        "The dataset does not stand in the corpus",
        "met" if sought and not copied else "not_shown",
        f"{found}: {some(copied)}" if copied else found,
        "the text of what was retrieved in the answers; where questions stand in it, a person must say why",
        ("observations/answers.jsonl", "observations/queries.jsonl"),
    )


def _letters(text: str) -> str:
    return "".join(character for character in comparable(text) if character.isalnum())
