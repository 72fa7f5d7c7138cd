"""Quality: does the run reach what the owner of the risk asked for?"""

from collections import Counter
from collections.abc import Iterator

from ragassay.acceptance.presented import Presented, check, plural, some
from ragassay.records import GateResult
from ragassay.records.acceptance import Check, Shown
from ragassay.statistics.intervals import exact_lower_bound

ASKS = "Does it reach what the policy asks, critical queries one by one?"
OUTCOMES: dict[str, Shown] = {"passed": "met", "breached": "not_met", "undecided": "not_shown"}


def quality(presented: Presented) -> Iterator[Check]:
    yield _critical(presented)
    yield _verdict(presented)
    yield _targets(presented)
    yield _policy(presented)


def _critical(presented: Presented) -> Check:
    results = presented.run.findings.critical
    failed = [each for each in results if each.passed is False]
    undecided = [each for each in results if each.passed is None]
    if failed:
        why = Counter(condition.replace("_", " ") for each in failed for condition in each.failed)
        named = ", ".join(
            f"{name} {count:,}" for name, count in sorted(why.items(), key=lambda pair: (-pair[1], pair[0]))
        )
        found = f"{len(failed):,} of {len(results):,} failed ({named}): {some([each.query for each in failed])}"
    elif undecided:
        found = f"{len(undecided):,} of {len(results):,} undecided: {some([each.query for each in undecided])}"
    elif results:
        bound = exact_lower_bound(len(results), presented.run.card.level)
        found = f"{len(results):,} of {len(results):,} passed, which shows a rate of at least {bound:.3f}"
    else:
        found = "no query is marked critical"
    return check(
        "critical",
        "Every critical query passes; no mean makes up for one that fails",
        "not_met" if failed else "not_shown" if undecided or not results else "met",
        found,
        "every one of them right, in force, admissible: `ragassay explain RUN QUERY` says what to mend",
        ("run.json#/findings/critical", "report.html"),
    )


def _verdict(presented: Presented) -> Check:
    verdict = presented.verdict
    if verdict is None:
        found, outcome = "no policy was given", "not_shown"
    else:
        outcome = OUTCOMES[verdict.outcome]
        counts = Counter(result.outcome for result in verdict.gates)
        named = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in sorted(counts.items()))
        found = f"{verdict.policy}: {verdict.outcome}; gates {named or 'none'}"
        worst = next((each for each in verdict.gates if each.outcome == verdict.outcome and outcome != "met"), None)
        found += "" if worst is None else f"; {worst.gate.metric}: {worst.message}"
    return check(
        "verdict",
        "The policy passes",
        outcome,
        found,
        "`--policy` with the thresholds of the owner of the risk, and every gate of it passed",
        ("acceptance.json#/verdict",) if verdict is not None else (),
    )


def _targets(presented: Presented) -> Check:
    gates = [] if presented.verdict is None else list(enumerate(presented.verdict.gates))
    aimed = [(place, result) for place, result in gates if result.gate.target is not None]
    missed = [(place, result) for place, result in aimed if result.target_reached is False]
    unknown = [(place, result) for place, result in aimed if result.target_reached is None]
    if missed or unknown:
        found = f"not reached: {_named(missed)}" if missed else f"unknown: {_named(unknown)}"
    else:
        found = f"{plural(len(aimed), 'target', 'targets')} reached" if aimed else "no target is set"
    return check(
        "targets",
        "What production needs is reached, and not only the gate below it",
        "not_met" if missed else "met" if aimed and not unknown else "not_shown",
        found,
        "`target` in the gates of the policy, each of them reached",
        tuple(f"acceptance.json#/verdict/gates/{place}" for place, _ in missed or unknown or aimed),
    )


def _named(results: list[tuple[int, GateResult]]) -> str:
    return some([each.gate.metric + (f" on {each.gate.slice}" if each.gate.slice else "") for _, each in results])


def _policy(presented: Presented) -> Check:
    verdict = presented.verdict
    flags = () if verdict is None else verdict.flags
    found = "; ".join(flags) or (
        "no policy was given" if verdict is None else f"nothing to warn of in {verdict.policy}"
    )
    return check(
        "policy",
        "The policy itself gives no reason to doubt it",
        "met" if verdict is not None and not flags else "not_shown",
        found,
        "a policy whose thresholds somebody set, which gates refusals beside groundedness, and critical queries apart",
        ("acceptance.json#/verdict/flags",) if verdict is not None else (),
    )
