"""What becomes of a failed or broken answer in the matrices: data at its worst, and never graded as whole."""

from ragassay.matrices.build import build
from ragassay.matrices.cases import cases
from ragassay.records import Answer, Citation, DatasetCard, Query, Relevance, Result

QUERY = Query(id="q", question="?", answerable=True, relevant=(Relevance(document="d"),), reference="Десять дней.")
FOUND = (Result(document="d", text="Срок десять дней."),)
BROKEN = Answer(
    query="q",
    answer="Срок десять дней [1].",
    retrieved=FOUND,
    citations=(Citation(marker="[1]", document="d"),),
    complete=False,
    error="system_stream_broken: it ended without the mark of its end",
)


def test_a_broken_answer_is_shown_to_no_judge_and_failed():
    (case,) = cases([QUERY], [BROKEN], None, DatasetCard())
    assert case.answer is None
    matrices, _ = build([QUERY], [BROKEN], None, DatasetCard())
    assert matrices.abstention["observed"].to_list() == ["failed"]
    assert matrices.effort["complete"].to_list() == [False]
    assert matrices.citations.height == 0
    assert matrices.retrieval["grade"].to_list() == [1.0], "what was found was found"


def test_a_failure_of_the_system_found_nothing():
    failed = Answer(query="q", error="system_timeout: no reply in 60 s")
    other = Query(id="z", question="?", relevant=(Relevance(document="d"),))
    matrices, _ = build([QUERY, other], [failed, Answer(query="z", retrieved=FOUND)], None, DatasetCard())
    states = {row["query"]: row for row in matrices.queries.iter_rows(named=True)}
    assert states["q"]["retrieval"] == "recorded"
    assert states["q"]["error"] == failed.error
    assert matrices.retrieval["query"].to_list() == ["z"]
