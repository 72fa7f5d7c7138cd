"""Processes that start in milliseconds: forked from a parent that has imported everything and done nothing yet."""

import atexit
import importlib
import json
import os
import signal
import subprocess
import sys
import traceback
from functools import cache
from pathlib import Path


class Process:
    """A function of a module of the tests, at work in a process of its own. Leaving its `with` kills it."""

    def __init__(self, work, *arguments) -> None:
        self._code: int | None = None
        self.pid = _asked({"module": work.__module__, "work": work.__name__, "arguments": arguments})

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End it as a power cut does."""
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)
            self.join()

    def join(self) -> int:
        """Wait for its end: 0, 1 where the work raised, the negative number of the signal that killed it."""
        if self._code is None:
            self._code = _asked({"wait": self.pid})
        return self._code


def done(work, *arguments) -> int:
    """Do the work and wait for its end."""
    with Process(work, *arguments) as process:
        return process.join()


@cache
def _parent() -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, *(path for path in sys.path if path)]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(started.communicate)
    return started


def _asked(question: dict) -> int:
    parent = _parent()
    parent.stdin.write(json.dumps(question).encode() + b"\n")
    parent.stdin.flush()
    return json.loads(parent.stdout.readline())


def _serve(answers: int) -> None:
    for line in sys.stdin:
        question = json.loads(line)
        if "wait" in question:
            answer = os.waitstatus_to_exitcode(os.waitpid(question["wait"], 0)[1])
        else:
            module = importlib.import_module(question["module"])
            answer = os.fork()
            if not answer:
                os._exit(_worked(getattr(module, question["work"]), question["arguments"]))
        os.write(answers, json.dumps(answer).encode() + b"\n")


def _worked(work, arguments) -> int:
    try:
        work(*arguments)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    sys.path[:] = [str(Path(__file__).parent), *sys.argv[1:]]
    private = os.dup(1)
    os.dup2(2, 1)
    _serve(private)
