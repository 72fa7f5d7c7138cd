"""A contract on runs whose every count was worked out by hand."""

from datetime import date

import polars as pl
import pytest
from msgspec.structs import replace
from trials import Row, recorded, trial, with_answers

from ragassay.records import Document, FaultyInput, FilterTerms, GradeTerms, Result, SearchTerms, Terms
from ragassay.trying import Ask, is_empty, tried

TERMS = Terms(name="t", search=SearchTerms(thresholds={"similarity": 0.7, "distance": 0.3}))
ROWS = (
    Row("q1", "right", (0.9, 0.2), (0.9, 0.9)),
    Row("q2", "right", (0.4, 0.6), (0.9, 0.9)),
    Row("q3", "wrong", (0.8,), (0.5, 0.9)),
    Row("q4", "must", (0.3,), (0.1, 0.1)),
    Row("q5", "must", (0.7,), (0.9, 0.2), critical=True),
    Row("q6", "silent", (0.1,), (0.9, 0.9)),
    Row("q7", "open", (), (0.0, 0.0)),
    Row("q8", "right", (0.7,), (0.7, 0.9)),
    Row("q9", "wrong", None),
)


def stages(found):
    return {each.stage or "together": each for each in (*found.stages, found.together)}


def counts(stage):
    return {effect: (part.count, part.n) for effect, part in stage.effects.items()}


def test_every_stage_by_hand():
    found = trial(recorded(*ROWS), terms=TERMS)
    assert found.tried == 8
    assert found.untried == {"retrieval_not_recorded": ("q9",)}
    assert found.effects == {"rightly": 3, "wrongly": 3, "unchanged": 1, "undetermined": 1}
    by_stage = stages(found)
    assert list(by_stage) == ["search", "grade", "together"]
    search, grade, together = by_stage.values()
    assert (search.reached, search.decided, search.stopped) == (8, 8, 4)
    assert counts(search) == {"rightly": (1, 3), "wrongly": (1, 3), "unchanged": (1, 1), "undetermined": (1, 1)}
    assert search.queries == {"rightly": ("q4",), "wrongly": ("q2",), "unchanged": ("q6",), "undetermined": ("q7",)}
    assert search.reasons == {"nothing_suitable": 3, "nothing_found": 1}
    assert (grade.reached, grade.decided, grade.stopped) == (4, 4, 3)
    assert counts(grade) == {"rightly": (2, 3), "wrongly": (1, 3), "unchanged": (0, 1), "undetermined": (0, 1)}
    assert grade.queries["rightly"] == ("q5", "q3"), "the critical one first"
    assert grade.reasons == {"insufficient_context": 2, "irrelevant_context": 1}
    assert (together.reached, together.stopped) == (8, 7)
    assert counts(together)["rightly"] == (3, 3)
    assert [(each.reason, each.passages, each.queries) for each in found.removed] == [("below_threshold", 5, 4)]


def test_a_stage_stops_what_its_own_contract_says():
    lax = Terms(
        name="t",
        search=SearchTerms(thresholds={"similarity": 0.05}),
        grade=GradeTerms(context_sufficiency=0.0, context_relevancy=0.0),
    )
    together = stages(trial(recorded(*ROWS), terms=lax))["together"]
    assert together.queries["undetermined"] == ("q7",), "nothing found stays nothing found"
    assert together.stopped == 1


def test_a_distance_is_low_where_it_is_good():
    rows = (Row("q1", "right", (0.2,), kind="distance"), Row("q2", "must", (0.4,), kind="distance"))
    search = stages(trial(recorded(*rows), terms=TERMS))["search"]
    assert search.queries["rightly"] == ("q2",)
    assert search.queries["wrongly"] == ()


def test_candidates_are_what_was_found_unless_only_the_retrieved_have_scores():
    stored = recorded(Row("q1", "right", (0.9,)))
    low = (Result(passage="D9", document="D9", score=0.1),)
    assert stages(trial(with_answers(stored, candidates=low), terms=TERMS))["search"].stopped == 1
    blank = (Result(passage="D9", document="D9"),)
    search = stages(trial(with_answers(stored, candidates=blank), terms=TERMS))["search"]
    assert (search.decided, search.stopped) == (1, 0)


@pytest.mark.parametrize(
    ("row", "missing"),
    [
        (Row("q1", "right", (0.9,), kind="unknown"), "score_kind_unknown"),
        (Row("q1", "right", (None, None)), "scores_not_recorded"),
        (Row("q1", "right", (9.0,), kind="bm25"), "no_threshold_for_bm25"),
    ],
)
def test_what_cannot_be_compared_is_said_and_never_stopped(row, missing):
    found = trial(recorded(row), terms=TERMS)
    search, grade, together = stages(found).values()
    assert (search.reached, search.decided, search.undecided) == (1, 0, {missing: 1})
    assert (grade.reached, grade.decided, grade.undecided) == (1, 0, {"context_not_judged": 1})
    assert together.stopped == 0
    assert found.removed == ()
    assert found.grades is None
    assert is_empty(found)


def test_a_threshold_that_the_contract_lacks_can_be_swept():
    rows = (Row("q1", "right", (9.0,), kind="bm25"), Row("q2", "must", (3.0, 1.0), kind="bm25"))
    found = trial(recorded(*rows), "search", terms=TERMS)
    (curve,) = found.curves
    assert (curve.name, curve.kind, curve.choice.threshold) == ("score", "bm25", 9.0)
    assert [(point.threshold, point.stopped) for point in curve.points] == [(3.0, 0), (9.0, 1)]
    assert not is_empty(found)


def test_two_score_kinds_are_swept_apart():
    rows = (Row("q1", "right", (0.9,)), Row("q2", "must", (12.0,), kind="bm25"), Row("q3", "must", (0.2,)))
    curves = trial(recorded(*rows), "search", terms=TERMS).curves
    assert [(each.kind, each.n, [point.threshold for point in each.points]) for each in curves] == [
        ("bm25", 1, [12.0]),
        ("similarity", 2, [0.2, 0.9]),
    ]


def test_a_grade_is_swept_over_the_queries_that_reach_it():
    found = trial(recorded(*ROWS), "context_sufficiency", "context_relevancy", terms=TERMS)
    sufficiency, relevancy = found.curves
    assert (sufficiency.n, relevancy.n) == (4, 4)
    assert [(p.threshold, p.stopped, p.prevented.count, p.refused.count) for p in sufficiency.points] == [
        (0.5, 0, 0, 0),
        (0.7, 1, 1, 0),
        (0.9, 2, 1, 1),
    ]
    assert [(p.threshold, p.stopped, p.prevented.count) for p in relevancy.points] == [(0.2, 0, 0), (0.9, 1, 1)]
    assert relevancy.choice.threshold == 0.9


def test_what_cannot_be_swept_is_said():
    found = trial(recorded(Row("q1", "right", (0.9,), kind="unknown")), "search", "context_relevancy")
    assert set(found.not_swept) == {"search", "context_relevancy"}
    assert found.curves == ()


def test_excluded_queries_are_left_out():
    stored = recorded(*ROWS)

    why = pl.when(pl.col("query") == "q1").then(pl.lit("withdrawn")).alias("excluded")
    matrices = stored.matrices._replace(queries=stored.matrices.queries.with_columns(why))
    found = trial(replace(stored, matrices=matrices), terms=TERMS)
    assert found.untried["excluded"] == ("q1",)
    assert found.effects["wrongly"] == 2


DOCUMENTS = (
    Document(document="D1", revision="A", status="in_force", readers=("*",)),
    Document(document="D2", revision="A", status="in_force", readers=("board",)),
    Document(document="D3", revision="A", status="superseded", valid_to=date(2020, 1, 1), readers=("*",)),
)


def test_the_filter_removes_and_counts_what_is_not_admissible():
    terms = replace(TERMS, filter=FilterTerms(revision="strict"))
    rows = (Row("q1", "right", (0.8, 0.99, 0.99)), Row("q2", "must", (0.6, 0.95)))
    found = trial(recorded(*rows), "search", terms=terms, documents=DOCUMENTS)
    assert {each.reason: (each.passages, each.queries) for each in found.removed} == {
        "forbidden": (2, 2),
        "not_in_force": (1, 1),
        "below_threshold": (1, 1),
    }
    search = stages(found)["search"]
    assert search.queries["rightly"] == ("q2",), "the forbidden passage does not carry it"
    assert [point.threshold for point in found.curves[0].points] == [0.6, 0.8], "nor does it move the curve"
    assert [each.code for each in found.notices] == ["other_corpus"]


@pytest.mark.parametrize(("of_query", "of_dataset"), [(date(2019, 5, 1), None), (None, date(2019, 5, 1))])
def test_the_filter_asks_for_the_day_of_the_query_or_of_the_dataset(of_query, of_dataset):
    stored = recorded(Row("q1", "right", (0.9,)))
    queries = tuple(replace(each, as_of=of_query) for each in stored.queries)
    run = replace(stored.run, card=replace(stored.run.card, as_of=of_dataset))
    later = (replace(DOCUMENTS[0], valid_from=date(2020, 1, 1)), DOCUMENTS[2])
    found = trial(replace(stored, queries=queries, run=run), terms=TERMS, documents=later)
    assert [each.reason for each in found.removed] == ["not_in_force"]


def test_where_nothing_is_admissible_the_filter_stops_and_what_was_found_afterwards_is_said():
    only_secret = (DOCUMENTS[1],)
    found = trial(recorded(Row("q1", "must", (0.9, 0.9))), terms=TERMS, documents=only_secret)
    filtered, search, _, _ = stages(found).values()
    assert (filtered.stopped, search.reached) == (1, 0)
    half = (DOCUMENTS[1], replace(DOCUMENTS[0], document="D7"))
    found = trial(recorded(Row("q1", "must", (0.9, 0.9))), terms=TERMS, documents=half)
    filtered, search, _, _ = stages(found).values()
    assert (filtered.stopped, search.reasons) == (0, {"nothing_admissible": 1})
    assert "filtered_afterwards" in [each.code for each in found.notices]


def test_grades_of_another_context_are_flagged():
    stored = recorded(Row("q1", "right", (0.9, 0.2), (0.9, 0.9)))
    assert [each.code for each in trial(stored, terms=TERMS).notices] == [
        "filter_not_tried",
        "graded_on_other_passages",
    ]


def test_the_embedded_judge_grades_what_the_contract_keeps():
    stored = recorded(Row("q1", "right", (0.9, 0.8)))
    found = tried(stored, TERMS, None, Ask("embedded"))
    grade = stages(found)["grade"]
    assert (grade.decided, found.grades) == (1, "embedded")
    assert grade.stopped == 1, "`text 1` answers nothing"
    textless = with_answers(stored, retrieved=(Result(passage="D1", document="D1", score=0.9),))
    grade = stages(tried(textless, TERMS, None, Ask("embedded")))["grade"]
    assert (grade.decided, grade.undecided) == (0, {"text_not_recorded": 1})


def test_another_judge_is_refused_by_name():
    with pytest.raises(FaultyInput) as refused:
        tried(recorded(*ROWS), TERMS, None, Ask("llm:gpt@http://localhost"))
    assert refused.value.faults[0].field == "--judge"
