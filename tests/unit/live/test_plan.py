"""Names of answers and judgements change with everything that can change them, and with nothing else."""

import msgspec
import pytest

from ragassay.formats.bundle import Bundle
from ragassay.live import PlanCard, differences, plan_for
from ragassay.live.plan import answer_key, judgement_key
from ragassay.records import (
    Case,
    DatasetCard,
    Document,
    FaultyInput,
    JudgeCard,
    Passage,
    Query,
    Relevance,
    Requester,
    SystemCard,
)
from ragassay.runner import Settings

SYSTEM = SystemCard(kind="callable", name="shop:answer", version="1", model="m", prompt_hash="p", code="c")
JUDGE = JudgeCard(name="m-a", kind="llm", version="1", screens=False, settings={"prompt": "v1", "temperature": "0"})
QUERY = Query(id="q1", question="What is the limit?", requester=Requester(("staff",)), scope={"site": "north"})
CARD = PlanCard(
    dataset="d",
    dataset_version="1",
    dataset_hash="h",
    corpus_hash=None,
    system=SYSTEM,
    judge=JUDGE,
    settings=Settings(),
    repetition=1,
)
CASE = Case(query="q1", question="What is the limit?", answer="X", passages=(Passage(id="p", text="a,b"),))


def with_system(**changes):
    return msgspec.structs.replace(CARD, system=msgspec.structs.replace(SYSTEM, **changes))


def with_judge(**changes):
    return msgspec.structs.replace(CARD, judge=msgspec.structs.replace(JUDGE, **changes))


@pytest.mark.parametrize(
    "card",
    [
        with_system(model="other"),
        with_system(prompt_hash="other"),
        with_system(index_hash="other"),
        with_system(code="other"),
        with_system(parameters={"k": "7"}),
        with_system(version="2"),
        msgspec.structs.replace(CARD, repetition=2),
    ],
)
def test_another_system_or_repetition_is_asked_anew(card):
    assert answer_key(QUERY, card) != answer_key(QUERY, CARD)


@pytest.mark.parametrize(
    "changes",
    [
        {"question": "What is the limit today?"},
        {"requester": Requester(("guests",))},
        {"requester": None},
        {"scope": {"site": "south"}},
        {"id": "q2"},
    ],
)
def test_another_question_is_asked_anew(changes):
    assert answer_key(msgspec.structs.replace(QUERY, **changes), CARD) != answer_key(QUERY, CARD)


def test_labels_judge_and_measuring_leave_an_answer_as_it_is():
    labelled = msgspec.structs.replace(
        QUERY, answerable=True, relevant=(Relevance(document="d"),), reference="250", critical=True, slices=("table",)
    )
    card = msgspec.structs.replace(with_judge(name="other"), settings=Settings(k=(3,)), dataset_hash="other")
    assert answer_key(labelled, card) == answer_key(QUERY, CARD)


@pytest.mark.parametrize(
    ("case", "card"),
    [
        (CASE, with_judge(name="m-b")),
        (CASE, with_judge(settings={"prompt": "v2", "temperature": "0"})),
        (CASE, with_judge(settings={"prompt": "v1", "temperature": "1"})),
        (CASE, with_judge(version="2")),
        (msgspec.structs.replace(CASE, answer="X "), CARD),
        (msgspec.structs.replace(CASE, passages=(Passage(id="p", text="a"), Passage(id="p", text="b"))), CARD),
        (CASE, msgspec.structs.replace(CARD, repetition=2)),
    ],
)
def test_everything_that_a_judge_sees_or_is_names_its_judgement(case, card):
    """Case C88: each variant is a miss."""
    assert judgement_key(case, card) != judgement_key(CASE, CARD)


def test_differences_are_named_by_their_path():
    found = differences(CARD, with_system(model=None, parameters={"k": "7"}))
    assert found == ["system.model: m is now nothing", "system.parameters.k: nothing is now 7"]


def test_a_changed_dataset_or_corpus_is_another_plan():
    def plan(**changes):
        observed = Bundle(queries=(QUERY,), card=DatasetCard(name="d"), documents=(Document(document="d"),))
        return plan_for(msgspec.structs.replace(observed, **changes), SYSTEM, None, Settings(), 1)

    others = [
        plan(queries=(msgspec.structs.replace(QUERY, reference="250"),)),
        plan(documents=None),
        plan(documents=(Document(document="d", revision="B"),)),
        plan(card=DatasetCard(name="d", k=(3,))),
    ]
    assert len({each.card.hash for each in (plan(), *others)}) == 5
    assert plan().card.hash == plan().card.hash
    assert {each.tasks[0].key for each in others} == {plan().tasks[0].key}


def test_every_query_without_a_question_is_named_at_once():
    observed = Bundle(queries=(QUERY, Query(id="q2"), Query(id="q3", question="")))
    with pytest.raises(FaultyInput) as raised:
        plan_for(observed, SYSTEM, None, Settings(), 1)
    assert [fault.value for fault in raised.value.faults] == ["q2", "q3"]
    recorded = SystemCard(kind="recorded", name="answers.jsonl")
    assert len(plan_for(observed, recorded, None, Settings(), 1).tasks) == 3
