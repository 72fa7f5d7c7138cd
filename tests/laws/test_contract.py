"""Laws of the contract: nothing inadmissible passes, a threshold is a threshold, a repair only takes away."""

import asyncio
from datetime import date, timedelta
from typing import get_args

import pytest
from contracting import DOCUMENTS, GOOD, REQUESTER, SECRET, TODAY, Said, contract, judged
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.contract import Admissible
from ragassay.contract.claims import cited, mended, spoken, verify_decision
from ragassay.contract.judges import verified
from ragassay.contract.parameters import parameters
from ragassay.contract.stages import grade_decision, search_decision
from ragassay.contract.wording import refusal
from ragassay.records import (
    ASCENDING,
    Corpus,
    Document,
    FilterTerms,
    GradeTerms,
    Requester,
    Result,
    SearchTerms,
    Strictness,
    VerifyTerms,
    is_applicable,
    is_current,
    may_read,
)
from ragassay.text.refusals import observed

MANY = settings(max_examples=200, deadline=None)
DAYS = st.none() | st.integers(-3, 3).map(lambda day: TODAY + timedelta(days=day))
GROUPS = st.none() | st.lists(st.sampled_from(["a", "b", "*"]), max_size=2).map(tuple)
AXES = st.dictionaries(st.sampled_from(["product", "site"]), st.sampled_from(["x", "y"]).map(lambda v: (v,)))
STRICTNESS = st.sampled_from(get_args(Strictness))
SCORES = st.none() | st.floats(-2, 2) | st.just(float("nan"))
KINDS = st.sampled_from(["similarity", "distance", "rerank", "bm25"])
SENTENCES = ("The bolt takes 80 Nm.", "The nut is blue.", "The shaft is 5 m long.", "Болт затягивают моментом 9 Н·м.")
MARKS = ("", " [1]", " [2]", " [9]", " [1, 9]", " [1][2]")


@st.composite
def documents(draw: st.DrawFn) -> Document:
    return Document(
        document=draw(st.sampled_from(["A", "B"])),
        revision=draw(st.sampled_from([None, "1", "2"])),
        status=draw(st.sampled_from(["in_force", "superseded", "draft", "withdrawn", "unknown"])),
        valid_from=draw(DAYS),
        valid_to=draw(DAYS),
        readers=draw(GROUPS),
        applies_to=draw(AXES),
    )


RESULTS = st.builds(
    Result,
    passage=st.sampled_from(["p", "q"]),
    document=st.none() | st.sampled_from(["A", "B", "C"]),
    revision=st.sampled_from([None, "1", "2"]),
    score=SCORES,
)


@MANY
@given(st.lists(documents(), max_size=5), st.lists(RESULTS, max_size=6), GROUPS, DAYS, KINDS, st.floats(-2, 2))
def test_nothing_known_to_be_inadmissible_is_left(given_documents, results, groups, as_of, kind, limit):
    corpus = Corpus(given_documents)
    requester = Requester(groups=groups or ())
    admissible = Admissible(corpus, FilterTerms(), requester, {"product": "x"}, as_of)
    terms = SearchTerms(thresholds={kind: limit})
    decision, kept = search_decision(terms, kind, results, admissible)
    assert len(kept) + sum(each.count for each in decision.removed) == len(results)
    assert decision.proceeds == bool(kept)
    for result in kept:
        revisions = corpus.revisions(result.document or "", result.revision)
        assert revisions
        for each in revisions:
            assert may_read(each, requester.groups) is True
            assert is_current(each, as_of) is not False
            assert is_applicable(each, {"product": "x"}) is not False
        assert result.score is not None
        assert result.score <= limit if kind in ASCENDING else result.score >= limit


@MANY
@given(st.lists(documents(), max_size=5), STRICTNESS, STRICTNESS, STRICTNESS, GROUPS, DAYS)
def test_the_filter_and_the_check_of_what_came_back_agree(given_documents, access, revision, scope, groups, as_of):
    corpus = Corpus(given_documents)
    terms = FilterTerms(access=access, revision=revision, scope=scope)
    admissible = Admissible(corpus, terms, Requester(groups=groups or ()), {"site": "y"}, as_of)
    listed = set(admissible.revisions)
    for each in corpus:
        if each.revision is not None:
            assert ((each.document, each.revision) in listed) == admissible.allows(each.document, each.revision)
    assert admissible.is_empty() == (not terms.is_off and not listed)


@MANY
@given(st.lists(RESULTS, max_size=6), KINDS, st.floats(-2, 2), st.floats(0, 1))
def test_a_stricter_threshold_never_lets_more_pass(results, kind, limit, by):
    stricter = limit - by if kind in ASCENDING else limit + by
    _, loose = search_decision(SearchTerms(thresholds={kind: limit}), kind, results)
    _, strict = search_decision(SearchTerms(thresholds={kind: stricter}), kind, results)
    remaining = iter(loose)
    assert all(each in remaining for each in strict)


@MANY
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_grading_proceeds_exactly_where_both_numbers_reach_their_threshold(sufficiency, relevancy, least, other):
    decision = grade_decision(GradeTerms(context_sufficiency=least, context_relevancy=other), sufficiency, relevancy)
    assert decision.proceeds == (sufficiency >= least and relevancy >= other)
    assert (decision.reason == "enough") == decision.proceeds


ANSWERS = st.lists(st.tuples(st.sampled_from(SENTENCES), st.sampled_from(MARKS), st.booleans()), min_size=1, max_size=6)


def _answer(parts: list[tuple[str, str, bool]]) -> str:
    """Marks before or behind the full stop."""
    return " ".join(f"{text[:-1]}{mark}." if inside else f"{text}{mark}" for text, mark, inside in parts)


@MANY
@given(ANSWERS, st.sets(st.sampled_from(SENTENCES)), st.sampled_from(["repair", "mark"]))
def test_a_repair_takes_out_what_is_unsupported_and_nothing_else(parts, supported, citation):
    said = spoken(_answer(parts))
    standings = ["supported" if text in supported else "unsupported" for text in said.claim_texts]
    passages = [GOOD, SECRET]
    found = cited(said, None, passages)
    terms = VerifyTerms(citation=citation)
    text = mended(terms, said, standings, found, lambda fault: f"<{fault}>")
    decision = verify_decision(terms, said, standings, found)
    assert decision.proceeds
    again = spoken(text.replace(" <unresolved_citation>", ""))
    assert again.claim_texts == [claim for claim in said.claim_texts if claim in supported]
    if text:
        assert cited(again, None, passages).unresolved == ()
    if not decision.removed:
        assert text == said.answer


@MANY
@given(ANSWERS)
def test_citations_name_nothing_but_what_was_retrieved(parts):
    found = cited(spoken(_answer(parts)), None, [GOOD, SECRET])
    assert {each.passage for each in found.citations} <= {GOOD.passage, SECRET.passage}


@MANY
@given(st.lists(st.sampled_from(["c d", "e f"]), max_size=3), st.integers(0, 3), st.booleans())
def test_there_is_one_standing_per_claim(claims, texts, joins):
    judges = judged(Said(supported="c"))._replace(joins=joins)
    standings = asyncio.run(verified(judges, claims, ["t"] * texts))
    assert standings == ["supported" if "c" in claim and texts else "unsupported" for claim in claims]


@MANY
@given(
    st.sampled_from(["How long is the K-9?", "Какова длина K-9?"]),
    st.sampled_from(["search", "grade", "verify"]),
    st.text(max_size=60),
    st.lists(st.text(max_size=120), max_size=4),
)
def test_what_the_user_is_told_is_one_line_of_harmless_text(asked, stage, words, titles):
    question = f"{asked} {words}"
    message = refusal(question, stage, parameters(question), titles)
    assert message == " ".join(message.split())
    assert message.isprintable()
    assert len(message) < 700


@MANY
@given(st.text(max_size=60), st.text(max_size=200), st.lists(st.text(max_size=40), max_size=3))
def test_no_text_breaks_a_request(question, answer, texts):
    request = contract(CALM).request(question, requester=REQUESTER, as_of=date(2026, 10, 1))
    request.rewrite(answer)
    request.expand()
    results = [
        Result(passage=f"TI-204@C#{n}", document="TI-204", revision="C", score=0.9, text=t) for n, t in enumerate(texts)
    ]
    decisions = [request.search(results), request.grade(), request.verify(answer)]
    assert all(each.reason not in ("internal_error", "out_of_order") for each in decisions)


CALM = Said(supported="")


@pytest.mark.parametrize("stage", ["search", "grade", "verify"])
@pytest.mark.parametrize("question", ["How long is the K-9?", "Какова длина K-9?"])
@pytest.mark.parametrize("missing", [(), ("K-9",), ("K-9", "M12")])
@pytest.mark.parametrize("titles", [(), ("Guide. Part 2!",), tuple(str(each.title) for each in DOCUMENTS)])
def test_what_the_user_is_told_counts_as_withheld(stage, question, missing, titles):
    kind = observed(refusal(question, stage, missing, titles)).kind
    assert kind == ("clarified" if stage == "grade" else "refused")
