"""Judged metrics on worked cases: the numbers that a scripted judge makes certain."""

import polars as pl
import pytest
from cases import case
from scripted import ScriptedJudge

from ragassay.judges.judging import Bench, judge_cases
from ragassay.judges.together import finished
from ragassay.matrices import build, cases, with_judgements
from ragassay.metrics.aggregation import Measured, Sampling, estimates
from ragassay.metrics.critical import conditions
from ragassay.metrics.dictionary import find
from ragassay.metrics.evidence import gather
from ragassay.records import Answer, Citation, DatasetCard, Query, Requester, Result


def judged(query, answer, verdicts, read=None, *, joins=False):
    """Matrices of one query, judged by script."""
    judge = ScriptedJudge(verdicts, read)
    card = DatasetCard(k=(10,), disjoint_ids=True)
    matrices, _ = build([query], [answer], None, card)
    found = cases([query], [answer], None, card)
    results = finished(judge_cases(Bench(judge, joins=joins), found))
    return with_judgements(matrices, found, results), judge


def measure(matrices, metric):
    choice = find(metric)
    fractions = choice.metric.measure(gather(matrices, "expected"), choice)
    state = fractions.state[0]
    return fractions.absences[state - 1] if state else fractions.numerator[0] / fractions.denominator[0]


def passages(*texts):
    return tuple(Result(passage=f"p{number}", document=f"d{number}", text=text) for number, text in enumerate(texts, 1))


def test_context_precision_useful_at_two_and_five_of_five_is_045():
    texts = [f"Passage {number}." for number in range(1, 6)]
    query = Query(id="q", question="?", reference="The fact is so.")
    verdicts = {("The fact is so.", texts[1]): "supports", ("The fact is so.", texts[4]): "supports"}
    matrices, _ = judged(query, Answer(query="q", answer="It is so.", retrieved=passages(*texts)), verdicts)
    assert measure(matrices, "context_precision@5") == pytest.approx(0.45)
    assert measure(matrices, "useful_share@5") == pytest.approx(0.4)


def test_context_recall_of_two_of_three_reference_claims_is_two_thirds():
    query = Query(id="q", question="?", reference="One is one. Two is two. Three is three.")
    verdicts = {("One is one.", "P."): "supports", ("Two is two.", "P."): "supports"}
    matrices, _ = judged(query, Answer(query="q", answer="One is one.", retrieved=passages("P.")), verdicts)
    assert measure(matrices, "context_recall") == pytest.approx(2 / 3)


def test_four_of_six_claims_supported_is_grounded_at_two_thirds():
    claims = [f"Fact number {number} holds." for number in range(1, 7)]
    verdicts = {(claim, "P."): "supports" for claim in claims[:4]} | {(claims[4], "P."): "contradicts"}
    answer = Answer(query="q", answer=" ".join(claims), retrieved=passages("P."))
    matrices, _ = judged(Query(id="q", question="?"), answer, verdicts)
    assert measure(matrices, "grounded_claim_rate") == pytest.approx(4 / 6)
    assert measure(matrices, "contradicted_claim_rate") == pytest.approx(1 / 6)
    assert measure(matrices, "unverified_claim_rate") == pytest.approx(1 / 6)
    assert measure(matrices, "claim_precision") == "no_reference_claims"


def test_c25_the_share_of_useful_passages_and_their_order_are_two_numbers():
    given, expected = case("C25")
    for row, right in zip(given, expected, strict=True):
        texts = [f"Passage {number}." for number in range(len(row["relevance_by_rank"]))]
        verdicts = {("It is.", text): "supports" for text, v in zip(texts, row["relevance_by_rank"], strict=True) if v}
        query = Query(id="q", question="?", reference="It is.")
        matrices, _ = judged(query, Answer(query="q", answer="It is.", retrieved=passages(*texts)), verdicts)
        k = len(texts)
        assert measure(matrices, f"useful_share@{k}") == pytest.approx(right["share_relevant"])
        assert measure(matrices, f"context_precision@{k}") == pytest.approx(right["rank_aware"], abs=1e-6)


def test_c27_a_refusal_has_no_claims_and_is_right():
    given, expected = case("C27")
    query = Query(id="q", question=given["question"], answerable=given["gold_answerable"])
    answer = Answer(query="q", answer=given["answer"], retrieved=passages(*given["contexts"]))
    matrices, _ = judged(query, answer, {})
    assert measure(matrices, "grounded_claim_rate") == expected["faithfulness"]["reason"]
    assert measure(matrices, "correct_abstention") == expected["abstention_correct"]


def test_c32_an_empty_context_is_zero_and_an_unrecorded_one_is_undefined():
    given, expected = case("C32")
    for row, right in zip(given, expected, strict=True):
        texts = None if row["contexts"] is None else [text for text in row["contexts"] if text.strip()]
        answer = Answer(query="q", answer=row["answer"], retrieved=None if texts is None else passages(*texts))
        query = Query(id="q", question="?", reference="The warranty lasts 5 years.")
        matrices, judge = judged(query, answer, {})
        if texts is None:
            assert measure(matrices, "grounded_claim_rate") == "context_not_recorded"
        else:
            assert measure(matrices, "grounded_claim_rate") == right["faithfulness"]
            assert measure(matrices, "context_recall") == right["context_recall"]
            assert not any(asked[0] == "verify" and asked[2] == "" for asked in judge.shown)


def test_c34_not_mentioned_is_not_supported():
    given, expected = case("C34")
    words = {"supported": "supports", "not_mentioned": "neutral", "contradicted": "contradicts"}
    verdicts = {(claim, "P."): words[said] for claim, said in zip(given["claims"], given["verdicts"], strict=True)}
    answer = Answer(query="q", answer="All three.", retrieved=passages("P."))
    matrices, _ = judged(Query(id="q", question="?"), answer, verdicts, {"All three.": given["claims"]})
    assert measure(matrices, "grounded_claim_rate") == pytest.approx(expected["faithfulness"], abs=1e-6)
    assert measure(matrices, "unverified_claim_rate") == pytest.approx(expected["not_mentioned_rate"], abs=1e-6)
    assert measure(matrices, "contradicted_claim_rate") == pytest.approx(expected["contradiction_rate"], abs=1e-6)


def test_c35_a_forgotten_verdict_is_an_error_with_honest_ends():
    given, expected = case("C35")
    claims = given["claims"]
    verdicts = {(claims[0], "P."): "supports"} | {(claim, "P."): "error:verdicts_incomplete" for claim in claims[1:]}
    answer = Answer(query="q", answer="Five.", retrieved=passages("P."))
    matrices, _ = judged(Query(id="q", question="?"), answer, verdicts, {"Five.": claims})
    assert measure(matrices, "grounded_claim_rate") == "error:support_failed"
    assert matrices.support["error"].drop_nulls().unique().to_list() == [expected["code"]]


def test_c61_a_superseded_passage_is_context_and_the_answer_wrong():
    given, expected = case("C61")
    texts = [each["text"] for each in given["contexts"]]
    verdicts = {(given["answer"], texts[0]): "supports", (given["answer"], texts[1]): "contradicts"}
    query = Query(id="q", question="What is the limit?", reference="The limit is 250.")
    matrices, _ = judged(query, Answer(query="q", answer=given["answer"], retrieved=passages(*texts)), verdicts)
    assert measure(matrices, "grounded_claim_rate") == expected["faithfulness"]
    assert measure(matrices, "claim_f1") == expected["answer_correctness"]


def test_c89_every_text_goes_where_it_belongs():
    given, expected = case("C89")
    query = Query(id="q", question=given["question"], reference=given["gold"])
    answer = Answer(query="q", answer=given["answer"], retrieved=passages(*given["retrieved"]))
    read = {given["answer"]: [given["answer"]], given["gold"]: [given["gold"]]}
    _, judge = judged(query, answer, {}, read)
    asked = {frozenset(each[1:]) for each in judge.shown if each[0] == "verify"}
    for metric in ("faithfulness", "context_recall", "answer_correctness"):
        assert frozenset(expected[metric]) in asked
    assert all(given["gold_contexts"][0] not in each for each in asked)


def test_c62_what_was_said_before_is_never_evidence_and_what_was_retrieved_is():
    given, expected = case("C62")
    turns = given["turns"]
    earlier = tuple({"question": turn["q"], "answer": turn["a"], "contexts": turn["ctx"]} for turn in turns)
    verdicts = {(turns[1]["a"], turns[1]["a"]): "supports", (turns[2]["a"], turns[0]["ctx"][0]): "supports"}

    def turn(number, texts):
        answer = Answer(query="q", answer=turns[number]["a"], retrieved=passages(*texts), history=earlier[:number])
        read = {turns[number]["a"]: [turns[number]["a"]]}
        return judged(Query(id="q", question=turns[number]["q"]), answer, verdicts, read)

    second, judge = turn(1, turns[1]["ctx"])
    assert measure(second, "grounded_claim_rate") == expected["turn2"]["faithfulness"]
    assert all(turns[0]["a"] not in text for _, *asked in judge.shown for text in asked)
    third, _ = turn(2, turns[0]["ctx"])
    assert measure(third, "grounded_claim_rate") == expected["turn3"]["faithfulness"]


def test_two_passages_may_support_together_what_neither_does_alone():
    claim = "Both are true."
    verdicts = {(claim, "First half.\n\nSecond half."): "supports"}
    answer = Answer(query="q", answer=claim, retrieved=passages("First half.", "Second half.", "Noise."))
    matrices, _ = judged(Query(id="q", question="?"), answer, verdicts, joins=True)
    assert measure(matrices, "grounded_claim_rate") == 0
    verdicts |= {(claim, "First half."): "neutral"}
    by_text = sorted(["First half.", "Second half.", "Noise."])[:2]
    joined = "\n\n".join(text for text in ("First half.", "Second half.", "Noise.") if text in by_text)
    matrices, _ = judged(Query(id="q", question="?"), answer, {(claim, joined): "supports"}, joins=True)
    assert measure(matrices, "grounded_claim_rate") == 1
    joint = matrices.support.drop_nulls("second").row(0, named=True)
    assert (joint["position"], joint["second"]) == (1, 3)


def test_citations_are_judged_claim_by_claim():
    answer = Answer(
        query="q",
        answer="Alpha is one [1]. Beta is two [2]. Gamma is three [1].",
        retrieved=passages("Alpha is one.", "Alpha is one again."),
        citations=(Citation(marker="[1]", passage="p1"), Citation(marker="[2]", passage="p2")),
    )
    verdicts = {
        ("Alpha is one.", "Alpha is one."): "supports",
        ("Beta is two.", "Alpha is one."): "supports",
        ("Gamma is three.", "Alpha is one."): "contradicts",
    }
    matrices, _ = judged(Query(id="q", question="?"), answer, verdicts)
    assert measure(matrices, "citation_precision") == pytest.approx(1 / 3)
    assert measure(matrices, "citation_recall") == pytest.approx(1 / 3)
    faults = {row["text"]: row for row in matrices.citations.iter_rows(named=True)}
    assert faults["Beta is two."]["wrong_source"]
    assert faults["Gamma is three."]["contradicting"]


def test_the_aggregate_is_there_once_links_are_judged():
    answer = Answer(query="q", answer="Alpha is one [1].", retrieved=passages("Alpha is one."))
    query, verdicts = Query(id="q", question="?"), {("Alpha is one.", "Alpha is one."): "supports"}
    unjudged, _ = build([query], [answer], None, DatasetCard(k=(10,), disjoint_ids=True))
    choice, values = find("citation_precision"), []
    for matrices in (unjudged, judged(query, answer, verdicts)[0]):
        measured = Measured(choice, choice.metric.measure(gather(matrices, "expected"), choice))
        values.append(estimates([measured], [True], [None], Sampling(1, 50, 0.95))["citation_precision"].value)
    assert values == [None, 1.0]


def test_one_case_that_could_not_be_judged_has_no_citation_precision_and_the_others_have():
    verdicts = {("Alpha is one.", "Alpha is one."): "supports"}
    queries = [Query(id=name, question="?") for name in ("q1", "q2")]
    texts = ("Alpha is one [1].", "Beta is two [1]. Uncited.")
    answers = [
        Answer(query=query.id, answer=text, retrieved=passages("Alpha is one."))
        for query, text in zip(queries, texts, strict=True)
    ]
    card = DatasetCard(k=(10,), disjoint_ids=True)
    matrices, _ = build(queries, answers, None, card)
    found = cases(queries, answers, None, card)
    judge = ScriptedJudge(verdicts, {found[1].answer: "error:judge_timeout"})
    matrices = with_judgements(matrices, found, finished(judge_cases(Bench(judge), found)))
    for name in ("citation_precision", "citation_recall", "citation_faults(fault=unrelated)"):
        choice = find(name)
        measured = Measured(choice, choice.metric.measure(gather(matrices, "expected"), choice))
        estimate = estimates([measured], [True, True], [None, None], Sampling(1, 50, 0.95))[name]
        assert (estimate.value, estimate.n, estimate.errored, estimate.undefined) == (name[-1] != ")", 1, 1, {})
    assert matrices.citations.filter("missing")["error"].null_count() == 1


def test_a_fact_of_a_query_that_errored_is_in_no_third_and_that_is_an_error():
    query = Query(id="q", question="?", reference="One is one. Two is two.")
    answer = Answer(query="q", answer="One is one. Two is two.", retrieved=passages("A.", "B.", "C."))
    whole = "One is one. Two is two."
    sure = {("One is one.", "A."): "supports", ("One is one.", whole): "supports"}
    third = "position_effect(third={})".format
    matrices, _ = judged(query, answer, sure)
    assert [measure(matrices, third(name)) for name in ("first", "last")] == [1, "no_fact_there"]
    assert measure(matrices, "context_utilization") == 1
    for lost in (("Two is two.", "C."), ("One is one.", "B.")):
        matrices, _ = judged(query, answer, sure | {lost: "error:judge_timeout"})
        assert {measure(matrices, third(name)) for name in ("first", "middle", "last")} == {"error:support_failed"}
    matrices, _ = judged(query, answer, sure | {("One is one.", whole): "error:judge_timeout"})
    assert [measure(matrices, third(name)) for name in ("first", "last")] == [
        "error:entailment_failed",
        "no_fact_there",
    ]
    assert measure(matrices, "context_utilization") == "error:entailment_failed"


def test_what_could_not_be_judged_is_not_missing_from_the_context():
    query = Query(id="q", question="?", reference="One is one.")
    answer = Answer(query="q", answer="One is one.", retrieved=passages("A."))
    matrices, _ = judged(query, answer, {("One is one.", "A."): "error:judge_timeout"})
    assert measure(matrices, "context_utilization") == "error:support_failed"
    matrices, _ = judged(query, answer, {})
    assert measure(matrices, "context_utilization") == "nothing_in_context"


def test_a_critical_refusal_that_invents_is_wrong_and_one_that_nobody_judged_is_undecided():
    query = Query(id="q", question="?", critical=True, answerable=False, requester=Requester())
    answer = Answer(query="q", answer="I cannot tell from the documents.", retrieved=passages("A."))
    plain, _ = build([query], [answer], None, DatasetCard(k=(10,), disjoint_ids=True))
    found = {}
    for invented in (0, 1, None):
        abstention = plain.abstention.with_columns(pl.lit(invented, pl.Int32).alias("invented"))
        evidence = gather(plain._replace(abstention=abstention), "expected")
        (correct,) = (each for each in conditions(evidence) if each.name == "correct")
        found[invented] = (bool(correct.failed[0]), bool(correct.undecided[0]))
    assert plain.abstention["observed"].to_list() == ["refused"]
    assert found == {0: (False, False), 1: (True, False), None: (False, True)}


def test_c28_a_polite_refusal_of_an_answerable_question_lowers_what_a_gate_can_see():
    given, expected = case("C28")
    query = Query(
        id="q", question=given["question"], answerable=given["gold_answerable"], reference="The tariff is Blue."
    )
    answer = Answer(query="q", answer=given["answer"], retrieved=passages(*given["contexts"]))
    matrices, _ = judged(query, answer, {})
    assert matrices.abstention["observed"][0] == "refused"
    assert measure(matrices, "false_refusal_rate") == 1 - expected["abstention_correct"]
    assert measure(matrices, "claim_f1") == expected["answer_correctness"]
    assert measure(matrices, "grounded_claim_rate") == "no_claims"
    assert measure(matrices, "answer_relevancy(method=direct)") == "not_answered"
