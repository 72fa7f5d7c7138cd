"""Any interleaving of appends, repeats, failures, runs, leases, restarts and copies leaves what a dictionary would."""

import tempfile
from pathlib import Path
from uuid import uuid4

import hypothesis.strategies as st
import postgres
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from storing import THEN, entry, key

from ragassay.store import Fact, Failed, Member, Store

KINDS = st.sampled_from(["answer", "reply", "judgement"])
NUMBERS = st.integers(0, 7)
PAYLOADS = st.sampled_from([b"", b"{}", b"\x00", b"\xff\xfe", "Ответ".encode(), b"x" * 10_000])
TEXTS = st.text(st.characters(), max_size=20)
WORKERS = st.sampled_from([0, 1])


class Use(RuleBasedStateMachine):
    """Two workers on one store, beside a model of it. Keys are salted, so that one store serves every example."""

    place = ""

    @initialize()
    def begin(self):
        self.salt = uuid4().hex
        self.stores = [Store.open(self.place), Store.open(self.place)]
        self.facts: dict[tuple[str, str], bytes] = {}
        self.failures: dict[str, list[Failed]] = {}
        self.members: set[tuple[str, str, str]] = set()
        self.owners: dict[tuple[str, str], int] = {}

    def key(self, number: int) -> str:
        return key((self.salt, number))

    @rule(worker=WORKERS, entries=st.lists(st.tuples(KINDS, NUMBERS, PAYLOADS), max_size=6))
    def append(self, worker, entries):
        facts = [Fact(kind, self.key(number), payload) for kind, number, payload in entries]
        for each in facts:
            self.facts.setdefault((each.kind, each.key), each.payload)
        expected = {each.key for each in facts if self.facts[each.kind, each.key] != each.payload}
        assert self.stores[worker].append(facts) == expected

    @rule(worker=WORKERS, number=NUMBERS, error=TEXTS, detail=st.none() | TEXTS)
    def fail(self, worker, number, error, detail):
        failed = Failed("answer", self.key(number), error, detail, THEN)
        self.stores[worker].append([failed])
        if failed not in self.failures.setdefault(failed.key, []):
            self.failures[failed.key].append(failed)

    @rule(worker=WORKERS, query=TEXTS, kind=KINDS, number=NUMBERS)
    def join(self, worker, query, kind, number):
        self.stores[worker].append([Member(self.salt, query, kind, self.key(number))])
        self.members.add((query, kind, self.key(number)))

    @rule(worker=WORKERS, kind=KINDS, numbers=st.sets(NUMBERS))
    def lease(self, worker, kind, numbers):
        wanted = {(kind, self.key(number)) for number in numbers}
        free = {each for each in wanted - self.facts.keys() if self.owners.get(each, worker) == worker}
        assert self.stores[worker].lease(kind, {each for _, each in wanted}) == {each for _, each in free}
        self.owners.update(dict.fromkeys(free, worker))

    @rule(worker=WORKERS, kind=KINDS, numbers=st.sets(NUMBERS))
    def release(self, worker, kind, numbers):
        given = {(kind, self.key(number)) for number in numbers}
        self.stores[worker].release(kind, {each for _, each in given})
        self.owners = {each: owner for each, owner in self.owners.items() if owner != worker or each not in given}

    @rule(worker=WORKERS)
    def restart(self, worker):
        self.stores[worker].close()
        self.stores[worker] = Store.open(self.place)
        self.owners = {each: owner for each, owner in self.owners.items() if owner != worker}

    @rule()
    def copy(self):
        with tempfile.TemporaryDirectory() as folder:
            expected = self.stores[0].backup(Path(folder) / "copy.bak")
            with Store.open(Path(folder) / "restored.db") as restored:
                assert restored.restore(Path(folder) / "copy.bak") == expected
                self.agrees(restored)

    @invariant()
    def both_see_the_same(self):
        for store in self.stores:
            self.agrees(store)

    def agrees(self, store: Store) -> None:
        keys = [self.key(number) for number in range(8)]
        for kind in ("answer", "reply", "judgement"):
            expected = {each: payload for (of, each), payload in self.facts.items() if of == kind}
            assert store.facts(kind, keys) == expected
            assert store.present(kind, keys) == expected.keys()
        assert store.failures(keys) == {each: tuple(failed) for each, failed in self.failures.items()}
        found = [(each.query, each.kind, each.key) for each in store.members(self.salt)]
        ordered = sorted(self.members, key=lambda each: (each[0].encode("utf-8", "surrogatepass"), *each[1:]))
        assert found == ordered

    def teardown(self):
        for store in self.stores:
            store.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_any_use_of_a_store_leaves_what_a_dictionary_would(kind, tmp_path):
    if kind == "sqlite":
        place = str(tmp_path / "store.db")
    else:
        postgres.server().reset()
        place = postgres.server().url()
    with Store.open(place) as store:
        store.register(entry("ab12"))
    run_state_machine_as_test(
        type("Used", (Use,), {"place": place}),
        settings=settings(
            max_examples=20, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
        ),
    )
