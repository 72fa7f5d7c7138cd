"""What is under test: a Python function, an HTTP endpoint, a chat endpoint, recorded answers."""

from ragassay.systems.function import FunctionSystem
from ragassay.systems.http import HttpSystem
from ragassay.systems.naming import system_named
from ragassay.systems.protocol import System, asked_part
from ragassay.systems.recorded import RecordedSystem

__all__ = [
    "FunctionSystem",
    "HttpSystem",
    "RecordedSystem",
    "System",
    "asked_part",
    "system_named",
]
