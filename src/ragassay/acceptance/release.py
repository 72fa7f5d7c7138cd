"""Release: is it no worse than what it replaces, and did a person say yes to exactly this?"""

from collections.abc import Iterator

import polars as pl

from ragassay.acceptance.presented import Presented, check, plural, some, together
from ragassay.comparison.comparability import comparability
from ragassay.records import Run
from ragassay.records.acceptance import Check, Shown

ASKS = "Is it no worse than what it replaces, and did a person say yes to exactly this?"
PINNED = ("incident", "regression")
NO_BASELINE = "no baseline was given"
DOUBTFUL = "judge_uncertain"
GIVE = "`--baseline` with the run of the version that is replaced"


def release(presented: Presented) -> Iterator[Check]:
    yield _baseline(presented)
    yield _comparable(presented)
    yield _no_worse(presented)
    yield _lost(presented)
    yield from _pinned(presented)


def _baseline(presented: Presented) -> Check:
    before, run = presented.baseline, presented.run
    is_itself = before is not None and before.id == run.id
    named = "" if before is None else f"run {before.id}, {before.card.system or 'system not named'}"
    return check(
        "baseline",
        "It is compared with the version that it replaces",
        "met" if before is not None and not is_itself else "not_shown",
        NO_BASELINE if before is None else f"{named}: this run itself" if is_itself else named,
        GIVE,
        ("acceptance.json#/baseline",),
    )


def _comparable(presented: Presented) -> Check:
    before = presented.baseline
    mismatches = () if before is None else comparability(before.card, presented.run.card)
    refusing = [each.field for each in mismatches if each.refuses]
    others = [each.field for each in mismatches if not each.refuses]
    found = f"refused by {some(refusing)}" if refusing else f"differs: {some(others)}" if others else "nothing differs"
    return check(
        "comparable",
        "The two runs may be compared",
        "met" if before is not None and not refusing else "not_shown",
        NO_BASELINE if before is None else found,
        "the same dataset, labels, rules and judge in both runs; `--override` compares, and shows nothing here",
        ("run.json#/card",),
    )


def _no_worse(presented: Presented) -> Check:
    gates = () if presented.verdict is None else presented.verdict.gates
    relative = [(place, each) for place, each in enumerate(gates) if each.gate.no_worse_by is not None]
    states: dict[str, Shown] = {"passed": "met", "breached": "not_met"}
    outcome = together([states.get(each.outcome, "not_shown") for _, each in relative])
    found = "; ".join(f"{each.gate.metric}: {each.message}" for _, each in relative)
    return check(
        "no_worse",
        "It is not worse than the baseline by more than the policy allows",
        outcome,
        found or "no gate compares with a baseline",
        "gates with `no_worse_by` in the policy, and each of them passed",
        tuple(f"acceptance.json#/verdict/gates/{place}" for place, _ in relative),
    )


def _lost(presented: Presented) -> Check:
    before = presented.baseline
    held: set[str] = set() if before is None else _critical(before, passed=True)
    lost = sorted(held & _critical(presented.run, passed=False))
    kept = held & _critical(presented.run, passed=True)
    if lost:
        outcome, found = "not_met", f"{len(lost):,} of {len(held):,} lost: {some(lost)}"
    elif held and kept == held:
        outcome, found = "met", f"all {len(held):,} still pass"
    else:
        rest = len(held) - len(kept)
        outcome, found = "not_shown", f"{rest:,} of {len(held):,} undecided now" if held else "none passed before"
    return check(
        "critical_kept",
        "No critical query that passed before fails now",
        outcome,
        NO_BASELINE if before is None else found,
        "each critical query of the baseline that passed, passed again" if before is not None else GIVE,
        ("run.json#/findings/critical",),
    )


def _critical(run: Run, *, passed: bool) -> set[str]:
    return {each.query for each in run.findings.critical if each.passed is passed}


def _pinned(presented: Presented) -> Iterator[Check]:
    """Failures that were pinned as cases; a dataset that holds none asks nothing."""
    kinds = pl.col("slices").list.eval(pl.element().is_in(PINNED)).list.any().fill_null(value=False)
    names = presented.matrices.queries.filter(kinds & pl.col("excluded").is_null())["query"].to_list()
    if not names:
        return
    causes = {each.query: each.cause.name for each in presented.run.findings.failed}
    failed = [name for name in names if causes.get(name, DOUBTFUL) != DOUBTFUL]
    doubtful = [name for name in names if causes.get(name) == DOUBTFUL]
    yield check(
        "pinned_cases",
        "No failure that was pinned as a case is back",
        "not_met" if failed else "not_shown" if doubtful else "met",
        f"{len(failed):,} of {plural(len(names), 'case', 'cases')} fail: {some(failed)}"
        if failed
        else f"{plural(len(names), 'case', 'cases')}, {len(doubtful):,} of them in doubt",
        "`ragassay explain RUN QUERY` says what to mend",
        ("run.json#/findings/failed", "matrices/queries.parquet#slices"),
    )


def approved(presented: Presented, content: str) -> Check:
    """Whether a person released exactly this content. Who wrote the file is for its keeper to know."""
    approval = presented.approval
    how = f'`approval.json` in the run folder: {{"approves": "{content}", "person": "NAME", "date": "YYYY-MM-DD"}}'
    if approval is None:
        outcome, found = "not_shown", "nobody approved this"
    elif approval.approves == content and approval.person.strip():
        note = f": {approval.note}" if approval.note else ""
        outcome, found = "met", f"{approval.person}, {approval.date.isoformat()}{note}"
    else:
        outcome, found = "not_shown", f"{approval.person} approved other evidence ({approval.approves})"
    links = () if approval is None else ("approval.json",)
    return check("approval", "A person approved exactly this evidence", outcome, found, how, links)
