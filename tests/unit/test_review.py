import msgspec
import pytest
from cases import case
from naive import GradedJudge

from ragassay.formats.bundle import Bundle
from ragassay.formats.labels import current
from ragassay.formats.review import Review
from ragassay.formats.runs import StoredRun
from ragassay.gates import decide
from ragassay.judges.human import HumanJudge
from ragassay.judges.judging import Bench
from ragassay.judges.together import finished
from ragassay.records import Answer, Citation, DatasetCard, FaultyInput, Gate, PassageLabel, Policy, Query, Result
from ragassay.review import disputed, queue, sample, take
from ragassay.runner import Settings, evaluate, measure

TEXTS = ("The pump weighs 80 kg.", "Oil is checked every shift.")
SAID = {
    "Alpha is near.": 0.51,
    "Beta is far.": 0.59,
    "Gamma is sure.": 0.95,
    "Delta is critical.": 0.41,
    "One of many.": 0.51,
    "Two of many.": 0.97,
    "Three of many.": 0.96,
}


def probability(claim, text):
    return SAID.get(claim, 0.1) if text == TEXTS[1] else 0.2


def observed():
    answers = {
        "q1": "Alpha is near.",
        "q2": "Beta is far.",
        "q3": "Gamma is sure.",
        "q4": "Delta is critical.",
        "q5": "One of many. Two of many. Three of many.",
    }
    results = tuple(Result(passage=f"p{number}", text=text) for number, text in enumerate(TEXTS))
    return Bundle(
        queries=tuple(Query(id=name, question=f"What of {name}?", critical=name == "q4") for name in answers),
        answers=tuple(Answer(query=name, answer=text, retrieved=results) for name, text in answers.items()),
        card=DatasetCard(k=(2,)),
    )


def stored(judge=None, bundle=None):
    bench = Bench(judge or GradedJudge(probability))
    evaluation = finished(evaluate(bundle or observed(), Settings(resamples=10), bench))
    return StoredRun(
        run=evaluation.run,
        matrices=evaluation.matrices,
        fractions=evaluation.fractions,
        queries=evaluation.observed.queries,
        answers=evaluation.observed.answers,
    )


def reviewed(row, label="supports", rater="A", seen=None):
    return Review(id=row.id, label=label, rater=rater, seen=row.seen if seen is None else seen, line=2)


def test_what_would_change_a_verdict_most_comes_first():
    rows = queue(stored(), ())
    assert [row.text for row in rows] == ["Delta is critical.", "Alpha is near.", "Beta is far.", "One of many."]
    assert [row.shares for row in rows] == [1, 1, 1, 3]


def test_a_row_shows_what_is_needed_to_decide():
    row = queue(stored(), ())[0]
    assert (row.query, row.question, row.critical, row.side) == ("q4", "What of q4?", True, "answer")
    assert row.context == (TEXTS[1], TEXTS[0])
    assert (row.verdict, row.probability, row.label, row.seen) == ("neutral", 0.41, "", 0)


def test_labels_settle_claims_and_disagreement_opens_them_again():
    run = stored()
    rows = queue(run, ())
    first = take(rows, [reviewed(rows[0])], ())
    assert first.accepted == 1
    assert [row.id for row in queue(run, first.history)] == [row.id for row in rows[1:]]
    second = take(disputed(run, first.history), [reviewed(rows[0], "contradicts", "B")], first.history)
    assert queue(run, second.history)[0].id == rows[0].id
    assert queue(run, second.history)[0].seen == 2


def test_every_change_is_kept_and_a_stale_edit_is_a_conflict():
    row = queue(stored(), ())[0]
    history = ()
    told = []
    for review in (
        reviewed(row, "supports", "A", 0),
        reviewed(row, "supports", "A", 0),
        reviewed(row, "supports", "B", 0),
        reviewed(row, "contradicts", "A", 2),
        reviewed(row, "neutral", "B", 0),
    ):
        taken = take([row], [review], history)
        history = taken.history
        told.append((taken.accepted, taken.repeated, len(taken.conflicts)))
    assert told == [(1, 0, 0), (0, 1, 0), (1, 0, 0), (1, 0, 0), (0, 0, 1)]
    assert [(label.rater, label.label) for label in history] == [
        ("A", "supports"),
        ("B", "supports"),
        ("A", "contradicts"),
    ]
    conflict = taken.conflicts[0]
    assert (conflict.rater, conflict.given, conflict.current) == ("B", "neutral", "supports")


def test_C92_one_current_label_per_rater_with_all_history_behind_it():
    given, expected = case("C92")
    words = {"pass": "supports", "fail": "contradicts"}
    row = queue(stored(), ())[0]
    history, conflicts = (), []
    for rater, label, _ in given["events"]:
        is_stale = label not in words
        seen = 0 if is_stale else sum(each.id == row.id for each in history)
        taken = take([row], [reviewed(row, words.get(label, "neutral"), rater, seen)], history)
        history, conflicts = taken.history, [*conflicts, *taken.conflicts]
    now, before = current(history)
    assert {label.rater: label.label for label in now} == {
        rater: words[label] for rater, label in expected["current"].items()
    }
    assert [label.rater for label in (*now, *before)].count("A") == 2
    assert [conflict.rater for conflict in conflicts] == ["B"]
    assert history == tuple(label for label in history if label.label != "neutral")


def test_claims_of_another_run_are_all_named():
    rows = queue(stored(), ())
    foreign = [msgspec.structs.replace(reviewed(rows[0]), id=name) for name in ("c-x", "c-y")]
    with pytest.raises(FaultyInput) as caught:
        take(rows, [*foreign, reviewed(rows[0])], ())
    assert [fault.value for fault in caught.value.faults] == ["c-x", "c-y"]


def test_what_people_said_decides_the_next_run():
    rows = queue(stored(), ())
    delta = next(row for row in rows if row.text == "Delta is critical.")
    alpha = next(row for row in rows if row.text == "Alpha is near.")
    history = take(rows, [reviewed(delta, "supports"), reviewed(alpha, "neutral")], ()).history
    judged = stored(HumanJudge(history, GradedJudge(probability)))
    verdicts = {(r["query"], r["position"]): r["verdict"] for r in judged.matrices.support.iter_rows(named=True)}
    assert verdicts["q4", 2] == "supports"
    assert verdicts["q4", 1] == "neutral"
    assert (verdicts["q1", 1], verdicts["q1", 2]) == ("neutral", "neutral")
    assert {row.text for row in queue(judged, ())} == {"Beta is far.", "One of many."}


def test_a_run_without_a_judge_disputes_nothing():
    evaluation = measure(observed(), Settings(resamples=10))
    run = msgspec.structs.replace(stored(), matrices=evaluation.matrices)
    assert queue(run, ()) == []


def beside_gold():
    """One query with citations, a reference and passages, all of it open; one refused though answerable."""
    results = (Result(passage="p1", text="The pump weighs 80 kg."), Result(passage="p2", text="Elsewhere."))
    answer = Answer(
        query="q1",
        answer="It weighs 80 kg [1].",
        retrieved=results,
        citations=(Citation(marker="[1]", passage="p1"),),
    )
    refused = Answer(query="q2", answer="I could not find this in the documents I have.", retrieved=results)
    return Bundle(
        queries=(
            Query(id="q1", question="How heavy is the pump?", reference="The pump weighs 80 kg."),
            Query(id="q2", question="What is elsewhere?", answerable=True),
        ),
        answers=(answer, refused),
        card=DatasetCard(k=(2,), disjoint_ids=True),
    )


def kinds_of(rows):
    return {row.kind: row for row in rows if row.beside in (None, "context")}


def test_a_queue_of_every_kind():
    judge = GradedJudge(lambda claim, text: 0.55 if "80" in text else 0.1)
    run = stored(judge, beside_gold())
    rows = kinds_of(queue(run, ()))
    assert set(rows) == {"claim", "citation", "passage", "refusal"}
    link, passage, refusal = rows["citation"], rows["passage"], rows["refusal"]
    assert (link.passage, link.text, link.verdict) == ("p1", "It weighs 80 kg.", "supports")
    assert link.context == passage.context == ("The pump weighs 80 kg.",)
    assert (passage.passage, passage.text, passage.shares) == ("p1", "How heavy is the pump?", 2)
    assert (passage.verdict, passage.probability) == ("useful", 0.55)
    assert (refusal.query, refusal.verdict) == ("q2", "refused")
    assert queue(run, ())[-1].kind == "refusal"


def test_labels_of_every_kind_decide_the_next_run():
    judge = GradedJudge(lambda claim, text: 0.55 if "80" in text else 0.1)
    rows = kinds_of(queue(stored(judge, beside_gold()), ()))
    words = {"citation": "contradicts", "passage": 0.0, "refusal": "answered"}
    reviews = [
        Review(id=rows[kind].id, kind=kind, label=label, rater="A", seen=0, line=2) for kind, label in words.items()
    ]
    history = take(list(rows.values()), reviews, ()).history
    again = stored(judge, msgspec.structs.replace(beside_gold(), labels=history))
    assert again.matrices.citations["contradicting"].to_list() == [True]
    assert again.matrices.abstention["observed"].to_list() == ["answered", "answered"]
    assert again.matrices.retrieval.filter(passage="p1", query="q1")["useful"].to_list() == [False]
    assert again.run.id != stored(judge, beside_gold()).run.id
    assert "labels_unused" not in {notice.code for notice in again.run.notices}
    assert not {"citation", "passage", "refusal"} & set(kinds_of(queue(again, ())))


def test_raters_who_differ_on_any_kind_come_back_before_what_a_judge_leaves_open():
    labels = [PassageLabel(query="q1", passage="p2", label=grade, rater=rater) for rater, grade in (("A", 1), ("B", 0))]
    run = stored(GradedJudge(lambda *_: 0.1), msgspec.structs.replace(beside_gold(), labels=tuple(labels)))
    first, *rest = queue(run, ())
    assert (first.kind, first.passage, first.reason) == ("passage", "p2", "raters differ")
    assert [row.kind for row in rest] == ["refusal"]


def test_a_label_of_the_wrong_kind_is_a_fault():
    rows = queue(stored(), ())
    with pytest.raises(FaultyInput):
        take(rows, [msgspec.structs.replace(reviewed(rows[0]), kind="refusal", label="refused")], ())


def many(count=240):
    """Every third answer is wrong, and the judge is wrong on every fifth."""
    results = (Result(passage="p", text="The notes of the plant."),)
    queries = tuple(Query(id=f"q{number:03}", question=f"What of {number}?") for number in range(count))
    answers = tuple(Answer(query=q.id, answer=f"Value {int(q.id[1:])} is kept.", retrieved=results) for q in queries)
    return Bundle(queries=queries, answers=answers, card=DatasetCard(k=(1,)))


def is_true(claim):
    return int(claim.split()[1]) % 3 != 0


def hasty(claim, text):
    return 0.95 if is_true(claim) != (int(claim.split()[1]) % 5 == 0) else 0.05


def test_a_sample_is_drawn_by_lot_and_grows_without_starting_anew():
    run = stored(GradedJudge(hasty), many())
    few, more = sample(run, (), 20), sample(run, (), 60)
    assert [row.id for row in more[: len(few)]] == [row.id for row in few]
    assert len({row.query for row in more}) == 60
    assert {row.query for row in few} != {f"q{number:03}" for number in range(20)}
    assert not queue(run, ())
    taken = take(few, [reviewed(few[0])], ())
    assert [row.id for row in sample(run, taken.history, 20)] == [row.id for row in few[1:]]


def test_labels_of_a_sample_correct_the_judge_at_a_gate():
    run = stored(GradedJudge(hasty), many())
    rows = sample(run, (), 120)
    reviews = [reviewed(row, "supports" if is_true(row.text) else "contradicts") for row in rows]
    labels = take(rows, reviews, ()).history
    bundle = msgspec.structs.replace(many(), labels=labels)
    labelled = finished(evaluate(bundle, Settings(resamples=10), Bench(GradedJudge(hasty))))
    policy = Policy(name="p", critical=False, gates=(Gate(metric="grounded_claim_rate", at_least=0.3),))
    (result,) = decide(policy, labelled.run, labelled.fractions, labelled.matrices).gates
    plain = run.run.summary.metrics["grounded_claim_rate"].value
    assert result.corrected.labelled == 120
    assert abs(result.corrected.value - 2 / 3) < abs(plain - 2 / 3)
    assert result.outcome == "passed"
