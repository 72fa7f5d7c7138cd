"""`ragassay explain`: one query of a run, with everything that was found, said and measured."""

from typing import Annotated

import msgspec
from cyclopts import Parameter

from ragassay.cli.output import console, write_json
from ragassay.cli.recording import STORE, Place
from ragassay.cli.runs import folder_of
from ragassay.formats.runs import read_run
from ragassay.records import ExitCode, Fault, FaultyInput
from ragassay.reports.explain import explanation, render_explanation


def explain(
    run: str, query: str, *, store: Place = STORE, json: Annotated[bool, Parameter(negative=())] = False
) -> ExitCode:
    """Show one query of a run: ranked passages, citations, refusal, its numbers, and what failed.

    Parameters
    ----------
    run
        A baseline, its folder, its name, its id, or the beginning of its id.
    query
        The id of the query.
    store
        The store that knows it.
    json
        Print one JSON document instead of the text.
    """
    stored = read_run(folder_of(run, store))
    evidence = (stored.matrices, stored.fractions, stored.queries, stored.answers)
    try:
        explained = explanation(query, *evidence, stored.run.findings)
    except ValueError as error:
        raise FaultyInput([Fault(code="unknown_query", message=str(error), value=query)]) from error
    if json:
        write_json(msgspec.json.encode(explained))
    else:
        render_explanation(explained, console())
    return ExitCode.PASSED
