"""`ragassay accept`: the acceptance report of a run that was measured before."""

from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from ragassay.acceptance import Presented
from ragassay.acceptance import accept as drawn_up
from ragassay.cli.gating import Gating, Terms, asked_of, decided
from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.cli.runs import own_folder_of
from ragassay.formats.atomic import replace_file
from ragassay.formats.runs import read_run
from ragassay.records import ExitCode, Fault, FaultyInput
from ragassay.records.acceptance import Approval
from ragassay.reports.acceptance import acceptance_html, acceptance_json, acceptance_markdown, render_acceptance
from ragassay.review.disputes import disputed

APPROVAL = "approval.json"
CODES = {"met": ExitCode.PASSED, "not_met": ExitCode.BREACHED, "not_shown": ExitCode.UNDECIDED}


def accept(
    run: str,
    *,
    gating: Gating = Gating(),
    store: Place = STORE,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> ExitCode:
    """Draw up the acceptance report of a run, and keep it beside the run: JSON, Markdown, HTML.

    Exit code 0: all six controls are met, 1: one is not met, 3: one is not shown.

    Parameters
    ----------
    run
        Its folder, its name, its id, or the beginning of its id.
    store
        The store that knows both runs.
    json
        Print one JSON document instead of the report.
    """
    terms = asked_of(gating, store)
    folder = own_folder_of(run, store)
    acceptance = drawn_up(_presented(folder, terms))
    document = acceptance_json(acceptance)
    replace_file(folder / "acceptance.json", document)
    replace_file(folder / "acceptance.md", acceptance_markdown(acceptance).encode())
    replace_file(folder / "acceptance.html", acceptance_html(acceptance).encode())
    code = CODES[acceptance.outcome]
    if json:
        write_json(document)
    else:
        render_acceptance(acceptance, console())
        console().print(f"{folder / 'acceptance.html'}\nexit code {code.value}", markup=False, soft_wrap=True)
    return code


def _presented(folder: Path, terms: Terms | None) -> Presented:
    stored = read_run(folder)
    return Presented(
        run=stored.run,
        matrices=stored.matrices,
        fractions=stored.fractions,
        queries=stored.queries,
        answers=stored.answers,
        disputes=tuple(each.query for each in disputed(stored, ())),
        policy=None if terms is None else terms.policy,
        verdict=decided(terms, stored),
        baseline=None if terms is None or terms.baseline is None else terms.baseline.run,
        approval=read_approval(folder),
    )


def read_approval(folder: Path) -> Approval | None:
    """What a person signed beside the run, None where nothing lies there.

    Raises `FaultyInput` where it is no approval.
    """
    path = folder / APPROVAL
    try:
        return msgspec.json.decode(path.read_bytes(), type=Approval)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FaultyInput([_no_approval(path, str(error))]) from None


def _no_approval(path: Path, found: str) -> Fault:
    return Fault(
        code="unreadable_approval",
        message="this is no approval",
        file=str(path),
        value=found,
        expected='{"approves": "sha256:…", "person": "NAME", "date": "YYYY-MM-DD"}, and a "note" if wanted',
        remedy="mend it, or remove it: without one, the report says that nobody approved",
    )
