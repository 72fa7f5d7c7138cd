"""Judges that hang, raise, lie, fork: none holds up the application, and everything is counted."""

import asyncio
import gc
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from contracting import GOOD, QUESTION, REQUESTER, TODAY, Held, Raising, Said, Waiting, contract, judged
from msgspec.structs import replace

from ragassay.contract import Contract, asking
from ragassay.contract.asking import Asker
from ragassay.contract.judges import Judges, graded, verified
from ragassay.records import BudgetTerms, Failure, Opinion, Terms

SHORT = Terms(name="test", budget=BudgetTerms(grade=30.0, verify=30.0))


async def _relevance(judges: Judges) -> float:
    return max(await judges.relevance.relevance(QUESTION, ["text"]))


def asker(judge: Said) -> Asker:
    return Asker(lambda: judged(judge))


def opened(made: Contract) -> Any:
    request = made.request(QUESTION, requester=REQUESTER, scope={}, as_of=TODAY)
    assert request.search([GOOD]).proceeds
    return request


def test_no_thread_before_the_first_question():
    before = threading.active_count()
    made = contract()
    request = opened(made)
    assert threading.active_count() == before
    assert made.counts.threads == 0
    request.grade()
    assert made.counts == (1, 0, 0, 0, 1)
    made.close()


def test_a_judge_that_waits_for_ever_costs_its_budget_alone():
    made = contract(Waiting(), SHORT)
    decision = opened(made).grade()
    assert (decision.reason, decision.error) == ("judge_failed", "deadline")
    assert asyncio.run(opened(made).agrade()).error == "deadline"
    assert made.counts.failed == 2


def test_the_event_loop_goes_on_while_a_judge_hangs():
    made = contract(Held(), SHORT)
    ticks: list[int] = []

    async def tick() -> None:
        for number in range(3):
            ticks.append(number)
            await asyncio.sleep(0)

    async def both() -> Any:
        return (await asyncio.gather(opened(made).agrade(), tick()))[0]

    assert asyncio.run(both()).error == "deadline"
    assert ticks == [0, 1, 2]


def test_judges_that_hold_their_thread_are_given_up_and_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(asking, "STUCK_AFTER", 0.0)
    held: list[Held] = []

    def make() -> Judges:
        held.append(Held())
        return judged(held[-1])

    asked = Asker(make)
    errors: list[str] = []
    for _ in range(5):
        failure = asked.ask(_relevance, 30)
        assert isinstance(failure, Failure)
        errors.append(failure.error)
        if len(held) == len(errors):
            held[-1].entered.wait(30)
    assert errors == ["deadline", "deadline", "hung", "hung", "hung"]
    assert (asked.counts.hung, asked.counts.threads) == (2, 2)
    for each in held:
        each.let_go.set()
    workers = [each for each in threading.enumerate() if each.name == "ragassay-contract"]
    for worker in workers:
        worker.join(0 if worker.ident is None else 5)
    replaced = asked.ask(_relevance, 30)
    assert isinstance(replaced, Failure)
    assert replaced.error == "deadline"
    assert asked.counts.late == 2
    held[-1].let_go.set()


def test_no_more_wait_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(asking, "MOST_WAITING", 2)
    judge = Held()
    asked = asker(judge)
    for expected in ("deadline", "deadline", "busy", "busy"):
        failure = asked.ask(_relevance, 30)
        assert isinstance(failure, Failure)
        assert failure.error == expected
    judge.let_go.set()


@pytest.mark.parametrize(
    "raised", [ValueError("secret"), SystemExit(1), KeyboardInterrupt(), MemoryError(), asyncio.CancelledError()]
)
def test_what_a_judge_raises_ends_its_question_alone(raised: BaseException):
    judge = Raising(raised)
    asked = asker(judge)
    for _ in range(2):
        assert asked.ask(_relevance, 5_000) == Failure(error="raised", detail=type(raised).__name__)
    assert asked.counts.threads == 1
    asked.close()


def test_judges_that_cannot_be_made_fail_their_question():
    def broken() -> Judges:
        raise OSError("no such model")

    assert Asker(broken).ask(_relevance, 5_000) == Failure(error="raised", detail="OSError")


def test_a_worker_that_was_ended_is_started_again():
    asked = asker(Said())
    assert asked.ask(_relevance, 5_000) == 0.9
    asked.close()
    assert asked.ask(_relevance, 5_000) == 0.9
    asked.close()


def test_a_worker_ends_with_the_contract_and_closes_its_judge():
    closed = threading.Event()

    class Closing(Said):
        async def close(self) -> None:
            closed.set()

    made = contract(Closing())
    assert opened(made).grade().proceeds
    del made
    gc.collect()
    assert closed.wait(30)


def test_a_warm_contract_has_asked_once():
    judge = Said()
    made = contract(judge)
    assert made.warm()
    assert [kind for kind, *_ in judge.asked] == ["relevance"]
    assert not contract(Raising(OSError())).warm()
    made.close()


def test_a_task_that_is_cancelled_stays_cancelled():
    asked = asker(Waiting())

    async def cancelled() -> None:
        task = asyncio.create_task(asked.aask(_relevance, 60_000))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    asked.close()


@pytest.mark.parametrize("numbers", [(float("nan"), 0.9), (1.5, 0.9), (-0.1, 0.9), (0.9, float("inf"))])
def test_numbers_that_are_no_probabilities_are_none(numbers: tuple[float, float]):
    judge = Said(sufficiency=numbers[0], relevance=numbers[1])
    assert asyncio.run(graded(judged(judge), QUESTION, ["text"])) == Failure(error="malformed")


def test_judgements_that_are_missing_or_of_another_kind_are_none():
    class Odd(Said):
        said: Any = ()

        async def verify(self, claims: Any, texts: Any, pairs: Any) -> Any:
            return self.said

        async def relevance(self, question: str, texts: Any) -> Any:
            return range(10**12)

    odd = Odd()
    assert asyncio.run(graded(judged(odd), QUESTION, ["text"])) == Failure(error="malformed")
    for said in ((), ("supports",), (None,), range(10**12)):
        odd.said = said
        assert asyncio.run(verified(judged(odd), ["a b"], ["text"])) == Failure(error="malformed")


def test_more_than_a_judge_can_read_is_not_shown_to_it():
    judge = Said()
    assert asyncio.run(graded(judged(judge), QUESTION, ["x" * 200_001])) == Failure(error="too_long")
    assert asyncio.run(verified(judged(judge), ["a b"] * 1000, ["x"] * 3)) == Failure(error="too_long")
    assert judge.asked == []


def test_a_failed_judgement_matters_only_where_no_text_supports_the_claim():
    class Partly(Said):
        async def verify(self, claims: Any, texts: Any, pairs: Any) -> Any:
            neutral = Opinion(verdict="supports", probability=1.0)
            return [Failure(error="timeout") if text == 0 else replace(neutral, verdict=texts[1]) for _, text in pairs]

    judges = judged(Partly())
    assert asyncio.run(verified(judges, ["a b"], ["x", "supports"])) == ["supported"]
    assert asyncio.run(verified(judges, ["a b"], ["x", "neutral"])) == Failure(error="judge", detail="timeout")


def test_a_claim_that_needs_two_passages_is_put_beside_the_likeliest_two():
    class Two(Said):
        async def verify(self, claims: Any, texts: Any, pairs: Any) -> Any:
            found = [("a" in texts[text]) + ("b" in texts[text]) for _, text in pairs]
            return [Opinion(verdict="supports" if n == 2 else "neutral", probability=n / 2) for n in found]

    alone = judged(Two())
    assert asyncio.run(verified(alone, ["c d"], ["a", "x", "b"])) == ["unsupported"]
    assert asyncio.run(verified(alone._replace(joins=True), ["c d"], ["a", "x", "b"])) == ["supported"]
    assert asyncio.run(verified(alone._replace(joins=True), ["c d"], ["a", "x", "y"])) == ["unsupported"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_asks_judges_of_its_own():
    made: list[int] = []

    def make() -> Judges:
        made.append(os.getpid())
        return judged(Said())

    asked = Asker(make)
    assert asked.ask(_relevance, 5_000) == 0.9
    child = os.fork()
    if child == 0:
        is_sound = asked.ask(_relevance, 20_000) == 0.9 and made[-1] == os.getpid() and asked.counts.asked == 1
        os._exit(0 if is_sound else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert asked.ask(_relevance, 5_000) == 0.9
    asked.close()


def test_a_judge_that_hangs_does_not_hold_up_the_end_of_the_interpreter():
    code = (
        "import contracting as c\n"
        "from ragassay.records import BudgetTerms, Terms\n"
        "made = c.contract(c.Held(), Terms(name='t', budget=BudgetTerms(grade=20.0)))\n"
        "request = made.request(c.QUESTION, requester=c.REQUESTER, as_of=c.TODAY)\n"
        "request.search([c.GOOD])\n"
        "print(request.grade().error)\n"
    )
    helpers = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": helpers},
        capture_output=True,
        text=True,
        timeout=25,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("deadline\n", "")
