"""The command line: one file per verb. Every verb answers with an exit code of `ragassay.records.ExitCode`."""

from ragassay.cli.main import main

__all__ = ["main"]
