import asyncio

import pytest
from cases import case

from ragassay.compat.ragas import ContextPrecision, ContextRecall, Faithfulness, Sample
from ragassay.flow import RunStopped
from ragassay.judges.protocol import Reading, Statement
from ragassay.records import Failure, JudgeCard, Opinion, Usage


class Told:
    """A judge that splits at `;` and supports a claim where its text holds the claim; what it saw is kept."""

    card = JudgeCard(name="told", kind="human", version="1", screens=False)

    def __init__(self, failing=()):
        self.failing, self.seen = failing, []

    async def read(self, text, question):
        self.seen += [text]
        return Reading(statements=tuple(Statement(part.strip()) for part in text.split(";") if part.strip()))

    async def verify(self, claims, texts, pairs):
        self.seen += [claims[claim] for claim, _ in pairs] + [texts[text] for _, text in pairs]
        return [self.outcome(claims[claim], texts[text]) for claim, text in pairs]

    def outcome(self, claim, text):
        if claim in self.failing:
            return Failure(error="verdicts_incomplete", detail="did not come")
        says, opposes = claim in text, f"not {claim}" in text
        verdict = "contradicts" if opposes else "supports" if says else "neutral"
        return Opinion(verdict=verdict, probability=float(verdict == "supports"), judge="told")

    def spent(self):
        return Usage()

    async def close(self):
        pass


def test_the_worked_value_of_context_precision():
    sample = Sample(
        user_input="q", reference="the fact", retrieved_contexts=("a", "the fact", "b", "c", "the fact too")
    )
    score = ContextPrecision(Told()).score(sample)
    assert score.value == pytest.approx(0.45)
    assert score.reason == "of no use: context 1, context 3, context 4"


def test_the_worked_value_of_context_recall():
    sample = Sample(user_input="q", reference="one; two; three", retrieved_contexts=("one", "two"))
    score = ContextRecall(Told()).score(sample)
    assert score.value == pytest.approx(2 / 3)
    assert score.reason == "not mentioned: three"


def test_the_worked_value_of_faithfulness():
    sample = Sample(user_input="q", response="a1; a2; a3; a4; b1; b2", retrieved_contexts=("a1 a2 a3", "a4"))
    assert Faithfulness(Told()).score(sample).value == pytest.approx(4 / 6)


def test_the_interface_that_is_awaited():
    sample = Sample(user_input="q", response="a", retrieved_contexts=("a",))

    async def both():
        return await asyncio.gather(*(Faithfulness(Told()).ascore(sample) for _ in range(2)))

    assert [score.value for score in asyncio.run(both())] == [1.0, 1.0]
    assert Faithfulness(Told()).score(sample).reason == ""


def test_C34_the_reason_lists_exactly_the_claims_that_lowered_the_value():
    given, expected = case("C34")
    text = f"{given['claims'][0]}. There is not {given['claims'][2]}."
    sample = Sample(user_input="q", response="; ".join(given["claims"]), retrieved_contexts=(text,))
    score = Faithfulness(Told()).score(sample)
    assert score.value == pytest.approx(expected["faithfulness"], abs=1e-6)
    assert score.reason == "not mentioned: free courier; contradicted: fee of 5 percent"


def test_C35_a_forgotten_verdict_is_no_value():
    given, expected = case("C35")
    sample = Sample(user_input="q", response="; ".join(given["claims"]), retrieved_contexts=("c1",))
    score = Faithfulness(Told(failing=given["claims"][1:])).score(sample)
    assert score.value is None
    assert expected["code"] in score.reason


@pytest.mark.parametrize(
    ("metric", "given", "value", "reason"),
    [
        (Faithfulness, {"response": "a", "retrieved_contexts": ()}, 0.0, "not mentioned: a"),
        (Faithfulness, {"response": "a"}, None, "context_not_recorded"),
        (Faithfulness, {"response": "I do not know.", "retrieved_contexts": ("a",)}, None, "no_claims"),
        (Faithfulness, {"response": "", "retrieved_contexts": ("a",)}, None, "no_claims"),
        (ContextRecall, {"reference": "a", "retrieved_contexts": ()}, 0.0, "not mentioned: a"),
        (ContextRecall, {"retrieved_contexts": ("a",)}, None, "no_reference_claims"),
        (ContextPrecision, {"reference": "a", "retrieved_contexts": ()}, 0.0, "no context"),
        (
            ContextPrecision,
            {"reference": "a", "retrieved_contexts": ("b", "c")},
            0.0,
            "of no use: context 1, context 2",
        ),
        (ContextPrecision, {"reference": "a", "retrieved_contexts": ("a", "a")}, 1.0, ""),
        (ContextPrecision, {"retrieved_contexts": ("a",)}, None, "no_reference_claims"),
        (ContextPrecision, {"reference": "a"}, None, "context_not_recorded"),
    ],
)
def test_each_edge_has_the_value_or_the_reason_of_the_dictionary(metric, given, value, reason):
    score = metric(Told()).score(Sample(user_input="q", **given))
    assert (score.value, score.reason) == (value, reason)


def test_a_judge_that_cannot_read_is_named():
    judge = Told()

    async def fails(*_):
        return Failure(error="judge_timeout", detail="no reply")

    judge.read = fails
    score = Faithfulness(judge).score(Sample(user_input="q", response="a", retrieved_contexts=("a",)))
    assert (score.value, score.reason) == (None, "judge_timeout (no reply)")


def test_C89_no_metric_looks_at_the_other_side():
    given, expected = case("C89")
    sample = Sample(
        user_input=given["question"],
        response=given["answer"],
        reference=given["gold"],
        retrieved_contexts=tuple(given["retrieved"]),
    )
    seen = {}
    for metric in (Faithfulness, ContextRecall):
        judge = Told()
        metric(judge).score(sample)
        seen[metric] = set(judge.seen)
    assert seen[Faithfulness] == set(expected["faithfulness"])
    assert seen[ContextRecall] == set(expected["context_recall"])


def test_a_judge_that_cannot_go_on_is_named():
    async def stops(*_):
        raise RunStopped("the judge is down")

    judge = Told()
    judge.verify = stops
    score = Faithfulness(judge).score(Sample(user_input="q", response="a", retrieved_contexts=("a",)))
    assert (score.value, score.reason) == (None, "the judge is down")


def test_scores_come_in_a_notebook_too():
    async def cell():
        return Faithfulness(Told()).score(Sample(user_input="q", response="a", retrieved_contexts=("a",)))

    assert asyncio.run(cell()).value == 1.0
