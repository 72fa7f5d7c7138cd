"""`ragassay metrics`: the dictionary."""

from ragassay.cli.output import console
from ragassay.metrics.dictionary import ALIASES, DICTIONARY, find
from ragassay.records import ExitCode, Fault, FaultyInput
from ragassay.reports.dictionary import describe, dictionary_table


def metrics(identity: str | None = None) -> ExitCode:
    """Print the dictionary of metrics, or explain one with its formula and source.

    Parameters
    ----------
    identity
        A metric such as `recall`, `ndcg@10` or `ndcg@10(gain=exp)`.
    """
    if identity is None:
        dictionary_table(console())
    elif (name := ALIASES.get(identity, identity)) in DICTIONARY:
        describe(DICTIONARY[name], console())
    else:
        describe(_found(identity).metric, console())
    return ExitCode.PASSED


def _found(identity: str):  # noqa: ANN202
    try:
        return find(identity)
    except ValueError as error:
        raise FaultyInput([Fault(code="unknown_metric", message=str(error), value=identity)]) from error
