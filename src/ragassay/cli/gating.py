"""A verdict at the command line: the policy and the baseline, what is kept, what is said, the exit code."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from cyclopts import Parameter

from ragassay import decision
from ragassay.cli.output import console
from ragassay.cli.runs import folder_of
from ragassay.decision import Measured
from ragassay.formats.atomic import replace_file
from ragassay.formats.policy import load_policy
from ragassay.formats.runs import read_run
from ragassay.records import ExitCode, Fault, FaultyInput, Policy
from ragassay.records.verdict import Verdict
from ragassay.reports.junit import verdict_junit
from ragassay.reports.verdict import verdict_json, verdict_markdown

CODES = {"passed": ExitCode.PASSED, "breached": ExitCode.BREACHED, "undecided": ExitCode.UNDECIDED}


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Gating:
    """What a run must reach.

    Parameters
    ----------
    policy
        A policy in TOML, or `dashboard`, `strict`, `russian-practice`. Exit code 1: breached, 3: undecided.
    baseline
        The run to compare with: a baseline, its folder, its name, its id, or the beginning of its id.
    override
        Why the two runs are compared although something differs that refuses it. The verdict says so.
    """

    policy: str | None = None
    baseline: str | None = None
    override: str | None = None


class Terms(NamedTuple):
    """The policy and the baseline, read before anything is measured."""

    policy: Policy
    baseline: Measured | None
    override: str | None = None


def asked_of(gating: Gating, store: str) -> Terms | None:
    """The terms of the verdict, None where nothing is gated. Raises `FaultyInput` where they cannot be read."""
    if gating.policy is None:
        if gating.baseline is not None:
            raise FaultyInput([_no_policy()])
        return None
    baseline = None if gating.baseline is None else read_run(folder_of(gating.baseline, store))
    return Terms(load_policy(gating.policy), baseline, gating.override)


def decided(terms: Terms | None, measured: Measured) -> Verdict | None:
    """The verdict on a run, None where nothing is gated."""
    return None if terms is None else decision.decided(terms.policy, measured, terms.baseline, terms.override)


def leave(verdict: Verdict | None, folder: Path, *, as_json: bool) -> ExitCode:
    """Keep the verdict beside the run, whatever it is: JSON, Markdown for a pull request, JUnit XML. Then the exit
    code, which is the last line where people read.
    """
    if verdict is None:
        return ExitCode.PASSED
    replace_file(folder / "verdict.json", verdict_json(verdict))
    replace_file(folder / "verdict.md", verdict_markdown(verdict).encode())
    replace_file(folder / "verdict.xml", verdict_junit(verdict))
    code = CODES[verdict.outcome]
    if not as_json:
        console().print(f"exit code {code.value}", markup=False)
    return code


def _no_policy() -> Fault:
    return Fault(
        code="no_policy",
        message="a baseline without a policy decides nothing",
        field="--baseline",
        remedy="give --policy too, or use `ragassay compare`",
    )
