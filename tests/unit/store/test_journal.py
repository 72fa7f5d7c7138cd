"""Who waits at the same time shares a transaction, and nobody is forgotten."""

import asyncio

import pytest
from storing import fact, failed, key, member

from ragassay.store import Journal, Store, StoreFull


class Counting:
    """Stands where a store does, and counts transactions."""

    def __init__(self, store: Store) -> None:
        self.store, self.transactions, self.refusing = store, 0, False

    def commit(self, changes):
        self.transactions += 1
        if self.refusing:
            raise StoreFull("full")
        return self.store.commit(changes)


def test_many_who_wait_share_few_transactions(store):
    counting = Counting(store)

    async def all_at_once():
        async with Journal(counting) as journal:
            return await asyncio.gather(*(journal.append(fact(number)) for number in range(500)))

    assert asyncio.run(all_at_once()) == [set()] * 500
    assert counting.transactions <= 2
    assert len(store.present("answer", [key(number) for number in range(500)])) == 500


def test_leases_share_transactions_too_and_each_is_told_of_its_own(store):
    counting = Counting(store)
    store.append([fact(7)])

    async def work(journal, number):
        mine = await journal.lease("answer", [key(number)])
        if mine:
            assert not await journal.settle(fact(number))
        return mine

    async def all_at_once():
        async with Journal(counting) as journal:
            return await asyncio.gather(*(work(journal, number) for number in range(200)))

    assert asyncio.run(all_at_once()) == [{key(number)} if number != 7 else set() for number in range(200)]
    assert counting.transactions <= 4
    assert store.check().facts == 200


def test_what_is_said_to_be_stored_can_be_read(store):
    async def one_after_another():
        async with Journal(store) as journal:
            await journal.append(fact(1, b"one"), member(1))
            assert await journal.facts("answer", [key(1)]) == {key(1): b"one"}
            assert await journal.present("answer", [key(1), key(2)]) == {key(1)}
            assert await journal.lease("answer", [key(1), key(2)]) == {key(2)}
            assert not await journal.settle(failed(2))

    asyncio.run(one_after_another())
    assert store.members("r1") == [member(1)]
    assert store.failures([key(2)]) == {key(2): (failed(2),)}


def test_what_is_settled_is_free_for_others(place, store):
    async def settle():
        async with Journal(store) as journal:
            assert await journal.lease("answer", [key(1), key(2), key(3)]) == {key(1), key(2), key(3)}
            store.append([fact(1, b"first")])
            return await journal.settle(fact(1, b"second")), await journal.settle(failed(2))

    with Store.open(place) as other:
        assert asyncio.run(settle()) == (True, False)
        assert other.lease("answer", [key(1), key(2), key(3)]) == {key(2)}


def test_each_is_told_of_its_own_facts_only(store):
    store.append([fact(1, b"first"), fact(2, b"first")])

    async def both():
        async with Journal(store) as journal:
            return await asyncio.gather(
                journal.append(fact(1, b"other"), fact(3)), journal.append(fact(2, b"other")), journal.append(fact(4))
            )

    assert asyncio.run(both()) == [{key(1)}, {key(2)}, set()]


def test_what_was_handed_in_is_stored_although_nobody_waits_any_more(store):
    async def impatient():
        async with Journal(store) as journal:
            waiting = [asyncio.create_task(journal.append(fact(number))) for number in range(20)]
            await asyncio.sleep(0)
            for task in waiting[::2]:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    asyncio.run(impatient())
    assert len(store.present("answer", [key(number) for number in range(20)])) == 20


def test_closing_stores_what_is_waiting(store):
    async def hasty():
        journal = Journal(store)
        waiting = [asyncio.create_task(journal.append(fact(number))) for number in range(20)]
        await asyncio.sleep(0)
        await journal.close()
        assert await asyncio.gather(*waiting) == [set()] * 20
        with pytest.raises(RuntimeError):
            await journal.append(fact("late"))

    asyncio.run(hasty())
    assert store.present("answer", [key("late")]) == set()


def test_everybody_in_a_refused_transaction_hears_of_it_and_the_next_one_is_taken(store):
    counting = Counting(store)

    async def full_then_free():
        async with Journal(counting) as journal:
            counting.refusing = True
            refused = await asyncio.gather(
                *(journal.append(fact(number)) for number in range(5)), return_exceptions=True
            )
            counting.refusing = False
            await journal.append(fact("next"))
            return refused

    assert [type(each) for each in asyncio.run(full_then_free())] == [StoreFull] * 5
    assert store.present("answer", [key("next"), key(0)]) == {key("next")}
