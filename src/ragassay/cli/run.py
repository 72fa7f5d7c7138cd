"""`ragassay run`: ask a live system, judge, measure, report."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
from cyclopts import Parameter

from ragassay.cli.eval import Judging, Output, Ranking
from ragassay.cli.gating import asked_of, decided, leave
from ragassay.cli.output import console, error_console, write_json
from ragassay.cli.progress import progress
from ragassay.cli.recording import REPORT, STORE, Place, record
from ragassay.flow import Budget, Ceiling, Flow, Limits
from ragassay.formats.bundle import Bundle
from ragassay.formats.calibration import read_calibration
from ragassay.formats.inputs import load_to_ask
from ragassay.judges.judging import Bench
from ragassay.judges.naming import EMBEDDED, NONE, Means, bench_named
from ragassay.live import Counts, Live, Observed, Plan, StoredReplies, Tools, enrol, plan_for
from ragassay.records import Asked, ExitCode
from ragassay.records.verdict import Verdict
from ragassay.reports.terminal import render_terminal
from ragassay.runner import Evaluation, Settings, measure
from ragassay.statistics.calibration import Calibration
from ragassay.store import Journal, Member, Store, StoreFull, StoreUnavailable
from ragassay.systems import System, system_named
from ragassay.text.normalise import visible


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Asking:
    """Who is asked, and where everything is kept.

    Parameters
    ----------
    system
        `module:function`, a description of an HTTP endpoint (`.toml`), `chat:MODEL@URL`, or a file of answers.
    corpus
        The documents with revisions, dates and readers; taken from the dataset's folder where it lies there.
    name
        A name for this run. A name that is taken by a run of another plan is refused, and the difference named.
    repetition
        Which time this is: another number asks every query anew.
    store
        Where answers and judgements are kept: a file, or `postgresql://…`.
    """

    system: str
    corpus: Path | None = None
    name: str | None = None
    repetition: int = 1
    store: Place = STORE


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Calling:
    """How far servers are trusted with calls, time and money.

    Parameters
    ----------
    concurrency
        The most calls in flight at once to the system. Fewer where the server takes fewer.
    timeout
        Seconds for one call to the system. Those for the judge stand in the file that describes it.
    max_calls
        The most calls of this run, to the system and to the judge together.
    max_tokens
        The most tokens of this run, system and judge together. An endpoint must state its `most_tokens`.
    max_cost
        The most money of this run, in the currency of the prices, which must be stated too.
    """

    concurrency: int = 16
    timeout: float = 60.0
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None


class Wanted(NamedTuple):
    """What was asked for on the command line."""

    asking: Asking
    calling: Calling
    settings: Settings
    judge: str
    calibration: Calibration | None


class Ended(NamedTuple):
    """How far a run came: measured, or halted for a reason."""

    plan: str
    counts: Counts
    halted: str | None
    evaluation: Evaluation | None


def run(
    dataset: Path,
    *,
    asking: Asking,
    ranking: Ranking = Ranking(),
    judging: Judging = Judging(),
    calling: Calling = Calling(),
    output: Output = Output(),
) -> ExitCode:
    """Ask a live system every query, judge and measure its answers. Interrupted or stopped, the same command goes on.

    Parameters
    ----------
    dataset
        A dataset folder, or a file of queries in any known format.
    """
    observed = load_to_ask(dataset, asking.corpus)
    calibration = None if judging.calibration is None else read_calibration(judging.calibration)
    settings = Settings(k=ranking.k, ties=ranking.ties)
    wanted = Wanted(asking, calling, settings, judging.judge, calibration)
    gating = asked_of(output, asking.store)
    with Store.open(asking.store) as store:
        try:
            plan, counts, halted, evaluation = asyncio.run(_run(store, observed, wanted))
        except KeyboardInterrupt:
            error_console().print("interrupted: everything done is saved, the same command goes on", markup=False)
            return ExitCode.INTERRUPTED
        if evaluation is None:
            return _stopped(counts, halted)
        verdict = decided(gating, evaluation)
        try:
            folder = record(evaluation, output.out, verdict)
        except OSError as error:
            return _stopped(counts, str(error))
        store.finish(plan, "finished", done=counts.done, failed=counts.failed, folder=str(folder.resolve()))
    if output.json:
        write_json((folder / REPORT).read_bytes())
    else:
        _show(plan, evaluation, verdict, folder)
    return leave(verdict, folder, as_json=output.json)


async def _run(store: Store, observed: Bundle, wanted: Wanted) -> Ended:
    calling = wanted.calling
    ceiling = Ceiling(calls=calling.max_calls, tokens=calling.max_tokens, cost=calling.max_cost)
    limits = Limits(concurrency=calling.concurrency, timeout=calling.timeout, deadline=3 * calling.timeout)
    budget = Budget(ceiling)
    async with Journal(store) as journal:
        replies = StoredReplies(journal)
        system = system_named(wanted.asking.system, Flow("system", limits, budget), observed.queries)
        is_paid = wanted.judge not in (NONE, EMBEDDED)
        means = Means(budget=budget, replies=replies, repetition=wanted.asking.repetition)
        bench = bench_named(wanted.judge, wanted.calibration, means)
        plan = plan_for(observed, system.card, bench, wanted.settings, wanted.asking.repetition)
        enrol(store, plan, wanted.asking.name, datetime.now(UTC))
        tools = Tools(system, bench, journal, 2 * calling.concurrency, lambda: datetime.now(UTC), is_paid)
        try:
            with progress(error_console(), lambda: budget.spent) as shown:
                brought = await Live(observed, plan, tools, shown).run()
        finally:
            await _close(system, bench)
        if brought.halted is not None:
            with suppress(StoreFull, StoreUnavailable):  # Why it halted may be the store.
                store.finish(plan.id, "stopped", done=brought.counts.done, failed=brought.counts.failed)
            return Ended(plan.id, brought.counts, brought.halted, None)
        judged_from = [Member(plan.id, "", "reply", key) for key in sorted(replies.used)]
        await journal.append(*judged_from, *(Member(plan.id, *member) for member in brought.members))
        return Ended(plan.id, brought.counts, None, _measured(observed, plan, brought, tools))


def _measured(observed: Bundle, plan: Plan, brought: Observed, tools: Tools) -> Evaluation:
    notices = (*observed.notices, *tools.system.notices())
    whole = msgspec.structs.replace(observed, answers=brought.answers, notices=notices)
    judgements = None if tools.bench is None else (tools.bench.judge.card, brought.judged)
    asked = Asked(system=plan.card.system, repetition=plan.card.repetition)
    return measure(whole, plan.card.settings, judgements, asked)


async def _close(system: System, bench: Bench | None) -> None:
    await system.close()
    if bench is not None:
        await bench.judge.close()


def _show(plan: str, evaluation: Evaluation, verdict: Verdict | None, folder: Path) -> None:
    render_terminal(evaluation.run, console(), verdict)
    console().print(f"Run {plan}: {folder / 'report.html'}", markup=False, soft_wrap=True)


def _stopped(counts: Counts, halted: str | None) -> ExitCode:
    done = f"{counts.done} of {counts.total} queries are done and saved"
    line = f"stopped: {halted} · {done} · the same command goes on"
    error_console().print(visible(line), markup=False)
    return ExitCode.NOT_FINISHED
