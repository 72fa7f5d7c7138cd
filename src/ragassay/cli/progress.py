"""How a run gets on: a bar on a terminal, plain lines elsewhere, always on standard error."""

import time
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ragassay.flow import Spent
from ragassay.live import Counts

_LINE_EVERY = 10.0
"""Seconds between plain lines."""


class ProgressLine:
    """Shows counts as they come. `spent` tells calls, tokens and money of this process so far."""

    def __init__(self, console: Console, spent: Callable[[], Spent], clock: Callable[[], float]) -> None:
        self._console = console
        self._spent = spent
        self._clock = clock
        self._started = self._printed = clock()
        self._begun: Counts | None = None
        columns = (BarColumn(20), TextColumn("{task.description}"), TimeElapsedColumn())
        self._bar = Progress(*columns, console=console, transient=True) if console.is_terminal else None
        self._task = self._bar.add_task("planning", total=None) if self._bar else None

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def __call__(self, counts: Counts) -> None:
        if self._begun is None:
            self._begun = counts
            if counts.done:
                self._say(f"{counts.done} of {counts.total} queries are in the store already")
        if self._bar and self._task is not None:
            self._bar.update(self._task, description=self._line(counts), total=counts.total, completed=counts.done)
        elif self._clock() - self._printed >= _LINE_EVERY:
            self._printed = self._clock()
            self._say(self._line(counts))

    def _line(self, counts: Counts) -> str:
        """`120 of 500 · 3 failed · 4.1 a second · 240 calls · 61k tokens · 0.12 spent · 0:01:33 left`."""
        calls, tokens, cost = self._spent()
        fresh = counts.done - (self._begun.done if self._begun else 0)
        rate = fresh / max(self._clock() - self._started, 1e-9)
        parts = [f"{counts.done} of {counts.total}"]
        parts += [f"{counts.failed} failed"] if counts.failed else []
        parts += [f"{rate:.3g} a second"] if fresh else []
        parts += [f"{calls} calls"] if calls else []
        parts += [f"{tokens / 1000:.3g}k tokens"] if tokens else []
        parts += [f"{cost:.4g} spent"] if cost else []
        parts += [f"{timedelta(seconds=round((counts.total - counts.done) / rate))} left"] if fresh else []
        return " · ".join(parts)

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False)


def progress(console: Console, spent: Callable[[], Spent]) -> ProgressLine:
    return ProgressLine(console, spent, time.monotonic)
