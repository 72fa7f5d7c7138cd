import msgspec
import pytest
from cases import case
from naive import GradedJudge

from ragassay.formats.bundle import Bundle
from ragassay.formats.labels import current
from ragassay.formats.review import Review
from ragassay.formats.runs import StoredRun
from ragassay.judges.human import HumanJudge
from ragassay.judges.judging import Bench
from ragassay.records import Answer, DatasetCard, FaultyInput, Query, Result
from ragassay.review import disputed, queue, take
from ragassay.runner import Settings, evaluate

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


def stored(judge=None):
    evaluation = evaluate(observed(), Settings(resamples=10), Bench(judge or GradedJudge(probability)))
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
    assert [row.claim for row in rows] == ["Delta is critical.", "Alpha is near.", "Beta is far.", "One of many."]
    assert [row.claims for row in rows] == [1, 1, 1, 3]


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
    delta = next(row for row in rows if row.claim == "Delta is critical.")
    alpha = next(row for row in rows if row.claim == "Alpha is near.")
    history = take(rows, [reviewed(delta, "supports"), reviewed(alpha, "neutral")], ()).history
    judged = stored(HumanJudge(history, GradedJudge(probability)))
    verdicts = {(r["query"], r["position"]): r["verdict"] for r in judged.matrices.support.iter_rows(named=True)}
    assert verdicts["q4", 2] == "supports"
    assert verdicts["q4", 1] == "neutral"
    assert (verdicts["q1", 1], verdicts["q1", 2]) == ("neutral", "neutral")
    assert {row.claim for row in queue(judged, ())} == {"Beta is far.", "One of many."}


def test_a_run_without_a_judge_disputes_nothing():
    evaluation = evaluate(observed(), Settings(resamples=10))
    run = msgspec.structs.replace(stored(), matrices=evaluation.matrices)
    assert queue(run, ()) == []
