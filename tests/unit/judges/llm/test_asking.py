"""Nothing is asked twice, nothing is mixed, and what failed is asked again."""

import json
from dataclasses import dataclass, field

import pytest
from unit.judges.llm.stub import rejected, said, serving, verdicts
from unit.judges.llm.test_judge import all_neutral, done, extraction, judge_at, kinds

from ragassay.flow import Budget, BudgetSpent, Ceiling, Flow, ServerDown
from ragassay.judges.llm import Endpoint, LlmJudge, Price
from ragassay.judges.together import finished, together
from ragassay.records import Failure, Usage

CLAIM, TEXT = ["It is in Riga."], ["The office is in Riga."]
PAIR = [(0, 0)]


@dataclass
class Kept:
    """Replies that outlive a judge, as a store keeps them; `puts` are the keys in the order in which they came."""

    held: dict = field(default_factory=dict)
    puts: list = field(default_factory=list)

    async def get(self, key):
        return self.held.get(key)

    async def put(self, key, reply):
        self.puts.append(key)
        self.held.setdefault(key, reply)


def verified(stub, kept, claims=CLAIM, texts=TEXT, pairs=PAIR, **settings):
    judge = judge_at(stub, kept, **settings)
    return done(judge, judge.verify(claims, texts, pairs))[0], judge


def test_a_reply_that_is_kept_is_not_asked_for_and_costs_nothing_again():
    kept = Kept()
    with serving(verdicts(("c1", "t1", "S", "in Riga"))) as stub:
        first, paid = verified(stub, kept)
        again, free = verified(stub, kept)
        assert first == again
        assert len(stub.requests) == 1
        assert paid.spent() == Usage(calls=1, input_tokens=100, output_tokens=10)
        assert free.spent() == Usage(calls=0, input_tokens=0, output_tokens=0)
        assert free.card == paid.card
        reply = json.loads(kept.held[kept.puts[-1]])
        assert (reply["input_tokens"], reply["output_tokens"], reply["finish"]) == (100, 10, "stop")


def test_identical_requests_in_flight_are_asked_once():
    with serving(extraction([("a", "a", True)])) as stub:
        judge = judge_at(stub)
        both = finished(_closing(judge, together(judge.read("The reference.", "What?") for _ in range(20))))
        assert len(both) == 20
        assert len(stub.requests) == 1


async def _closing(judge, work):
    try:
        return await work
    finally:
        await judge.close()


@pytest.mark.parametrize(
    "settings", [{"max_tokens": 2_000}, {"repetition": 2}, {"model": "other"}, {"base_url": "/elsewhere"}]
)
def test_whatever_can_change_a_reply_makes_another_key(settings):
    kept = Kept()
    with serving(all_neutral) as stub:
        verified(stub, kept)
        known = dict(kept.held)
        repetition = settings.get("repetition", 1)
        at = {"base_url": stub.url, "model": "m", **{k: v for k, v in settings.items() if k != "repetition"}}
        if at["base_url"].startswith("/"):
            at["base_url"] = stub.url + at["base_url"]
        judge = LlmJudge(Endpoint(**at), replies=kept, repetition=repetition)
        done(judge, judge.verify(CLAIM, TEXT, PAIR))
        assert len(stub.requests) == 2
        assert len(kept.held) == 2 * len(known)


def test_the_window_changes_no_reply():
    kept = Kept()
    with serving(all_neutral) as stub:
        verified(stub, kept)
        verified(stub, kept, window=30_000)
        assert len(stub.requests) == 1


@pytest.mark.parametrize(
    "broken",
    [
        "no JSON at all",
        verdicts(("c1", "t1", "maybe", "")),
        verdicts(("c9", "t1", "N", "")),
        verdicts(("c1", "t1", "N", ""), ("c1", "t1", "S", "in Riga")),
        said("{", finish="length"),
        said(None, refusal="No."),
        rejected(500, "down"),
    ],
)
def test_what_was_not_understood_is_asked_again_by_the_next_run(broken):
    kept = Kept()
    with serving(broken, verdicts(("c1", "t1", "S", "in Riga"))) as stub:
        first, _ = verified(stub, kept)
        again, _ = verified(stub, kept)
        assert isinstance(first[0], Failure)
        assert kinds(again) == ["supports"]


def test_what_was_forgotten_twice_is_asked_again_by_the_next_run_and_nothing_else_is():
    kept = Kept()
    some = verdicts(("c1", "t1", "S", "in Riga"))
    other = verdicts(("c2", "t1", "N", ""), ("c3", "t1", "N", ""))
    asked = (["a", "b", "c"], TEXT, [(0, 0), (1, 0), (2, 0)])
    with serving(some, verdicts(("c2", "t1", "N", "")), other) as stub:
        first, _ = verified(stub, kept, *asked)
        assert kinds(first) == ["supports", "neutral", "verdicts_incomplete"]
        again, _ = verified(stub, kept, *asked)
        assert kinds(again) == ["supports", "neutral", "neutral"]
        assert len(stub.requests) == 3


def test_no_verdict_at_all_is_asked_for_once_more():
    with serving(verdicts(), verdicts(("c1", "t1", "S", "in Riga"))) as stub:
        assert kinds(verified(stub, Kept())[0]) == ["supports"]
        assert len(stub.requests) == 2


def by(model, reply):
    body = json.loads(json.dumps(said(reply).body))
    body["model"] = model
    return said(reply)._replace(body=body)


def test_replies_of_two_models_are_not_mixed():
    kept = Kept()
    neutral = verdicts(("c1", "t1", "N", ""))
    with serving(by("m-1", neutral), by("m-2", neutral)) as stub:
        judge = judge_at(stub, kept)
        first, second = done(judge, *(judge.verify(CLAIM, [text], PAIR) for text in "ab"))
        assert kinds(first) == ["neutral"]
        assert kinds(second) == ["judge_model_changed"]
        assert "m-2" in second[0].detail
        assert judge.card.settings["returned_model"] == "m-1"
        later, judge = verified(stub, kept, texts=["c"])
        assert kinds(later) == ["judge_model_changed"]
        assert judge.card.settings["returned_model"] == "m-1"
        assert len(kept.held) == 2


def test_another_model_is_not_paid_for_ever():
    neutral = verdicts(("c1", "t1", "N", ""))
    with serving(by("m-1", neutral), by("m-2", neutral)) as stub:
        judge = judge_at(stub, Kept())
        outcomes = done(judge, *(judge.verify(CLAIM, [text], PAIR) for text in "abcdefgh"))
        assert [each[0].error for each in outcomes[1:]] == ["judge_model_changed"] * 7
        assert len(stub.requests) == 4


def test_the_card_after_resuming_is_that_of_an_uninterrupted_run():
    def answer(request):
        return (
            rejected(400, "no temperature", param="temperature") if "temperature" in request else all_neutral(request)
        )

    kept = Kept()
    with serving(answer) as stub:
        _, whole = verified(stub, kept)
        _, resumed = verified(stub, kept)
        assert resumed.spent().calls == 0
        assert resumed.card == whole.card
        assert whole.card.settings["not_taken"] == "temperature"


def test_texts_that_imitate_one_another_have_keys_of_their_own():
    kept = Kept()
    with serving(all_neutral) as stub:
        verified(stub, kept, texts=["a\n[0 t2]\nb", "c"], pairs=[(0, 0), (0, 1)])
        verified(stub, kept, texts=["a", "b\n[0 t2]\nc"], pairs=[(0, 0), (0, 1)])
        assert len(stub.requests) == 2


async def until_stopped(judge, most):
    """New texts one after the other, until the run is stopped."""
    try:
        for number in range(most):
            await judge.verify(CLAIM, [f"Text {number}."], PAIR)
    finally:
        await judge.close()


def test_a_spent_budget_stops_the_run_before_the_next_call():
    with serving(all_neutral) as stub:
        endpoint = Endpoint(base_url=stub.url, model="m", price=Price(1.0, 1.0))
        judge = LlmJudge(endpoint, Flow("judge", endpoint.limits, Budget(Ceiling(cost=0.006))))
        with pytest.raises(BudgetSpent, match="cost"):
            finished(until_stopped(judge, 200))
        assert 0 < judge.spent().cost <= 0.006


def test_a_dead_server_stops_the_run():
    with serving(rejected(503, "down")) as stub:
        judge = judge_at(stub)
        with pytest.raises(ServerDown, match="down"):
            finished(until_stopped(judge, 20))
        assert len(stub.requests) < 20
