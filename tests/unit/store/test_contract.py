"""What a store promises, on SQLite and on PostgreSQL."""

from datetime import timedelta, timezone

import pytest
from storing import THEN, entry, fact, failed, key, member, system

from ragassay.records import FaultyInput
from ragassay.store import Fact, Failed, Member, Store

SCRIPTS = ("Момент — 80 Н·м", "e\u0301", "🔩")
HOSTILE = ("", "a\x00b", "\ud800 \udfff", "'; DROP TABLE facts; --", "%s {0} :key", "x" * 2**20, *SCRIPTS)
UNKNOWN_RUNS = [("a", "ambiguous_run"), ("nightly", "ambiguous_run"), ("x", "unknown_run"), ("", "unknown_run")]


def test_what_was_appended_is_there_for_the_next_one(place):
    with Store.open(place) as store:
        assert store.append([fact(1, b"one"), fact(2, b"two", "reply")]) == set()
    with Store.open(place) as store:
        assert store.facts("answer", [key(1), key(2), key(3)]) == {key(1): b"one"}
        assert store.facts("reply", {key(1), key(2)}) == {key(2): b"two"}
        assert store.present("answer", [key(1), key(2)]) == {key(1)}


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:9]))
def test_any_text_comes_back_as_it_was(store, text):
    payload = text.encode("utf-8", "surrogatepass")
    store.append([fact(1, payload), failed(1, text, text), Member("r1", text, "answer", key(1))])
    store.register(entry("ab12", name=text, dataset=text, folder=text))
    assert store.facts("answer", [key(1)]) == {key(1): payload}
    assert store.failures([key(1)]) == {key(1): (failed(1, text, text),)}
    assert store.members("r1") == [Member("r1", text, "answer", key(1))]
    assert store.runs() == [entry("ab12", name=text, dataset=text, folder=text)]


def test_every_byte_comes_back(store):
    payload = bytes(range(256)) * 4096
    store.append([fact(1, payload)])
    assert store.facts("answer", [key(1)]) == {key(1): payload}


def test_a_fact_is_never_changed_and_the_other_one_is_named(store):
    assert store.append([fact(1, b"first"), fact(2, b"same")]) == set()
    assert store.append([fact(1, b"second"), fact(2, b"same"), fact(3)]) == {key(1)}
    assert store.facts("answer", [key(1)]) == {key(1): b"first"}
    assert store.append([fact(4, b"first"), fact(4, b"second")]) == {key(4)}
    assert store.facts("answer", [key(4)]) == {key(4): b"first"}


def test_thousands_at_once(store):
    many = [fact(number, b"%d" % number) for number in range(3_500)]
    assert store.append(many) == set()
    keys = [each.key for each in many]
    assert store.facts("answer", keys) == {each.key: each.payload for each in many}
    assert store.present("answer", [*keys, key("none")]) == set(keys)
    assert store.lease("answer", [*keys, *(key(("new", number)) for number in range(2_500))]) == {
        key(("new", number)) for number in range(2_500)
    }


def test_nothing_is_asked_and_nothing_is_stored(store):
    assert store.append([]) == set()
    assert store.facts("answer", []) == {}
    assert store.lease("answer", []) == set()
    assert store.members("none") == store.runs() == []


def test_failures_are_kept_in_order_and_are_no_facts(store):
    attempts = [failed(1, "timeout"), failed(1, "http_500", None), failed(1, "timeout", "120 s")]
    for each in attempts:
        store.append([each])
    store.append([attempts[0], failed(2)])
    assert store.failures([key(1), key(3)]) == {key(1): tuple(attempts)}
    assert store.present("answer", [key(1)]) == set()


def test_a_time_is_kept_to_the_microsecond_in_any_zone(store):
    at = THEN.astimezone(timezone(timedelta(hours=5, minutes=45)))
    store.append([Failed("reply", key(1), "refused", None, at)])
    assert store.failures([key(1)])[key(1)][0].at == at


@pytest.mark.parametrize("wrong", ["", "A" * 64, "g" * 64, "a" * 63, "a" * 64 + "\n", "a" * 65])
def test_a_key_is_a_hash(wrong):
    with pytest.raises(ValueError, match="no key"):
        Fact("answer", wrong, b"")
    with pytest.raises(ValueError, match="no key"):
        Failed("answer", wrong, "timeout", None, THEN)
    with pytest.raises(ValueError, match="no key"):
        Member("r1", "q1", "answer", wrong)


def test_a_time_says_its_zone():
    with pytest.raises(ValueError, match="time zone"):
        Failed("answer", key(1), "", None, THEN.replace(tzinfo=None))


def test_a_run_is_entered_once(store):
    first = store.register(entry("ab12"))
    assert first == entry("ab12")
    assert store.register(entry("ab12", system=system(prompt_hash="p2"))) == first
    assert store.runs() == [first]


def test_how_far_a_run_came(store):
    store.register(entry("ab12"))
    for _ in range(2):
        store.finish("ab12", "stopped", done=7, failed=2)
    assert store.run("ab12") == entry("ab12", state="stopped", done=7, failed=2)
    store.finish("ab12", "finished", done=9, failed=0, folder="runs/ab12")
    assert store.run("ab12") == entry("ab12", state="finished", done=9, folder="runs/ab12")
    with pytest.raises(LookupError):
        store.finish("nobody", "finished", done=0, failed=0)


def test_a_run_answers_to_its_id_its_name_and_the_start_of_its_id(store):
    for identity, name in (("ab12", "nightly"), ("ab34", "weekly"), ("cd56", "ab34"), ("ab", "monthly")):
        store.register(entry(identity, name=name))
    assert [each.id for each in store.runs()] == ["ab", "cd56", "ab34", "ab12"]
    found = {which: store.run(which).id for which in ("ab", "ab34", "ab1", "weekly", "c")}
    assert found == {"ab": "ab", "ab34": "ab34", "ab1": "ab12", "weekly": "ab34", "c": "cd56"}


@pytest.mark.parametrize(("which", "code"), UNKNOWN_RUNS)
def test_a_run_that_is_not_one(store, which, code):
    for identity in ("ab12", "ab34"):
        store.register(entry(identity))
    with pytest.raises(FaultyInput) as caught:
        store.run(which)
    assert [fault.code for fault in caught.value.faults] == [code]
    assert "ab12" in str(caught.value)


def test_systems_that_were_run_under_one_label(store):
    cards = {"ab12": system(), "ab34": system(prompt_hash="p2"), "cd56": system(), "ef78": system(version="8")}
    for identity, card in cards.items():
        store.register(entry(identity, system=card))
    expected = {entry("x", system=card).card_hash: card for card in (system(), system(prompt_hash="p2"))}
    assert store.systems("7") == expected
    assert len(expected) == 2
    assert store.systems("9") == {}


def test_members_are_sorted_by_code_points_and_counted_once(store):
    queries = ["b", "B", "a", "é", "e", "ё", "я", "Я", "_", "10", "9", "", "\ud800", "🔩"]
    members = [member(1, query=query) for query in queries]
    store.append([*members, member(2, run="r2"), member(3, query="a", kind="judgement")])
    store.append(members)
    ordered = sorted(queries, key=lambda text: text.encode("utf-8", "surrogatepass"))
    found = store.members("r1")
    assert [each.query for each in found if each.kind == "answer"] == ordered
    assert len(found) == len(queries) + 1


def test_a_lease_keeps_others_away_until_it_is_given_back(place, store):
    with Store.open(place) as other:
        assert store.lease("answer", [key(1), key(2)]) == {key(1), key(2)}
        assert store.lease("answer", [key(1)]) == {key(1)}
        assert other.lease("answer", [key(1), key(3)]) == {key(3)}
        assert other.lease("reply", [key(1)]) == {key(1)}
        other.release("answer", [key(1)])
        assert other.lease("answer", [key(1)]) == set()
        store.release("answer", [key(1)])
        assert other.lease("answer", [key(1)]) == {key(1)}


def test_nothing_that_is_known_is_leased(place, store):
    store.append([fact(1)])
    with Store.open(place) as other:
        assert store.lease("answer", [key(1), key(2)]) == {key(2)}
        store.append([fact(2)])
        store.release("answer", [key(2)])
        assert other.lease("answer", [key(1), key(2)]) == set()


def test_a_worker_that_leaves_holds_nothing(place, store):
    with Store.open(place) as other:
        other.lease("answer", [key(1)])
        assert store.lease("answer", [key(1)]) == set()
    assert store.lease("answer", [key(1)]) == {key(1)}
