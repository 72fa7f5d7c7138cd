"""One query for each row of the decision list, with what its cause names."""

from datetime import date

import pytest
from scripted import ScriptedJudge

from ragassay.causes import KINDS, failures
from ragassay.judges.judging import Bench, judge_cases
from ragassay.judges.together import finished
from ragassay.matrices import build, cases, with_judgements
from ragassay.metrics.evidence import gather
from ragassay.records import (
    Answer,
    Citation,
    DatasetCard,
    Document,
    Exclusion,
    Query,
    Relevance,
    Requester,
    Result,
)

FACT, OTHER, NOISE = "The limit is 80 N·m.", "Wear gloves.", "The limit is 70 N·m."
REFUSAL = "I could not find this in the documents I have."
CARD = DatasetCard(as_of=date(2026, 10, 1), k=(3,), disjoint_ids=True)


def query(name="q1", **rest):
    known = {"relevant": (Relevance(document="d1"),), "answerable": True, "reference": FACT}
    return Query(id=name, question="What is the limit?", **(known | rest))


def found(*passages):
    return tuple(
        Result(passage=f"{each}#1", document=each, text=f"{each} says nothing.") if isinstance(each, str) else each
        for each in passages
    )


def passage(document, text, **rest):
    return Result(passage=f"{document}#1", document=document, text=text, **rest)


def causes(asked, answer, *, verdicts=None, documents=None, card=CARD):
    """Name → detail of every cause, in order; judged where verdicts are given."""
    matrices, _ = build([asked], [answer], documents, card)
    if verdicts is not None:
        seen = cases([asked], [answer], documents, card)
        matrices = with_judgements(matrices, seen, finished(judge_cases(Bench(ScriptedJudge(verdicts)), seen)))
    failed = failures(gather(matrices, "expected"), max(card.k))
    return {cause.name: cause.detail for each in failed for cause in (each.cause, *each.others)}


def held(text, *, in_passage=True):
    """Verdicts of a judge that reads word by word: the passage holds the fact, the answer states it or not."""
    return {(FACT, FACT): "supports"} | ({(FACT, text): "supports"} if in_passage else {})


def test_a_right_answer_has_no_cause():
    answer = Answer(query="q1", answer=FACT, retrieved=(passage("d1", FACT),))
    assert causes(query(), answer, verdicts=held(FACT)) == {}


def test_gold_that_the_corpus_does_not_hold_is_a_fault_of_the_dataset():
    documents = [Document(document="d2")]
    answer = Answer(query="q1", answer=REFUSAL, retrieved=found("d2"))
    assert causes(query(), answer, documents=documents) == {
        "label_invalid": "d1 is not in this corpus",
        "false_refusal": None,
    }


@pytest.mark.parametrize(
    ("document", "detail"),
    [
        (Document(document="d1", readers=("office",)), "d1 may not be read by who asks"),
        (Document(document="d1", status="withdrawn"), "d1 is not in force"),
    ],
)
def test_gold_that_may_not_be_used_is_a_fault_of_the_dataset(document, detail):
    asked = query(requester=Requester(("assembly",)))
    assert causes(asked, Answer(query="q1", retrieved=()), documents=[document]) == {"label_invalid": detail}


def test_an_answer_where_a_refusal_is_due_is_not_booked_on_retrieval():
    asked = query(answerable=False, relevant=(), reference=None)
    assert causes(asked, Answer(query="q1", answer=FACT, retrieved=())) == {"unsupported_answer": "answered"}
    assert causes(asked, Answer(query="q1", answer=REFUSAL, retrieved=())) == {}


def test_a_source_that_was_not_found_names_it():
    answer = Answer(query="q1", retrieved=found("d2", "d3"))
    assert causes(query(), answer) == {"not_retrieved": "d1, which no query of this run found: is it indexed?"}


def test_a_source_below_the_cut_shows_its_rank():
    answer = Answer(query="q1", retrieved=found("d2", "d3", "d4", "d5", "d1"))
    assert causes(query(), answer) == {"ranked_low": "d1 at rank 5 of the results"}


def test_a_source_that_a_reranker_left_out_shows_its_place_among_the_candidates():
    answer = Answer(query="q1", candidates=found("d2", "d1"), retrieved=found("d2"))
    assert causes(query(), answer) == {"ranked_low": "d1 at rank 2 of the candidates"}


def test_scores_without_an_order_rank_by_the_better_ones():
    results = [
        Result(passage=f"{each}#1", document=each, score=score)
        for each, score in [("d1", 0.1), ("d2", 0.9), ("d3", 0.9)]
    ]
    answer = Answer(query="q1", candidates=tuple(results), retrieved=tuple(results[1:]), ordered=False)
    assert causes(query(), answer) == {"ranked_low": "d1 at rank 3 of the candidates"}


@pytest.mark.parametrize("packed", [("d2#1",), ()])
def test_a_source_that_did_not_enter_the_prompt_was_dropped(packed):
    answer = Answer(query="q1", retrieved=found("d1", "d2"), packed=packed)
    assert causes(query(), answer) == {"dropped_from_prompt": "d1 at rank 1 of the results"}


def test_a_superseded_copy_is_not_the_source():
    documents = [Document(document="d1", revision="A", status="superseded"), Document(document="d1", revision="B")]
    answer = Answer(query="q1", retrieved=(Result(passage="d1@A#1", document="d1", revision="A"),))
    told = causes(query(), answer, documents=documents)
    assert told["not_retrieved"] == "d1: only a revision or copy that may not be used was found"
    assert told["superseded_used"] == "d1@A#1 rev A"


def test_one_of_two_needs_is_enough_while_nobody_judged_the_answer():
    asked = query(relevant=(Relevance(document="d1"), Relevance(document="d9")))
    assert causes(asked, Answer(query="q1", retrieved=found("d1"))) == {}
    refused = causes(asked, Answer(query="q1", answer=REFUSAL, retrieved=found("d1")))
    assert list(refused) == ["not_retrieved", "false_refusal"]


def test_gold_passages_without_the_fact_were_split():
    asked = query(relevant=(Relevance(document="d1", passage="d1#1"),))
    answer = Answer(query="q1", answer=OTHER, retrieved=(passage("d1", "The limit is"),))
    told = causes(asked, answer, verdicts={(OTHER, "The limit is"): "supports"})
    assert told == {"split_by_chunking": f"d1#1 is in the context; none holds: {FACT}"}


def test_another_passage_of_the_right_document_was_not_found():
    answer = Answer(query="q1", answer=OTHER, retrieved=(passage("d1", OTHER),))
    told = causes(query(), answer, verdicts={(OTHER, OTHER): "supports"})
    assert told == {"not_retrieved": f"d1 is in the context, but no passage holds: {FACT}"}


def test_without_gold_what_no_passage_holds_was_not_retrieved_if_all_were_judged():
    asked = query(relevant=None)
    answer = Answer(query="q1", answer=OTHER, retrieved=(passage("d1", OTHER),))
    assert causes(asked, answer, verdicts={(OTHER, OTHER): "supports"}) == {
        "not_retrieved": f"no passage holds: {FACT}"
    }
    wide = Answer(query="q1", answer=OTHER, retrieved=(passage("d1", OTHER), passage("d2", "")), packed=("d1#1",))
    assert causes(asked, wide, verdicts={(OTHER, OTHER): "supports"}) == {
        "undecided": "no gold says which source is needed"
    }


def test_a_failed_system_is_no_failed_search():
    assert causes(query(), Answer(query="q1", error="timeout")) == {"no_answer": "timeout"}
    late = Answer(query="q1", error="timeout", retrieved=found("d2"))
    assert list(causes(query(), late)) == ["not_retrieved", "no_answer"]


def test_a_refusal_with_the_fact_in_the_prompt_is_false():
    answer = Answer(query="q1", answer=REFUSAL, retrieved=(passage("d1", FACT),))
    assert causes(query(), answer, verdicts=held(FACT)) == {"false_refusal": None}


def test_a_fact_in_the_prompt_that_the_answer_leaves_out():
    asked = query(required_claims=(FACT, OTHER))
    answer = Answer(query="q1", answer=FACT, retrieved=(passage("d1", f"{FACT} {OTHER}"),))
    told = causes(
        asked,
        answer,
        verdicts=held(f"{FACT} {OTHER}") | {(OTHER, f"{FACT} {OTHER}"): "supports"},
    )
    assert told == {"incomplete": f"d1#1: {OTHER}"}


def test_the_opposite_from_another_passage_names_it():
    answer = Answer(query="q1", answer=NOISE, retrieved=(passage("d1", FACT), passage("d2", NOISE)))
    verdicts = {
        (FACT, FACT): "supports",
        (NOISE, NOISE): "supports",
        (NOISE, FACT): "contradicts",
        (FACT, NOISE): "contradicts",
    }
    assert causes(query(), answer, verdicts=verdicts) == {"misled_by_noise": f"d2#1: {NOISE}"}


def test_what_no_passage_holds_is_hallucinated_and_says_who_disagrees():
    answer = Answer(query="q1", answer=f"{FACT} {OTHER}", retrieved=(passage("d1", FACT),))
    verdicts = held(FACT) | {(FACT, f"{FACT} {OTHER}"): "supports", (OTHER, FACT): "contradicts"}
    told = causes(query(required_claims=(FACT,)), answer, verdicts=verdicts)
    assert told["hallucinated"] == f"d1#1 says otherwise: {OTHER}"


def test_what_follows_from_the_one_fact_and_says_less_is_too_general():
    answer = Answer(query="q1", answer="There is a limit.", retrieved=(passage("d1", FACT),))
    verdicts = {("There is a limit.", FACT): "supports", (FACT, FACT): "supports"}
    assert causes(query(), answer, verdicts=verdicts) == {"wrong_specificity": f"d1#1: {FACT}"}


def test_among_several_facts_what_the_answer_says_may_be_another_one():
    asked = query(reference=f"{FACT} {OTHER}", required_claims=(FACT,))
    answer = Answer(query="q1", answer=OTHER, retrieved=(passage("d1", FACT), passage("d2", OTHER)))
    verdicts = {(FACT, FACT): "supports", (OTHER, OTHER): "supports", (OTHER, f"{FACT} {OTHER}"): "supports"}
    assert causes(asked, answer, verdicts=verdicts) == {"incomplete": f"d1#1: {FACT}"}


def test_citation_faults_do_not_hang_on_the_truth_of_the_answer():
    answer = Answer(
        query="q1",
        answer=f"{FACT.rstrip('.')} [1].",
        retrieved=(passage("d1", FACT),),
        citations=(Citation(marker="[1]", passage="d7#1"),),
    )
    assert causes(query(), answer)["citation_dangling"] == "[1] d7#1"


def test_a_failed_judgement_decides_nothing():
    both = f"{FACT} {OTHER}"
    answer = Answer(query="q1", answer=OTHER, retrieved=(passage("d1", both),))
    verdicts = {(FACT, both): "supports", (OTHER, both): "supports", (FACT, OTHER): "error:judge_failed"}
    assert causes(query(), answer, verdicts=verdicts) == {}
    silent = Answer(query="q1", answer=REFUSAL, retrieved=(passage("d1", FACT),))
    assert causes(query(), silent, verdicts={(FACT, FACT): "error:judge_failed"}) == {"false_refusal": None}


def test_a_wrong_answer_without_a_recorded_context_is_not_guessed_at():
    answer = Answer(query="q1", answer=OTHER)
    assert causes(query(), answer, verdicts={}) == {"undecided": "what was retrieved is not recorded"}


def test_an_excluded_query_has_no_cause():
    card = DatasetCard(k=(3,), disjoint_ids=True, exclusions=(Exclusion(reason="gone", query="q1"),))
    assert causes(query(), Answer(query="q1", error="timeout"), card=card) == {}


def test_the_worst_queries_come_first():
    asked = [
        query("q1"),
        query("q2", severity="low"),
        query("q3", severity="high"),
        query("q4", critical=True),
    ]
    matrices, _ = build(asked, [], None, CARD)
    assert [each.query for each in failures(gather(matrices, "expected"), 3)] == ["q4", "q3", "q2", "q1"]


def test_several_of_one_kind_are_counted():
    answer = Answer(query="q1", retrieved=found("d8"))
    asked = query(relevant=(Relevance(document="d1"), Relevance(document="d2"), Relevance(document="d3")))
    matrices, _ = build([asked, query("q2")], [answer], None, CARD)
    cause = next(each.cause for each in failures(gather(matrices, "expected"), 3) if each.query == "q1")
    assert cause.detail == "d1, which no query of this run found: is it indexed? (and 2 more)"
    assert (cause.stage, cause.group) == KINDS["not_retrieved"][:2]
