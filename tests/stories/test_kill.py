"""`kill -9` at every step of a run, and at random: run again, it ends as if nothing had happened."""

import random
import time
from collections import Counter

import postgres
import pytest
from living import Ledger, as_bytes, dataset, run_to_the_end, run_until
from warm import Process, done

from ragassay.live.plan import answer_key
from ragassay.store import Store

SIZE = 9
WORKERS = 3
POINTS, PARTS, RANDOM = 200, 8, 20


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    _, evaluation = run_to_the_end(str(folder / "store.db"), SIZE, folder / "ledger", WORKERS)
    assert len(Ledger(folder / "ledger").lines()) == 2 * SIZE
    return as_bytes(evaluation)


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh(request, tmp_path):
    """Makes the place of a new store, again and again."""
    numbers = iter(range(10_000))

    def place():
        if request.param == "sqlite":
            return str(tmp_path / f"store{next(numbers)}.db")
        postgres.server().reset()
        return postgres.server().url()

    return place


def check_the_rest(place, ledger, whole, plan_card):
    """Runs again what was killed: the same end, no call repeated whose result was stored."""
    before = ledger.lines()
    with Store.open(place) as store:
        keys = {query.id: answer_key(query, plan_card) for query in dataset(SIZE).queries}
        stored = store.present("answer", list(keys.values()))
    _, evaluation = run_to_the_end(place, SIZE, ledger.path, WORKERS)
    assert as_bytes(evaluation) == whole
    again = ledger.lines()[len(before) :]
    assert not {line for line in again if line.startswith("ask") and keys[line.split()[1]] in stored}
    repeated = Counter(line.split()[0] for line in again if line in before)
    assert max(repeated.values(), default=0) <= WORKERS
    run_to_the_end(place, SIZE, ledger.path, WORKERS)
    assert ledger.lines() == before + again


@pytest.mark.parametrize("part", range(PARTS))
def test_killed_at_an_enumerated_point(part, fresh, whole, tmp_path, plan_card):
    killed = 0
    for point in range(1 + part, POINTS + 1, PARTS):
        place, ledger = fresh(), Ledger(tmp_path / f"ledger{point}")
        killed += done(run_until, place, SIZE, str(ledger.path), point, WORKERS) == -9
        check_the_rest(place, ledger, whole, plan_card)
    assert killed == len(range(1 + part, POINTS + 1, PARTS))


def test_killed_at_random(fresh, whole, tmp_path, plan_card):
    chance = random.Random(20_261_130)
    for number in range(RANDOM):
        place, ledger = fresh(), Ledger(tmp_path / f"ledger{number}")
        with Process(run_to_the_end, place, SIZE, str(ledger.path), WORKERS):
            time.sleep(chance.uniform(0.0, 0.6))
        check_the_rest(place, ledger, whole, plan_card)


@pytest.fixture(scope="module")
def plan_card(tmp_path_factory):
    from living import SETTINGS, NotingJudge, Shop

    from ragassay.judges.judging import Bench
    from ragassay.live import plan_for

    ledger = Ledger(tmp_path_factory.mktemp("plan") / "ledger")
    return plan_for(dataset(SIZE), Shop(ledger).card, Bench(NotingJudge(ledger)), SETTINGS, 1).card
