"""What is wrong with an input, for people and for programs: all faults at once."""

from collections.abc import Sequence

import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ragassay.records import Fault
from ragassay.reports.figures import plural
from ragassay.text.normalise import visible

FIELDS = ("code", "file", "line", "field", "value", "expected", "remedy", "message")


def render_faults(faults: Sequence[Fault], console: Console) -> None:
    """Each fault with its place, what was found, what was expected and how to mend it; then how many there are."""
    for fault in faults:
        place = fault.place()
        head = Text.assemble((f"{visible(place)}  ", "bold") if place else "", visible(fault.message))
        console.print(head.append(f"  [{visible(fault.code)}]", "dim"))
        for name in ("value", "expected", "remedy"):
            text: str | None = getattr(fault, name)
            if text is not None:
                line = Text.assemble((f"{LABELS[name]:9}", "dim"), visible(text))
                console.print(Padding(line, (0, 0, 0, 2)), soft_wrap=False)  # Wrapped softly it would be cut.
    console.print(Text(f"{plural(len(faults), 'fault', 'faults')}; nothing was measured.", "bold red"))


LABELS = {"value": "found", "expected": "expected", "remedy": "remedy"}


def faults_json(faults: Sequence[Fault]) -> bytes:
    """`{"errors": […]}`; every fault has every field, null where it does not apply."""
    return msgspec.json.encode({"errors": [{name: getattr(fault, name) for name in FIELDS} for fault in faults]})
