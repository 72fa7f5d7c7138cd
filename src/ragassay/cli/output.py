"""Where a command writes: results on standard output, everything said about them on standard error."""

import sys
from collections.abc import Sequence

from rich.console import Console

from ragassay.records import Fault
from ragassay.reports.faults import faults_json, render_faults


def console() -> Console:
    return Console(highlight=False, emoji=False)


def error_console() -> Console:
    return Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)


def write_json(document: bytes) -> None:
    """One JSON document on standard output, and nothing else there."""
    sys.stdout.buffer.write(document.rstrip(b"\n") + b"\n")
    sys.stdout.buffer.flush()


def report_faults(faults: Sequence[Fault], *, as_json: bool) -> None:
    if as_json:
        write_json(faults_json(faults))
    else:
        render_faults(faults, error_console())
