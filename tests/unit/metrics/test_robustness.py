"""Noise robustness on two scripted runs."""

import pytest
from scripted import ScriptedJudge

from ragassay.judges.judging import Bench, judge_cases
from ragassay.judges.together import finished
from ragassay.matrices import build, cases, with_judgements
from ragassay.metrics.evidence import gather
from ragassay.metrics.robustness import noise_robustness
from ragassay.records import Answer, DatasetCard, Query, Result

QUERIES = [Query(id=f"q{i}", question="?", answerable=True, required_claims=("It is 80.",)) for i in range(3)]


def evidence(answers):
    """A run in which an answer that says 80 is right and any other is wrong."""
    card = DatasetCard(k=(5,))
    recorded = [
        Answer(query=f"q{i}", answer=text, retrieved=(Result(passage="p", document="d", text="P."),))
        for i, text in enumerate(answers)
    ]
    matrices, _ = build(QUERIES[: len(answers)], recorded, None, card)
    judge = ScriptedJudge({("It is 80.", text): "supports" for text in answers if "80" in text})
    found = cases(QUERIES[: len(answers)], recorded, None, card)
    return gather(with_judgements(matrices, found, finished(judge_cases(Bench(judge), found))), "expected")


def test_only_answers_that_were_right_can_survive():
    clean = evidence(["It is 80.", "It is 80 mm.", "It is 70."])
    noisy = evidence(["It is 80.", "It is 60.", "It is 80."])
    found = noise_robustness(clean, noisy)
    assert found.numerator[found.defined].tolist() == [1.0, 0.0]
    assert found.absences[found.state[2] - 1] == "not_correct_without_noise"


def test_queries_of_one_run_only_are_named():
    found = noise_robustness(evidence(["It is 80.", "It is 80 mm."]), evidence(["It is 80."]))
    assert found.absences[found.state[1] - 1] == "not_in_both_runs"


def test_runs_without_a_shared_query_are_refused():
    clean = evidence(["It is 80."])
    other = clean._replace(matrices=clean.matrices._replace(queries=clean.matrices.queries.clear()))
    with pytest.raises(ValueError, match="share no query"):
        noise_robustness(clean, other)
