"""A run does what the store lacks, once, and says what it could not do."""

import asyncio
from collections import Counter
from itertools import pairwise

import msgspec
import pytest
from living import Ledger, NotingJudge, Shop, dataset, live, measured

from ragassay.records import FaultyInput, SystemCard
from ragassay.store import Store


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger")


def test_every_query_is_asked_and_judged_once_and_a_second_run_makes_no_call(store, ledger):
    observed, judge = dataset(12), NotingJudge(ledger)
    plan, first = asyncio.run(live(store, observed, Shop(ledger), judge))
    calls = ledger.lines()
    assert Counter(line.split()[0] for line in calls) == {"ask": 12, "judge": 12}
    _, second = asyncio.run(live(store, observed, Shop(ledger), judge))
    assert ledger.lines() == calls
    assert (second.answers, second.judged) == (first.answers, first.judged)
    assert (first.counts.reused, second.counts.reused, second.counts.done) == (0, 12, 12)
    assert measured(observed, plan, first, judge).run == measured(observed, plan, second, judge).run


def test_a_run_that_is_stopped_keeps_what_it_has_and_goes_on(store, ledger):
    observed = dataset(20)
    _, stopped = asyncio.run(live(store, observed, Shop(ledger, stops_at=8), workers=2))
    assert stopped.halted == "the budget is spent"
    assert 0 < stopped.counts.done < 20
    _, whole = asyncio.run(live(store, observed, Shop(ledger), workers=2))
    assert whole.halted is None
    assert stopped.counts.done <= whole.counts.reused <= stopped.counts.done + 2
    asked = Counter(ledger.lines())
    assert len(asked) == 20
    assert sum(asked.values()) <= 20 + 2


def test_a_failure_is_data_of_this_run_and_asked_again_by_the_next(store, ledger):
    observed = dataset(6)
    plan, first = asyncio.run(live(store, observed, Shop(ledger, failing=["q1", "q4"])))
    assert (first.counts.done, first.counts.failed) == (6, 2)
    assert [answer.error for answer in first.answers if answer.error] == ["system_timeout: 60 s"] * 2
    assert measured(observed, plan, first).run.summary.metrics["recall@3"].value == pytest.approx(4 / 6)
    key = plan.tasks[1].key
    assert [each.error for each in store.failures([key])[key]] == ["system_timeout: 60 s"]
    _, second = asyncio.run(live(store, observed, Shop(ledger)))
    assert (second.counts.failed, second.counts.reused) == (0, 4)
    assert Counter(ledger.lines()) == {f"ask q{n}": 1 + (n in (1, 4)) for n in range(6)}


def test_a_judgement_that_failed_is_made_again_by_the_next_run(store, ledger):
    observed = dataset(3)
    failing = NotingJudge(ledger, failing=["The limit of 1 is 10."])
    plan, first = asyncio.run(live(store, observed, Shop(ledger), failing))
    assert first.counts.done == 3
    assert measured(observed, plan, first, failing).run.summary.metrics["grounded_claim_rate"].errored == 1
    _, second = asyncio.run(live(store, observed, Shop(ledger), NotingJudge(ledger)))
    assert measured(observed, plan, second, failing).run.summary.metrics["grounded_claim_rate"].value == 1.0
    assert Counter(ledger.lines())["judge The limit of 1 is 10."] == 2
    assert Counter(ledger.lines())["judge The limit of 2 is 20."] == 1


def test_only_what_a_change_touches_is_done_anew(store, ledger):
    observed = dataset(5)
    asyncio.run(live(store, observed, Shop(ledger), NotingJudge(ledger)))
    before = len(ledger.lines())
    reworded = msgspec.structs.replace(observed.queries[2], question="What is the limit of 2 today?")
    relabelled = msgspec.structs.replace(observed.queries[3], relevant=())
    queries = (*observed.queries[:2], reworded, relabelled, observed.queries[4])
    asyncio.run(live(store, msgspec.structs.replace(observed, queries=queries), Shop(ledger), NotingJudge(ledger)))
    assert ledger.lines()[before:] == ["ask q2", "judge The limit of 2 is 20."]


def test_two_workers_share_a_plan(tmp_path, ledger):
    observed = dataset(60)

    async def both():
        with Store.open(tmp_path / "store.db") as one, Store.open(tmp_path / "store.db") as two:
            works = [live(store, observed, Shop(ledger), NotingJudge(ledger)) for store in (one, two)]
            return await asyncio.gather(*works)

    (_, first), (_, second) = asyncio.run(both())
    assert first.answers == second.answers
    assert first.judged == second.judged
    assert set(Counter(ledger.lines()).values()) == {1}
    assert len(ledger.lines()) == 120


def test_a_worker_learns_what_failed_for_the_other(tmp_path, ledger):
    observed = dataset(10)

    async def both():
        with Store.open(tmp_path / "store.db") as one, Store.open(tmp_path / "store.db") as two:
            works = [live(store, observed, Shop(ledger, failing=["q3"])) for store in (one, two)]
            return await asyncio.gather(*works)

    (_, first), (_, second) = asyncio.run(both())
    assert first.answers == second.answers
    assert [answer.error for answer in second.answers if answer.error] == ["system_timeout: 60 s"]


def test_the_members_of_a_run_are_the_facts_it_rests_on(store, ledger):
    observed = dataset(4)
    _, brought = asyncio.run(live(store, observed, Shop(ledger), NotingJudge(ledger)))
    for kind in ("answer", "judgement"):
        keys = [key for _, each, key in brought.members if each == kind]
        assert store.present(kind, keys) == set(keys)
        assert len(keys) == 4


def test_a_changed_system_under_its_old_version_is_refused_by_name(store, ledger):
    observed = dataset(2)
    asyncio.run(live(store, observed, Shop(ledger)))
    changed = SystemCard(kind="callable", name="shop:answer", version="1", code="c", prompt_hash="new")
    with pytest.raises(FaultyInput, match="prompt_hash: nothing is now new"):
        asyncio.run(live(store, observed, Shop(ledger, card=changed)))
    relabelled = msgspec.structs.replace(changed, version="2")
    asyncio.run(live(store, observed, Shop(ledger, card=relabelled)))


def test_progress_is_told_from_the_start_to_the_end(store, ledger):
    told = []
    asyncio.run(live(store, dataset(5), Shop(ledger, failing=["q1"]), report=told.append))
    assert (told[0].done, told[-1].done, told[-1].failed, told[-1].total) == (0, 5, 1, 5)
    assert all(before.done <= after.done for before, after in pairwise(told))
