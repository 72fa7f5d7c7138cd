"""The stages of one request: what proceeds, what stops, and what the user is told."""

import asyncio
from typing import Any

import pytest
from contracting import (
    ANSWER,
    DOCUMENTS,
    GOOD,
    OLD,
    QUESTION,
    REQUESTER,
    SECRET,
    TODAY,
    Raising,
    Said,
    contract,
    passage,
)
from msgspec.structs import replace

from ragassay.contract import Contract, Request
from ragassay.records import (
    Citation,
    Document,
    ExpandTerms,
    FaultyInput,
    FilterTerms,
    GradeTerms,
    SearchTerms,
    Terms,
    VerifyTerms,
)
from ragassay.text.refusals import observed

TERMS = Terms(name="test")


def opened(judge: Said | None = None, terms: Terms = TERMS, question: str = QUESTION) -> Request:
    return contract(judge, terms).request(question, requester=REQUESTER, scope={"product": "K-7"}, as_of=TODAY, id="q1")


def written(request: Request, answer: str = ANSWER, citations: list[Citation] | None = None) -> Any:
    assert request.search([GOOD]).proceeds
    assert request.grade().proceeds
    return request.verify(answer, citations)


def test_a_good_request_proceeds_and_is_repaired():
    request = opened()
    decision = written(request)
    assert (decision.outcome, decision.reason) == ("proceed", "repaired")
    assert request.reply.text == "The M12 bolts take 80 Nm [1]."
    assert request.reply.citations == (Citation(marker="[1]", passage="TI-204@C#1", document="TI-204", revision="C"),)
    assert [each.stage for each in request.trail.decisions] == ["search", "grade", "verify"]
    assert request.trail.outcome == "proceed"
    assert decision.numbers[0].value == 0.5


def test_what_is_not_admissible_never_reaches_the_prompt():
    request = opened()
    assert request.filter().proceeds
    assert request.admissible.revisions == (("TI-204", "C"), ("GL-1", "1"))
    decision = request.search([SECRET, OLD, GOOD, passage("XX-9@1#1")])
    assert request.passages == (GOOD,)
    assert {each.reason: each.ids for each in decision.removed} == {
        "forbidden": ("HR-1@1#1",),
        "not_in_force": ("TI-204@B#1",),
        "unknown_document": ("XX-9@1#1",),
    }


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        ([], "nothing_found"),
        ([passage("TI-204@C#1", 0.69)], "nothing_suitable"),
        ([passage("TI-204@C#1", None)], "nothing_suitable"),
        ([passage("TI-204@C#1", float("nan"))], "nothing_suitable"),
        ([SECRET], "nothing_admissible"),
    ],
)
def test_search_that_brings_nothing_suitable_stops(results: list[Any], reason: str):
    judge = Said()
    request = opened(judge)
    stop = request.search(results)
    assert (stop.outcome, stop.reason) == ("abstain", reason)
    assert request.grade() is stop
    assert request.verify("The secret is out.") is stop
    assert asyncio.run(request.agrade()) is stop
    assert asyncio.run(request.averify("x")) is stop
    assert request.trail.decisions == (stop,)
    assert judge.asked == []
    assert observed(request.reply.text).kind == "refused"


def test_the_user_cannot_tell_a_forbidden_document_from_none():
    told = {opened().search(results).message for results in ([], [SECRET], [SECRET, OLD])}
    assert len(told) == 1
    assert "Secret" not in told.pop()


@pytest.mark.parametrize(
    ("judge", "reason"),
    [(Said(sufficiency=0.79), "insufficient_context"), (Said(relevance=0.69), "irrelevant_context")],
)
def test_a_poor_context_leads_to_a_question_back(judge: Said, reason: str):
    request = opened(judge, question="How long is the K-9 shaft?")
    request.search([GOOD])
    decision = request.grade()
    assert (decision.outcome, decision.reason) == ("clarify", reason)
    assert "K-9" in (decision.message or "")
    assert "Assembly of the K-7 gearbox" in (decision.message or "")
    assert observed(decision.message or "").kind == "clarified"


def test_the_question_back_is_in_the_language_of_the_question():
    request = opened(Said(sufficiency=0.1), question="Какова длина вала K-9?")
    request.search([GOOD, SECRET])
    message = request.grade().message or ""
    assert message.startswith("Вы имеете в виду именно K-9")
    assert "Secret" not in message
    assert observed(message).kind == "clarified"


@pytest.mark.parametrize(("when", "outcome"), [("open", "proceed"), ("closed", "block")])
def test_a_judge_that_fails_opens_or_closes_as_declared(when: Any, outcome: str):
    terms = replace(TERMS, grade=GradeTerms(when_judge_fails=when), verify=VerifyTerms(when_judge_fails=when))
    request = opened(Raising(ValueError("the key is sk-123")), terms)
    request.search([GOOD])
    decision = request.grade()
    assert (decision.outcome, decision.reason, decision.failed) == (outcome, "judge_failed", when)
    assert decision.error == "raised: ValueError"
    if when == "open":
        verdict = request.verify(ANSWER)
        assert (verdict.outcome, verdict.failed) == ("proceed", "open")
        assert request.reply.text == ANSWER


def test_stages_out_of_order_block():
    request = opened()
    assert request.grade().reason == "out_of_order"
    other = opened()
    other.search([GOOD])
    assert other.verify("x").reason == "out_of_order"
    again = opened()
    again.search([GOOD])
    again.grade()
    again.search([GOOD])
    assert again.verify("x").reason == "out_of_order"


def test_what_breaks_inside_of_a_stage_blocks_and_raises_nothing():
    request = opened()
    decision = request.search(object())  # pyright: ignore[reportArgumentType]
    assert (decision.outcome, decision.reason, decision.error) == ("block", "internal_error", "TypeError")
    assert observed(decision.message or "").kind == "refused"


@pytest.mark.parametrize(
    ("action", "outcome", "text"),
    [
        ("refuse", "block", ""),
        ("repair", "proceed", "The M12 bolts take 80 Nm [1]."),
        (
            "mark",
            "proceed",
            "The M12 bolts take 80 Nm [1]. The bolts are blue. [not confirmed by the documents]",
        ),
    ],
)
def test_unsupported_claims_are_refused_repaired_or_marked(action: Any, outcome: str, text: str):
    request = opened(terms=replace(TERMS, verify=VerifyTerms(unsupported=action)))
    assert written(request).outcome == outcome
    assert (request.answer or "") == text


def test_a_contradicted_claim_withholds_the_answer():
    request = opened(Said(denied="blue"))
    decision = written(request)
    assert (decision.outcome, decision.reason) == ("block", "contradicted")
    assert request.reply.citations == ()
    assert observed(request.reply.text).kind in ("refused", "partial")


def test_an_answer_of_which_nothing_is_left_is_withheld():
    decision = written(opened(), "The bolts are blue.")
    assert (decision.outcome, decision.reason) == ("block", "unsupported")


@pytest.mark.parametrize(
    ("answer", "citations", "text", "sources"),
    [
        ("Take 80 Nm now [1][7].", None, "Take 80 Nm now [1].", ["TI-204@C#1"]),
        ("Take 80 Nm now [1, 7].", None, "Take 80 Nm now [1].", ["TI-204@C#1"]),
        ("Take 80 Nm now [7].", None, "Take 80 Nm now.", []),
        ("Take 80 Nm now.", [Citation(document="TI-204")], "Take 80 Nm now.", ["TI-204@C#1"]),
        ("Take 80 Nm now.", [Citation(document="Made-up")], "Take 80 Nm now.", []),
        ("Take 80 Nm now [2].", [Citation(marker="[2]", passage="TI-204@C#1")], "Take 80 Nm now [2].", ["TI-204@C#1"]),
        ("Take 80 Nm now [1].", [Citation(marker="[1]", passage="HR-1@1#1")], "Take 80 Nm now.", []),
    ],
)
def test_citations_come_from_the_retrieval_alone(
    answer: str, citations: list[Citation] | None, text: str, sources: list[str]
):
    request = opened()
    assert written(request, answer, citations).proceeds
    assert request.answer == text
    assert [each.passage for each in request.citations] == sources


def test_a_refusal_by_the_model_passes():
    request = opened()
    decision = written(request, "I could not find this in the documents.")
    assert (decision.outcome, decision.reason) == ("proceed", "no_claims")


@pytest.mark.parametrize(("answer", "reason"), [(" \n", "empty_answer"), ("Long. " * 50_000, "answer_too_long")])
def test_an_answer_that_cannot_be_checked_is_withheld(answer: str, reason: str):
    assert written(opened(), answer).reason == reason


def test_a_rewritten_question_travels_beside_the_original():
    judge = Said()
    request = opened(judge, question="And the M12 ones?")
    assert request.rewrite("What torque do the M12 bolts of the K-7 take?").reason == "rewritten"
    assert request.queries == ("And the M12 ones?", "What torque do the M12 bolts of the K-7 take?")
    request.search([GOOD])
    request.grade()
    assert judge.asked[0][1] == "What torque do the M12 bolts of the K-7 take?"


@pytest.mark.parametrize("rewritten", ["What torque do the M14 bolts take?", " ", "M12 " * 2000])
def test_a_rewriting_that_loses_something_is_not_taken(rewritten: str):
    request = opened(question="And the M12 ones?")
    assert request.rewrite(rewritten).reason.startswith("rewriting_")
    assert request.queries == ("And the M12 ones?",)


def test_synonyms_come_from_the_dictionary_alone():
    terms = replace(TERMS, expand=ExpandTerms(synonyms={"Bolts": ("screws",), "K-7 housing": ("case",)}))
    request = opened(terms=terms)
    assert request.expand().reason == "expanded"
    assert request.queries == (QUESTION, f"{QUESTION} screws case")
    assert opened().expand().reason == "nothing_to_expand"


def test_nothing_admissible_stops_before_the_search():
    only = Contract(TERMS, DOCUMENTS[2:3])
    decision = only.request(QUESTION, requester=REQUESTER).filter()
    assert (decision.outcome, decision.reason) == ("abstain", "nothing_admissible")


def test_who_is_not_named_reads_what_everyone_may_read():
    request = contract().request(QUESTION)
    assert request.admissible.revisions == (("GL-1", "1"),)


def test_a_passage_without_revision_needs_every_revision():
    request = opened()
    request.search([replace(GOOD, revision=None)])
    assert request.trail.decisions[0].removed[0].reason == "unknown_revision"


@pytest.mark.parametrize(("strictness", "count"), [("strict", 0), ("known", 1), ("off", 1)])
def test_what_nobody_knows_is_admitted_as_declared(strictness: Any, count: int):
    terms = replace(TERMS, filter=FilterTerms(access=strictness, revision="known", scope="known"))
    silent = Contract(terms, [Document(document="A")])
    assert len(silent.request(QUESTION, requester=REQUESTER).admissible.revisions) == count


def test_a_distance_is_better_the_smaller():
    terms = replace(TERMS, search=SearchTerms(thresholds={"distance": 0.3}))
    request = opened(terms=terms)
    near, far = passage("TI-204@C#1", 0.3), passage("TI-204@C#2", 0.31)
    assert request.search([far, near]).numbers[0].at_most == 0.3
    assert request.passages == (near,)


@pytest.mark.parametrize(
    ("terms", "documents", "kind", "codes"),
    [
        (TERMS, DOCUMENTS, "rerank", ["no_threshold"]),
        (TERMS, DOCUMENTS, "unknown", ["no_threshold"]),
        (TERMS, None, "bm25", ["no_documents", "no_threshold"]),
        (
            replace(TERMS, search=SearchTerms(thresholds={"bm25": 4.0, "rerank": 0.5})),
            DOCUMENTS,
            None,
            ["no_threshold"],
        ),
    ],
)
def test_what_a_contract_lacks_is_told_at_the_start(terms: Terms, documents: Any, kind: Any, codes: list[str]):
    with pytest.raises(FaultyInput) as raised:
        Contract(terms, documents, score_kind=kind)
    assert [fault.code for fault in raised.value.faults] == codes


def test_an_unknown_judge_is_told_at_the_start():
    with pytest.raises(FaultyInput, match="there is no judge of this name"):
        Contract(TERMS, DOCUMENTS, judges="gpt")


def test_another_corpus_holds_for_requests_that_come():
    guarded = contract()
    before = guarded.request(QUESTION, requester=REQUESTER, as_of=TODAY)
    guarded.renew(DOCUMENTS[3:])
    after = guarded.request(QUESTION, requester=REQUESTER, as_of=TODAY)
    assert before.admissible.allows("TI-204", "C")
    assert not after.admissible.allows("TI-204", "C")


def test_a_guarded_pipeline_writes_only_from_what_was_graded():
    seen: list[Any] = []

    def generate(request: Request) -> str:
        seen.append(request.passages)
        return ANSWER

    guarded = contract().guard(search=lambda _: [SECRET, GOOD], generate=generate)
    reply = guarded(QUESTION, requester=REQUESTER, as_of=TODAY)
    assert (reply.outcome, reply.text) == ("proceed", "The M12 bolts take 80 Nm [1].")
    assert seen == [(GOOD,)]
    poor = contract(Said(sufficiency=0.1)).guard(search=lambda _: [GOOD], generate=generate)
    assert poor(QUESTION, requester=REQUESTER, as_of=TODAY).outcome == "clarify"
    assert len(seen) == 1


def test_a_guarded_pipeline_of_coroutines_decides_the_same():
    async def search(_: Request) -> list[Any]:
        return [SECRET, GOOD]

    async def generate(_: Request) -> tuple[str, None]:
        return ANSWER, None

    guarded = contract().aguard(search=search, generate=generate)
    reply = asyncio.run(guarded(QUESTION, requester=REQUESTER, as_of=TODAY))
    assert (reply.outcome, reply.text) == ("proceed", "The M12 bolts take 80 Nm [1].")
    stopped = asyncio.run(guarded(QUESTION))
    assert stopped.outcome == "abstain"


def test_a_passage_is_graded_under_the_title_of_its_document():
    judge = Said()
    made = contract(judge)
    with made.request(QUESTION, requester=REQUESTER, as_of=TODAY) as request:
        request.search([GOOD])
        request.grade()
    (_, _, texts), *_ = judge.asked
    assert texts == (f"Assembly of the K-7 gearbox\n{GOOD.text}",)


def test_a_sentence_of_a_passage_needs_no_judge():
    judge = Said(supported="nothing", denied="80")
    made = contract(judge)
    with made.request(QUESTION, requester=REQUESTER, as_of=TODAY) as request:
        request.search([GOOD])
        request.grade()
        assert request.verify("M12 bolts of the  K-7 take 80 Nm [1].").reason == "supported"
        assert [kind for kind, *_ in judge.asked] == ["relevance"]
    with made.request(QUESTION, requester=REQUESTER, as_of=TODAY) as request:
        request.search([GOOD])
        request.grade()
        assert request.verify("M12 bolts of the K-9 take 80 Nm [1].").reason == "contradicted"
