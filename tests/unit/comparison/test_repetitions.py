"""The same queries asked again: how often each passes, how far its values spread, what the judge repeats."""

import numpy as np
import pytest
from msgspec.structs import replace

from ragassay.comparison.repetitions import Repetition, stability
from ragassay.formats.bundle import Bundle
from ragassay.records import (
    Answer,
    Asked,
    Claim,
    DatasetCard,
    Failure,
    FaultyInput,
    JudgeCard,
    Judged,
    Opinion,
    Query,
    Relevance,
    Result,
    Support,
    SystemCard,
)
from ragassay.runner import Settings, measure

SETTINGS = Settings(metrics=("hit_rate@1", "recall@3", "stale@3", "broken_off", "total_latency(p=50)"), resamples=400)
SYSTEM = SystemCard(kind="callable", name="desk:answer", version="1")
JUDGE = JudgeCard(name="a model", kind="llm", version="1", screens=False)


def repetition(found, number=1, size=4, system=SYSTEM, failed=(), broken=()):
    """Query n has `found(n)` of its two relevant documents at the top of three results."""
    queries, answers = [], []
    for each in range(size):
        relevant = tuple(Relevance(document=f"d{each}.{which}") for which in range(2))
        queries.append(Query(id=f"q{each:03}", question="?", relevant=relevant))
        ids = [*(f"d{each}.{which}" for which in range(found(each))), "x", "y", "z"][:3]
        retrieved = tuple(Result(passage=f"{one}#1", document=one) for one in ids)
        name, complete = f"q{each:03}", each not in broken
        answer = Answer(query=name, answer="So.", retrieved=retrieved, total_ms=10.0 * number, complete=complete)
        answers.append(Answer(query=name, error="timeout") if each in failed else answer)
    bundle = Bundle(queries=tuple(queries), answers=tuple(answers), card=DatasetCard(k=(1, 3), disjoint_ids=True))
    return held(measure(bundle, SETTINGS, asked=Asked(system=system, repetition=number)))


def held(evaluation):
    return Repetition(evaluation.run, evaluation.fractions, evaluation.matrices, evaluation.observed.answers)


def metric(found, name):
    return next(each for each in found.metrics if each.metric == name)


def values(shares):
    return [each.value for each in shares]


# Query 0 hits three times, 1 twice, 2 once, 3 never.
THREE = [repetition(lambda n, number=number: int(n < number), number) for number in (1, 2, 3)]


def test_pass_in_k_of_n():
    found = metric(stability(THREE), "hit_rate@1")
    assert found.rule == "is 1"
    # Of the three ways to take one and two of three outcomes: 3/3, 2/3, 1/3, 0 and 1, 1/3, 0, 0; all three: only q000.
    assert values(found.every) == pytest.approx([0.5, (1 + 1 / 3) / 4, 0.25])
    assert values(found.once) == pytest.approx([0.5, (1 + 1 + 2 / 3) / 4, 0.75])
    assert found.flips.value == 0.5
    assert found.mean.value == pytest.approx(0.5)


def test_the_noise_of_repeating_is_its_own_number():
    found = metric(stability(THREE), "hit_rate@1")
    # Two of four queries vary, each with squares 2/3 over two degrees of freedom.
    assert found.deviation == pytest.approx(np.sqrt((2 / 3 + 2 / 3) / 8))
    assert metric(stability([THREE[0], THREE[0]]), "hit_rate@1").deviation == 0


def test_other_shares_pass_at_a_threshold_that_is_given():
    found = metric(stability(THREE), "recall@3")
    assert (found.rule, found.every, found.once, found.flips.value) == (None, (), (), None)
    assert found.mean.value == pytest.approx(0.25)
    found = metric(stability(THREE, threshold=0.5), "recall@3")
    assert found.rule == "at least 0.5"
    assert values(found.every) == values(metric(stability(THREE), "hit_rate@1").every)


def test_an_answer_that_failed_does_not_pass():
    failing = repetition(lambda n: int(n < 2), 2, failed=(0,))
    found = stability([THREE[1], failing])
    hits = metric(found, "hit_rate@1")
    assert values(hits.every) == pytest.approx([(0.5 + 1) / 4, 0.25])
    assert next((each.passed, each.outcomes) for each in found.unsteady if each.query == "q000") == (1, 2)


def test_what_never_had_a_value_is_counted_by_reason():
    found = metric(stability(THREE), "stale@3")
    assert (found.mean.value, found.mean.n, found.deviation) == (None, 0, None)
    assert found.without == {"corpus_not_given": 12}


def test_a_percentile_has_a_spread_and_no_mean():
    found = metric(stability(THREE), "total_latency(p=50)")
    assert found.mean.value is None
    assert found.deviation == pytest.approx(0.01)


def test_a_total_is_that_of_one_repetition():
    def total(*runs):
        return metric(stability(runs), "broken_off").mean.value

    broken = repetition(lambda n: int(n < 2), 2, broken=(0, 1))
    assert total(broken, broken) == pytest.approx(2.0)
    assert total(broken, THREE[0]) == pytest.approx(1.0)


def test_queries_that_vary_are_named():
    found = stability(THREE, metrics=["hit_rate@1"])
    assert [(each.query, each.passed, each.outcomes, each.low, each.high) for each in found.unsteady] == [
        ("q001", 2, 3, 0.0, 1.0),
        ("q002", 1, 3, 0.0, 1.0),
    ]


def test_the_interval_holds_the_noise_of_repeating():
    generator = np.random.Generator(np.random.PCG64(5))
    steady = [repetition(lambda _: 1, number, size=40) for number in (1, 2)]
    drawn = generator.integers(0, 3, size=(2, 40))
    noisy = [repetition(lambda n, row=row: int(row[n]), number, size=40) for number, row in enumerate(drawn, 1)]
    widths = []
    for runs in (steady, noisy):
        low, high = metric(stability(runs), "recall@3").mean.interval
        widths.append(high - low)
    # Two draws of 0, 1/2, 1: a variance of 1/6 a draw, over 2 repetitions of 40 queries.
    assert widths[1] == pytest.approx(2 * 1.96 * np.sqrt(1 / 6 / 80), rel=0.25)


def test_only_the_same_system_is_repeated():
    other = repetition(lambda n: int(n < 2), 2, system=replace(SYSTEM, parameters={"k": "5"}))
    found = stability([THREE[0], other])
    assert "system" in {each.field for each in found.mismatches if each.refuses}
    assert (found.metrics, found.unsteady) == ((), ())


def test_other_labels_are_no_repetition():
    other = THREE[1]._replace(run=replace(THREE[1].run, card=replace(THREE[1].run.card, dataset_hash="sha256:x")))
    found = stability([THREE[0], other, other])
    assert [each.field for each in found.mismatches] == ["dataset_hash"]
    assert found.metrics == ()


def test_another_judge_is_no_repetition():
    first = judged("supports")
    other = judged("supports", judge=replace(JUDGE, version="2"))
    found = stability([first, other])
    assert [each.field for each in found.mismatches if each.refuses] == ["judge"]
    assert (found.metrics, found.judge) == ((), None)


def test_a_metric_that_only_one_run_measured_is_named():
    card = replace(THREE[1].run.card, metrics=(*THREE[1].run.card.metrics, "mrr:v1"))
    (found,) = stability([THREE[0], THREE[1]._replace(run=replace(THREE[1].run, card=card))]).mismatches
    assert (found.field, found.candidate, found.refuses) == ("metrics", "mrr:v1", False)


def test_a_metric_that_was_not_measured_is_refused():
    with pytest.raises(FaultyInput) as raised:
        stability(THREE, metrics=["mrr", "hit_rate@1"])
    assert [each.value for each in raised.value.faults] == ["mrr"]


def judged(*verdicts, text="It is so.", judge=JUDGE):
    """One query per verdict, each with one claim beside one passage. None: the judge failed."""
    names = [f"q{number}" for number in range(len(verdicts))]
    queries = tuple(Query(id=name, question="?", answerable=True) for name in names)
    retrieved = (Result(passage="p#1", document="p", text="Text."),)
    answers = tuple(Answer(query=name, answer=text, retrieved=retrieved) for name in names)
    said = [
        Judged(
            query=name,
            claims=(Claim(side="answer", number=0, text=text),),
            support=(Support(side="answer", number=0, passages=(0,), outcome=outcome(verdict)),),
        )
        for name, verdict in zip(names, verdicts, strict=True)
    ]
    bundle = Bundle(queries=queries, answers=answers, card=DatasetCard(k=(1,)))
    settings = Settings(metrics=("grounded_claim_rate", "critical_pass_rate"), resamples=200)
    return held(measure(bundle, settings, (judge, said)))


def outcome(verdict):
    if verdict is None:
        return Failure(error="judge_timeout")
    return verdict if isinstance(verdict, Opinion) else Opinion(verdict=verdict, probability=0.5, judge="a model")


def test_a_judge_that_repeats_itself_and_one_that_does_not():
    first = judged("supports", "supports", "contradicts", "neutral")
    found = stability([first, first]).judge
    assert (found.judgements, found.agreement.value, found.alpha) == (4, 1.0, 1.0)
    other = judged("supports", "neutral", "contradicts", "neutral")
    found = stability([first, other]).judge
    assert (found.judgements, found.agreement.value, found.agreement.n) == (4, 0.75, 4)
    assert found.agreement.interval[0] < 0.75 < found.agreement.interval[1]
    assert 0 < found.alpha < 1


def test_a_verdict_that_was_not_given_is_no_disagreement():
    found = stability([judged("supports", "supports"), judged("supports", None)]).judge
    assert (found.judgements, found.agreement.value, found.alpha) == (1, 1.0, None)


def test_other_answers_say_nothing_of_the_judge():
    found = stability([judged("supports"), judged("supports", text="It is not so.")])
    assert (found.same_answers, found.judge) == (0, None)
    assert stability([judged("supports"), judged("neutral")]).same_answers == 1


def test_what_people_decided_is_not_the_judge_s():
    by_people = Opinion(verdict="supports", probability=1.0, judge="human")
    found = stability([judged("supports", by_people), judged("neutral", by_people)]).judge
    assert (found.judgements, found.agreement.value) == (1, 0.0)


def test_a_reason_that_voids_one_run_voids_them_all():
    found = metric(stability([judged("supports"), judged("supports")]), "critical_pass_rate")
    assert found.mean.value is None
    assert found.without
