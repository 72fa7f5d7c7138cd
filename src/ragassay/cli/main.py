"""The door: verbs, and what becomes of faults, interrupts and failures."""

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from ragassay import __version__
from ragassay.cli.output import error_console, report_faults
from ragassay.flow import RunStopped
from ragassay.records import ExitCode, FaultyInput
from ragassay.text.normalise import visible

app = App(
    name="ragassay",
    help="Tells whether a retrieval-augmented system may be relied on, and shows the evidence behind every number.",
    version=__version__,
    help_format="plaintext",
)
VERBS = {
    "demo": ("demo:demo", "Measure the bundled example, end to end."),
    "eval": ("eval:evaluate", "Measure recorded answers against a dataset with expert labels."),
    "run": ("run:run", "Ask a live system every query, judge and measure; resumable."),
    "runs": ("runs:runs", "List the runs of a store, newest first."),
    "show": ("runs:show", "Print the report of a run again."),
    "compare": ("compare:compare_runs", "Compare two runs query by query, or say why they cannot be compared."),
    "explain": ("explain:explain", "Show one query of a run with all its evidence."),
    "gate": ("gate:gate", "Decide whether a run passes a policy: exit code 0, 1 or 3."),
    "accept": ("accept:accept", "Draw up the acceptance report: six controls, met, not met or not shown."),
    "baseline": ("baseline:app", "Pin a run under a name, to which later runs are compared."),
    "dataset": ("dataset:app", "Check a dataset, pin it, and say how many queries a difference needs."),
    "stability": ("stability:stability", "How far repetitions of one run agree, query by query."),
    "cases": ("cases:app", "Keep failures as cases that every later evaluation asks again."),
    "judge": ("judge:app", "How far a judge may be believed; calibrate it, attack it."),
    "contract": ("contract:app", "Try a pipeline contract on a recorded run: what would it have stopped?"),
    "review": ("review:app", "Hand people what they should decide, and take their labels in."),
    "store": ("store:app", "Back a store up, restore it, check it."),
    "metrics": ("metrics:metrics", "Print the dictionary of metrics, or explain one."),
    "convert": ("convert:convert", "Convert between formats."),
}
"""Verb → where it lives below `ragassay.cli`, loaded when it is typed, and what it does."""

for verb, (home, does) in VERBS.items():
    app.command(f"ragassay.cli.{home}", name=verb, help=does)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> ExitCode:
    """Run one command. No fault of the input and no failure of the machine ends in a stack trace."""
    as_json = "--json" in arguments
    try:
        outcome = app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        return outcome if isinstance(outcome, ExitCode) else ExitCode.PASSED
    except FaultyInput as faulty:
        report_faults(faulty.faults, as_json=as_json)
        return ExitCode.FAULTY_INPUT
    except CycloptsError as error:
        error_console().print(f"ragassay: {visible(str(error))} · `ragassay --help` shows the verbs", markup=False)
        return ExitCode.FAULTY_INPUT
    except KeyboardInterrupt:
        error_console().print("interrupted; nothing saved was lost", markup=False)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.PASSED
    except (OSError, MemoryError, RunStopped) as error:
        error_console().print(f"ragassay could not finish: {visible(str(error)) or type(error).__name__}", markup=False)
        return ExitCode.NOT_FINISHED
