"""What people labelled of a judged run corrects its verdict: counted by hand where that can be done."""

import numpy as np
import polars as pl
import pytest
from scripted import ScriptedJudge

from ragassay.formats.bundle import Bundle
from ragassay.formats.runs import StoredRun, read_run, write_run
from ragassay.gates import decide
from ragassay.gates.correcting import Correction, correct
from ragassay.gates.standing import Population, standing
from ragassay.judges.judging import Bench
from ragassay.judges.together import finished
from ragassay.metrics.aggregation import Measured
from ragassay.metrics.definition import Fractions
from ragassay.metrics.dictionary import find
from ragassay.metrics.sides import Sides
from ragassay.records import Answer, DatasetCard, Gate, JudgeCard, Label, Policy, Query, Result
from ragassay.runner import Settings, evaluate
from ragassay.statistics.corrected import Uncorrected

QUERIES, LABELLED = 400, 130
METRIC = "grounded_claim_rate"
GENERATOR = np.random.default_rng(5)
TRUE = GENERATOR.random((QUERIES, 2)) < 0.7
FOOLED = GENERATOR.random((QUERIES, 2)) < 0.2
"""Claims of which the judge says the opposite of what is true, half of the unsupported ones among them."""
SAID = TRUE | FOOLED


class Flatterer(ScriptedJudge):
    """A judge of an endpoint that calls some claims supported that are not."""

    @property
    def card(self):
        return JudgeCard(name="flatterer", kind="llm", version="1", screens=False)


def claim(query, number):
    return f"Part {number} of query {query} holds {query * 7 + number} units."


def passage(query):
    return f"Passage of query {query}."


def bundle(labelled, passages=passage):
    queries = tuple(Query(id=f"q{index:03}", question="?") for index in range(QUERIES))
    answers = tuple(
        Answer(
            query=f"q{index:03}",
            answer=f"{claim(index, 0)} {claim(index, 1)}",
            retrieved=(Result(passage=f"p{index}", text=passages(index)),),
        )
        for index in range(QUERIES)
    )
    labels = tuple(
        Label(claim=claim(index, n), context=(passages(index),), label="supports" if TRUE[index, n] else "neutral")
        for index in labelled
        for n in (0, 1)
    )
    return Bundle(queries=queries, answers=answers, labels=labels, card=DatasetCard(k=(1,), disjoint_ids=True))


def measured(labelled):
    verdicts = {
        (claim(index, n), passage(index)): "supports" for index in range(QUERIES) for n in (0, 1) if SAID[index, n]
    }
    return finished(evaluate(bundle(labelled), Settings(metrics=(METRIC, "recall@1")), Bench(Flatterer(verdicts))))


def gated(run, **limits):
    policy = Policy(name="p", critical=False, gates=(Gate(metric=METRIC, **limits),))
    return decide(policy, run.run, run.fractions, run.matrices).gates[0]


def chosen(number):
    return sorted(np.random.default_rng(9).permutation(QUERIES)[:number].tolist())


def test_labels_on_a_random_part_turn_a_flattered_pass_into_a_breach():
    unlabelled, corrected = measured([]), measured(chosen(LABELLED))
    assert gated(unlabelled, at_least=0.75).outcome == "passed"
    result = gated(corrected, at_least=0.75)
    assert result.outcome == "breached"
    found = result.corrected
    assert (found.labelled, found.unlabelled, found.method) == (LABELLED, QUERIES - LABELLED, "ppi++")
    assert found.value == pytest.approx(TRUE.mean(), abs=0.04)
    assert found.effective > LABELLED
    assert "corrected by 130 labelled queries: correlation 0." in result.message
    assert result.marks == ()


def test_without_enough_labels_the_gate_says_that_its_judge_is_not_corrected():
    assert gated(measured([]), at_least=0.75).marks == ("uncorrected_judge",)
    few = gated(measured(chosen(99)), at_least=0.75)
    assert few.marks == ("uncorrected_judge", "few_labels")
    assert few.corrected is None


def test_labels_on_what_looks_bad_alone_correct_nothing():
    worst = [index for index in range(QUERIES) if not SAID[index].all()] + [
        index for index in range(QUERIES) if SAID[index].all()
    ]
    result = gated(measured(sorted(worst[:120])), at_least=0.75)
    assert result.marks == ("uncorrected_judge", "labels_not_at_random")


def test_a_stored_run_gives_the_same_verdict(tmp_path):
    run = measured(chosen(LABELLED))
    stored = StoredRun(
        run=run.run,
        matrices=run.matrices,
        fractions=run.fractions,
        queries=run.observed.queries,
        answers=run.observed.answers,
    )
    write_run(tmp_path / "run", stored, {})
    again = read_run(tmp_path / "run")
    for on in ("estimate", "bound"):
        assert gated(again, at_least=0.72, on=on) == gated(run, at_least=0.72, on=on)


def test_the_judge_is_seen_as_if_nobody_had_labelled():
    run = measured(chosen(LABELLED))
    rows = run.fractions.filter(pl.col("metric") == f"{METRIC}:v1").sort("query")
    np.testing.assert_array_equal(rows["judge_numerator"].to_numpy(), SAID.sum(axis=1))
    assert rows["by_people"].sum() == LABELLED
    assert rows.filter("by_people")["numerator"].to_list() == TRUE[chosen(LABELLED)].sum(axis=1).tolist()


def test_a_query_labelled_in_part_is_no_label():
    whole = chosen(LABELLED)
    observed = bundle(whole)
    labels = observed.labels[1:]
    verdicts = {(claim(i, n), passage(i)): "supports" for i in range(QUERIES) for n in (0, 1) if SAID[i, n]}
    partly = Bundle(queries=observed.queries, answers=observed.answers, labels=labels, card=observed.card)
    run = finished(evaluate(partly, Settings(metrics=(METRIC,)), Bench(Flatterer(verdicts))))
    assert gated(run, at_least=0.1).corrected.labelled == LABELLED - 1


def apart(values, judge, by_people, lost=0):
    """A gate's metric, one 0/1 value per query, the last ones failed; and its sides."""
    values, judge = (np.concatenate([each, np.zeros(lost)]).astype(np.float64) for each in (values, judge))
    n = len(values)
    state = np.concatenate([np.zeros(n - lost), np.ones(lost)]).astype(np.uint8)
    failed, known = state == 1, np.concatenate([by_people, np.zeros(lost, dtype=np.bool_)])
    nobody = np.zeros(n, dtype=np.bool_)
    measured = Measured(find("context_recall"), Fractions(values, np.ones(n), state, ("answer_incomplete",)))
    people = Population(tuple(f"q{index}" for index in range(n)), ~nobody, failed, nobody, {})
    return standing(measured, people, ~nobody), Sides(judge, np.ones(n), ~failed, known)


def test_answers_that_failed_stand_at_their_worst_beside_the_corrected_part():
    truth = GENERATOR.random(500) < 0.8
    by_people = np.arange(500) < 150
    whole = correct(*apart(truth, truth, by_people), 0.95, on_bound=True)
    lost = correct(*apart(truth, truth, by_people, lost=100), 0.95, on_bound=True)
    assert isinstance(whole, Correction)
    assert isinstance(lost, Correction)
    assert lost.found == whole.found
    assert lost.ends.worst.value == pytest.approx(whole.ends.worst.value * 500 / 600)
    assert lost.ends.worst.low < whole.ends.worst.low


def test_what_nobody_labelled_is_left_alone():
    truth = GENERATOR.random(300) < 0.8
    none, few = np.zeros(300, dtype=np.bool_), np.arange(300) < 50
    assert correct(*apart(truth, truth, none), 0.95, on_bound=False) is None
    assert correct(*apart(truth, truth, few), 0.95, on_bound=False) == Uncorrected("few_labels", 50)


@pytest.mark.parametrize("is_labelled", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_a_query_that_goes_wrong_lifts_neither_the_corrected_estimate_nor_its_bound(seed, is_labelled):
    """A label stays a label when its answer is lost: otherwise losing the bad ones would lift what people find."""
    generator = np.random.default_rng(seed)
    truth = generator.random(400) < 0.8
    said = np.where(generator.random(400) < 0.85, truth, ~truth)
    by_people = np.arange(400) < 120
    stands, sides = apart(truth, said, by_people)
    lost = generator.choice(np.flatnonzero(by_people == is_labelled))
    state = np.zeros(400, dtype=np.uint8)
    state[lost] = 1
    plain = stands.plain._replace(state=state)
    worst = stands.worst._replace(numerator=np.where(state == 1, 0.0, stands.worst.numerator))
    failing = stands._replace(plain=plain, worst=worst, best=worst, doubtful=state == 1)
    before = correct(stands, sides, 0.95, on_bound=True)
    after = correct(failing, sides, 0.95, on_bound=True)
    assert isinstance(before, Correction)
    assert isinstance(after, Correction)
    assert after.ends.worst.value <= before.ends.worst.value
    assert after.ends.worst.low <= before.ends.worst.low
