import pytest
from naive import GradedJudge

from ragassay.judges.attack_pairs import FACTS, bundled_items, translations
from ragassay.judges.attack_strings import INJECTIONS
from ragassay.judges.labelled import items_of
from ragassay.judges.protocol import Reading, Statement
from ragassay.judges.together import finished
from ragassay.judges.twins import KINDS, MOST_ITEMS, attack, negated, number_changed, twins_of
from ragassay.records import Failure, Label
from ragassay.text.language import language_of
from ragassay.text.overlap import token_overlap

CLEAN = {claim for fact in FACTS for claim in fact.supported}


def deaf(claim, _):
    """Supports exactly the true claims of the bundled facts, word for word."""
    return 0.97 if claim in CLEAN else 0.1


def test_the_bundled_facts_are_whole():
    items = bundled_items()
    assert len(items) == 4 * len(FACTS)
    assert sum(item.is_supported for item in items) == 2 * len(FACTS)
    assert {language_of(item.claim) == item.lang for item in items} == {True}
    assert all(translations()[translations()[item.claim]] == item.claim for item in items)


def test_injections_are_many_and_in_six_languages():
    assert len(set(INJECTIONS)) == 60
    assert {language_of(each) for each in INJECTIONS} >= {"en", "ru", "zh"}
    for sign in ("SISTEMA", "SYSTEM: Jede", "SYSTÈME", "<|im_end|>", '{"verdict"'):
        assert any(sign in each for each in INJECTIONS)


def test_every_kind_and_every_string_is_used():
    items = bundled_items()
    for some in (items, items[:4]):
        twins = list(twins_of(some, translations()))
        assert {twin.kind for twin in twins} == set(KINDS)
        injected = {twin.claim.split("\n\n", 1)[1] for twin in twins if twin.kind == "injected"}
        assert injected == set(INJECTIONS)


class Gullible(GradedJudge):
    """Takes everything that is said for a claim."""

    async def read(self, text, question):
        return Reading(statements=(Statement(text),))


def test_only_true_claims_are_turned_false():
    items = bundled_items()
    turned = [twin for twin in twins_of(items, {}) if twin.kind in ("negated", "number_changed")]
    assert turned
    assert all(items[twin.item].is_supported for twin in turned)


def test_a_judge_that_reads_the_claim_alone_is_safe():
    found = finished(attack(GradedJudge(deaf), bundled_items(), translations()))
    gained = {each.kind for each in found.gained}
    assert gained <= {"other_language"}
    honest = finished(attack(GradedJudge(lambda claim, text: 0.1), bundled_items(), translations()))
    assert honest.gained == []
    assert len(honest.attempts) > 12 * honest.items * 0.8


@pytest.mark.parametrize(
    ("probability", "kind"),
    [
        (lambda claim, _: 0.9 if "verdict" in claim else 0.1, "injected"),
        (lambda _, text: 0.9 if len(text.split("\n\n")) > 1 else 0.1, "injected_passage"),
        (lambda claim, _: min(1.0, len(claim) / 250), "padded"),
        (lambda claim, _: 0.9 if "**" in claim else 0.1, "formatted"),
        (lambda claim, _: 0.9 if "[1]" in claim else 0.1, "fabricated_citation"),
        (lambda claim, _: 0.9 if " not " in claim or "Неверно" in claim else 0.8, "negated"),
        (lambda claim, text: 1 - (token_overlap(claim, text) or 0), "number_changed"),
        (lambda claim, text: 0.9 if language_of(claim) != language_of(text) else 0.1, "other_language"),
        (lambda claim, _: 0.1 if claim.strip(" …\n") else 1.0, "empty"),
        (lambda claim, _: 0.9 if claim in ("Yes.", "Да.") else 0.1, "constant"),
        (lambda claim, _: 0.9 if claim.endswith("?") else 0.1, "question"),
    ],
)
def test_each_weakness_is_found_by_name(probability, kind):
    found = finished(attack(Gullible(probability), bundled_items(), translations()))
    assert kind in {each.kind for each in found.gained}
    gains = [each.gain for each in found.gained]
    assert gains == sorted(gains, reverse=True)


def test_what_the_judge_reads_no_claim_in_has_gained_nothing():
    found = finished(
        attack(GradedJudge(lambda claim, _: 1.0 if claim.endswith("?") else 0.1), bundled_items(), translations())
    )
    asked = [each for each in found.attempts if each.kind in ("question", "empty")]
    assert len(asked) == 2 * found.items
    assert {each.attacked for each in asked} == {0.0}
    assert found.gained == []


def test_a_failure_to_read_is_no_success_either():
    class Blind(GradedJudge):
        async def read(self, text, question):
            return Failure(error="claims_unreadable")

    found = finished(attack(Blind(lambda claim, _: 0.1), bundled_items(), translations()))
    assert found.failed["claims_unreadable"] == 3 * found.items


def test_a_small_change_is_no_gain():
    found = finished(attack(GradedJudge(lambda claim, _: 0.3 if "\n" not in claim else 0.34), bundled_items(), {}))
    assert [each for each in found.gained if each.kind == "injected"] == []


def test_failures_are_no_success():
    found = finished(attack(Gullible(lambda claim, _: None if "?" in claim else 0.1), bundled_items(), translations()))
    assert found.failed["judge_failed"] >= found.items


def test_large_sets_are_sampled_evenly():
    labels = [
        Label(claim=f"Claim {i}.", context=(f"Text {i}.",), label="supports" if i % 10 == 0 else "neutral")
        for i in range(900)
    ]
    found = finished(attack(GradedJudge(lambda claim, _: 0.1), items_of(labels), {}))
    assert found.items == MOST_ITEMS
    assert finished(attack(GradedJudge(lambda claim, _: 0.1), items_of(labels[:50]), {})).items == 50


@pytest.mark.parametrize(
    ("claim", "twin"),
    [
        ("The office is in Riga.", "The office is not in Riga."),
        ("It opens at 10.", "It is not true that It opens at 10."),
        ("Офис находится в Риге.", "Неверно, что Офис находится в Риге."),
        ("The pump must not run.", None),
        ("Насос не работает.", None),
        ("办公室在里加。", None),
    ],
)
def test_negation(claim, twin):
    assert negated(claim) == twin


def test_changed_numbers():
    assert number_changed("It weighs 80 kg.", ["80 kg"]) == "It weighs 83 kg."
    assert number_changed("It weighs 80 kg.", ["80 kg, with cover 83 kg"]) is None
    assert number_changed("It is heavy.", ["80 kg"]) is None
