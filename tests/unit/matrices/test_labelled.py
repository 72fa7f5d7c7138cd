"""A human label outranks code and judge in every matrix, and holds for nothing but what it names."""

import pytest
from scripted import ScriptedJudge

from ragassay.judges.human import decided_by_people, with_people
from ragassay.judges.judging import Bench, judge_cases
from ragassay.judges.together import finished
from ragassay.matrices import build, cases, with_judgements, with_labels
from ragassay.metrics.dictionary import find
from ragassay.metrics.evidence import gather
from ragassay.records import (
    Answer,
    Citation,
    CitationLabel,
    DatasetCard,
    Label,
    PassageLabel,
    Query,
    RefusalLabel,
    Result,
)

CARD = DatasetCard(k=(5,), disjoint_ids=True)
TEXTS = ("Alpha is one.", "Beta is two.", "Gamma is three.", "Delta is four.", "Epsilon is five.")
PASSAGES = tuple(Result(passage=f"p{number}", text=text) for number, text in enumerate(TEXTS, 1))
SAID = Answer(
    query="q",
    answer="Alpha is one [1]. Beta is two [1].",
    retrieved=PASSAGES,
    citations=(Citation(marker="[1]", passage="p1"),),
)


def labelled(labels, answer=SAID, query=None, verdicts=None):
    """Matrices of one query; `verdicts` None: nobody but people judges."""
    query = query or Query(id="q", question="?")
    matrices, _ = build([query], [answer], None, CARD)
    bench = with_people(None if verdicts is None else Bench(ScriptedJudge(verdicts)), labels)
    found = cases([query], [answer], None, CARD, labels)
    if bench is not None:
        judged = finished(judge_cases(bench, found))
        matrices = with_judgements(matrices, found, judged if verdicts is not None else decided_by_people(judged))
    return with_labels(matrices, [answer], labels)


def measure(matrices, metric):
    choice = find(metric)
    fractions = choice.metric.measure(gather(matrices, "expected"), choice)
    state = fractions.state[0]
    return fractions.absences[state - 1] if state else fractions.numerator[0] / fractions.denominator[0]


def useful(*grades, rater="A"):
    return [PassageLabel(query="q", passage=f"p{n}", label=grade, rater=rater) for n, grade in enumerate(grades, 1)]


def test_context_precision_on_labels_alone_useful_at_two_and_five_is_045():
    matrices, unused = labelled(useful(0, 1, 0, 0, 2))
    assert measure(matrices, "context_precision@5") == pytest.approx(0.45)
    assert measure(matrices, "useful_share@5") == pytest.approx(0.4)
    assert unused == ()


def test_a_passage_that_nobody_labelled_leaves_the_metric_to_a_judge():
    matrices, _ = labelled(useful(0, 1, 0, 0))
    assert measure(matrices, "context_precision@5") == "not_judged"
    assert measure(matrices, "context_precision@4") == pytest.approx(0.5)


def test_usefulness_by_people_outranks_what_follows_from_support():
    query = Query(id="q", question="?", reference="Fact.")
    verdicts = {("Fact.", TEXTS[0]): "supports"}
    assert measure(labelled([], query=query, verdicts=verdicts).matrices, "context_precision@5") == 1.0
    turned = labelled(useful(0, 1), query=query, verdicts=verdicts).matrices
    assert measure(turned, "context_precision@5") == 0.5


def test_divided_raters_leave_usefulness_open_and_disputed():
    matrices, _ = labelled([*useful(1), *useful(0, rater="B")])
    first = matrices.retrieval.row(0, named=True)
    assert (first["useful"], first["disputed"]) == (None, True)
    matrices, _ = labelled([*useful(1), *useful(1, rater="B"), *useful(0, rater="C")])
    first = matrices.retrieval.row(0, named=True)
    assert (first["useful"], first["disputed"]) == (True, True)


def test_links_labelled_by_people_need_no_judge():
    labels = [
        CitationLabel(query="q", passage="p1", statement="Alpha is one.", label="supports"),
        CitationLabel(query="q", marker="1", statement="Beta is two.", label="contradicts"),
    ]
    assert measure(labelled([]).matrices, "citation_precision") == "support_not_judged"
    matrices, unused = labelled(labels)
    assert measure(matrices, "citation_precision") == 0.5
    assert measure(matrices, "citation_recall") == 0.5
    assert measure(matrices, "citation_faults(fault=contradicting)") == 1
    assert unused == ()


def test_a_link_labelled_by_people_outranks_the_judge():
    verdicts = {("Alpha is one.", TEXTS[0]): "supports", ("Beta is two.", TEXTS[1]): "supports"}
    before = labelled([], verdicts=verdicts).matrices
    assert measure(before, "citation_precision") == 0.5
    assert measure(before, "citation_faults(fault=wrong_source)") == 1
    label = CitationLabel(query="q", passage="p1", label="neutral")
    after = labelled([label], verdicts=verdicts).matrices
    assert measure(after, "citation_precision") == 0.0
    assert measure(after, "citation_faults(fault=wrong_source)") == 1
    assert measure(after, "citation_faults(fault=unrelated)") == 1


def test_a_failed_judgement_of_a_link_is_mended_by_a_label():
    verdicts = {("Alpha is one.", TEXTS[0]): "error:judge_timeout", ("Beta is two.", TEXTS[0]): "supports"}
    assert measure(labelled([], verdicts=verdicts).matrices, "citation_precision") == "error:support_failed"
    label = CitationLabel(query="q", passage="p1", statement="Alpha is one.", label="supports")
    assert measure(labelled([label], verdicts=verdicts).matrices, "citation_precision") == 1.0


REFUSED = Answer(query="q", answer="That is for the librarian to know.", retrieved=PASSAGES)
MUST_REFUSE = Query(id="q", question="?", answerable=False)


def test_what_people_call_an_answer_outranks_its_wording():
    assert measure(labelled([], REFUSED, MUST_REFUSE).matrices, "correct_abstention") == 0.0
    matrices, _ = labelled([RefusalLabel(query="q", label="refused")], REFUSED, MUST_REFUSE)
    assert measure(matrices, "correct_abstention") == 1.0
    assert measure(matrices, "missed_refusal_rate") == 0.0


def test_what_people_call_a_refusal_is_not_judged_and_what_they_call_an_answer_is():
    label = RefusalLabel(query="q", label="refused", answer="that is for the  librarian to know.")
    refused = labelled([label], REFUSED, MUST_REFUSE, {}).matrices
    assert len(refused.claims) == 0
    plain = Answer(query="q", answer="I could not find this in the documents I have.", retrieved=PASSAGES)
    assert len(labelled([], plain, MUST_REFUSE, {}).matrices.claims) == 0
    answered = labelled([RefusalLabel(query="q", label="answered")], plain, MUST_REFUSE, {}).matrices
    assert measure(answered, "missed_refusal_rate") == 1.0
    assert answered.abstention["invented"][0] is None


def test_a_label_holds_for_the_answer_it_names_and_a_failure_stays_one():
    other = RefusalLabel(query="q", label="refused", answer="Something else.")
    matrices, unused = labelled([other], REFUSED, MUST_REFUSE)
    assert measure(matrices, "correct_abstention") == 0.0
    assert unused == (other,)
    broken = Answer(query="q", answer="That is for", complete=False)
    matrices, _ = labelled([RefusalLabel(query="q", label="refused")], broken, MUST_REFUSE)
    assert matrices.abstention["observed"][0] == "failed"


def test_labels_of_what_the_run_does_not_hold_are_told():
    labels = [
        PassageLabel(query="q", passage="p9", label=1),
        CitationLabel(query="other", passage="p1", label="supports"),
        CitationLabel(query="q", passage="p1", statement="Never said.", label="supports"),
    ]
    matrices, unused = labelled(labels)
    assert set(unused) == set(labels)
    assert matrices.citations["supports"].null_count() == len(matrices.citations)


def test_people_alone_judge_what_they_labelled_and_nothing_else():
    labels = [Label(claim="Alpha is one.", context=(text,), label="neutral") for text in TEXTS[1:]]
    labels += [Label(claim="Alpha is one.", context=TEXTS[:1], label="supports")]
    half = labelled(labels).matrices
    assert measure(half, "grounded_claim_rate") == "error:support_failed"
    labels += [Label(claim="Beta is two.", context=TEXTS, label="contradicts")]
    whole = labelled(labels).matrices
    assert measure(whole, "grounded_claim_rate") == 0.5
    assert measure(whole, "contradicted_claim_rate") == 0.5
    elsewhere = [Label(claim="Never said.", context=TEXTS[:1], label="supports")]
    assert measure(labelled(elsewhere).matrices, "grounded_claim_rate") == "not_judged"
