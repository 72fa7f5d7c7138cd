"""`ragassay gate`: a verdict on a run that was measured before."""

from typing import Annotated

from cyclopts import Parameter

from ragassay.cli.gating import Gating, asked_of, decided, leave
from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.cli.runs import own_folder_of
from ragassay.formats.runs import read_run
from ragassay.records import ExitCode
from ragassay.reports.verdict import render_verdict, verdict_json


def gate(
    run: str,
    *,
    policy: str,
    baseline: str | None = None,
    override: str | None = None,
    store: Place = STORE,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> ExitCode:
    """Decide whether a run passes a policy, and keep the verdict beside it.

    Parameters
    ----------
    run
        Its folder, its name, its id, or the beginning of its id.
    policy
        A policy in TOML, or `dashboard`, `strict`, `russian-practice`. Exit code 0: passed, 1: breached, 3: undecided.
    baseline
        The run to compare with: a baseline, its folder, its name, its id, or the beginning of its id.
    override
        Why the two runs are compared although something differs that refuses it. The verdict says so.
    store
        The store that knows both runs.
    json
        Print one JSON document instead of the verdict.
    """
    terms = asked_of(Gating(policy=policy, baseline=baseline, override=override), store)
    folder = own_folder_of(run, store)
    verdict = decided(terms, read_run(folder))
    if verdict is not None and json:
        write_json(verdict_json(verdict))
    elif verdict is not None:
        render_verdict(verdict, console())
    return leave(verdict, folder, as_json=json)
