"""From two measured runs and a policy to a comparison and a verdict: what the command line and Python both do."""

from collections.abc import Collection
from typing import Protocol

import polars as pl
from msgspec.structs import replace

from ragassay.causes import transitions
from ragassay.comparison import Side, compare
from ragassay.gates import decide
from ragassay.matrices import Matrices
from ragassay.metrics.aggregation import Sampling
from ragassay.metrics.dictionary import find
from ragassay.records import Comparison, Fault, FaultyInput, Policy, Run
from ragassay.records.verdict import Verdict


class Measured(Protocol):
    """A run with its evidence: just measured, or read back from its folder."""

    @property
    def run(self) -> Run: ...
    @property
    def fractions(self) -> pl.DataFrame: ...
    @property
    def matrices(self) -> Matrices: ...


def compared(baseline: Measured, candidate: Measured, override: str | None = None) -> Comparison:
    """The comparison of two runs, with what became of every cause of failure.

    `override` is the reason for comparing in spite of what refuses. Raises `FaultyInput` where one of them has metrics
    that are not known here.
    """
    card = candidate.run.card
    found = _beside(baseline, candidate, Sampling(card.seed, card.resamples, card.level), (), override)
    kept = set(baseline.matrices.queries["query"]) & set(candidate.matrices.queries["query"])
    causes = transitions(baseline.run.findings.failed, candidate.run.findings.failed, sorted(kept))
    return replace(found, causes=causes)


def decided(
    policy: Policy, candidate: Measured, baseline: Measured | None = None, override: str | None = None
) -> Verdict:
    """The verdict of a policy on a run, compared with a baseline at the level of the policy.

    Raises `FaultyInput` as `compared` does.
    """
    comparison = None
    if baseline is not None:
        gating = {(find(gate.metric).id, gate.slice) for gate in policy.gates if gate.no_worse_by is not None}
        card = candidate.run.card
        sampling = Sampling(card.seed, card.resamples, policy.level)
        comparison = _beside(baseline, candidate, sampling, gating, override)
    return decide(policy, candidate.run, candidate.fractions, candidate.matrices, comparison)


def _beside(
    baseline: Measured,
    candidate: Measured,
    sampling: Sampling,
    gating: Collection[tuple[str, str | None]],
    override: str | None,
) -> Comparison:
    before, after = (Side(each.run, each.fractions, each.matrices.queries) for each in (baseline, candidate))
    try:
        return compare(before, after, sampling, gating, override)
    except ValueError as error:
        raise FaultyInput([_of_another_version(str(error))]) from None


def _of_another_version(found: str) -> Fault:
    return Fault(
        code="not_comparable",
        message="one of the two runs was measured by another version of this instrument",
        value=found,
        remedy="measure both again from their recorded answers; for a baseline,"
        " `ragassay baseline set NAME RUN --reason WHY` then pins a new version",
    )
