"""What a stop would do, from what is known of the answer."""

import pytest
from msgspec.structs import replace
from trials import Row, recorded

from ragassay.records import Cause, Failed, Query
from ragassay.trying.effects import effects, part, worst_first


@pytest.mark.parametrize(
    ("known", "effect"),
    [
        ("right", "wrongly"),
        ("wrong", "rightly"),
        ("must", "rightly"),
        ("blank", "rightly"),
        ("silent", "unchanged"),
        ("refused", "unchanged"),
        ("open", "undetermined"),
    ],
)
def test_each_kind_of_answer(known, effect):
    assert effects(recorded(Row("q1", known))) == {"q1": effect}


def test_a_refusal_that_invents_is_a_bad_answer():
    stored = recorded(Row("q1", "refused"))
    invented = stored.matrices.abstention.with_columns(invented=1)
    matrices = stored.matrices._replace(abstention=invented.cast(dict(stored.matrices.abstention.schema)))
    assert effects(replace(stored, matrices=matrices)) == {"q1": "rightly"}


def test_a_claim_that_no_passage_holds_makes_an_open_answer_bad_and_no_correct_one():
    stored = recorded(Row("q1", "open"), Row("q2", "right"), Row("q3", "open"))
    cause = Cause(name="hallucinated", stage="generator", group="found it and still missed")
    other = Cause(name="ranked_low", stage="reranker", group="found nothing")
    failed = (
        Failed(query="q1", cause=other, others=(cause,)),
        Failed(query="q2", cause=cause),
        Failed(query="q3", cause=other),
    )
    run = replace(stored.run, findings=replace(stored.run.findings, failed=failed))
    assert effects(replace(stored, run=run)) == {"q1": "rightly", "q2": "wrongly", "q3": "undetermined"}


def test_worst_first():
    queries = [
        Query(id="a", severity="low"),
        Query(id="b", severity="high"),
        Query(id="d", critical=True),
        Query(id="c"),
        Query(id="e", severity="high"),
    ]
    assert worst_first(queries) == ["d", "b", "e", "a", "c"]


def test_a_share_of_nothing_is_undefined():
    assert part(0, 0, 0.95).share is None
    assert part(0, 0, 0.95).interval is None
    half = part(5, 10, 0.95)
    assert half.share == 0.5
    assert half.interval == pytest.approx((0.2366, 0.7634), abs=1e-4)
