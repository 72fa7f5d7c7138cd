import io

import msgspec
import pytest
from rich.console import Console

from ragassay.records import Errored, Measured, Undefined
from ragassay.reports.explain import explanation, render_explanation


@pytest.fixture(scope="module")
def explain(evaluation):
    def of(query, **changes):
        observed = evaluation.observed
        known = explanation(
            query,
            evaluation.matrices,
            evaluation.fractions,
            observed.queries,
            observed.answers,
            evaluation.run.findings,
        )
        return msgspec.structs.replace(known, **changes)

    return of


def shown(known):
    page = io.StringIO()
    render_explanation(known, Console(file=page, width=80, no_color=True))
    return page.getvalue()


def test_it_gathers_what_was_asked_found_said_and_measured(explain):
    known = explain("q1")
    assert known.expected == "answer"
    assert known.observed == "answered"
    assert known.groups == ("assembly",)
    assert known.as_of.isoformat() == "2026-10-01"
    assert [(each.id, each.grade) for each in known.needed] == [("TI-204", 2.0)]
    assert [(each.rank, each.revision, each.in_force, each.text) for each in known.found] == [
        (1, "B", False, "Text of TI-204@B."),
        (2, "E", True, "Text of QP-03@E."),
        (3, "C", True, "Text of TI-204@C."),
    ]
    assert [(each.marker, each.faults) for each in known.citations] == [("[1]", ("superseded",))]
    assert known.measurements["recall@5"] == Measured(1.0, 1.0)
    assert known.measurements["correct_abstention"] == Undefined("answerable")
    assert known.failure is not None
    assert [known.failure.cause.name, *(cause.name for cause in known.failure.others)] == [
        "citation_superseded",
        "superseded_used",
    ]
    assert known.failure.cause.detail == "[1] TI-204@B#1"
    assert "critical condition failed: revisions in force" in known.conditions


def test_it_is_shown_whole(explain):
    text = shown(explain("q1"))
    assert "Каким моментом затягивать болты M12?" in text
    assert "1  TI-204@B#1 rev B  grade 2 · NOT in force · readable" in text
    assert "2  QP-03@E#1 rev E  unjudged · in force · readable" in text
    assert "Болты затягивают моментом 70 Н·м [1]." in text
    assert "observed: answered" in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_numbers_have_their_fraction_or_their_reason(explain):
    known = explain(
        "q1", measurements={"recall@5": Measured(1.0, 4.0), "mrr": Errored("judge_down"), "cost": Undefined("x")}
    )
    lines = {line.split("  ")[0]: " ".join(line.split()) for line in shown(known).splitlines()}
    assert lines["recall@5"] == "recall@5 25.0% 1 / 4"
    assert lines["mrr"] == "mrr — errored: judge down"
    assert lines["cost"] == "cost — x"


def test_a_query_without_an_answer_is_explained_too(explain):
    text = shown(explain("q6"))
    assert "observed: failed · no_answer_recorded" in text
    assert "Nothing was retrieved." in text
    assert "no answer: failed, broke off or said nothing" in text


def test_an_excluded_query_says_so(explain):
    assert "excluded   gold withdrawn" in shown(explain("q8"))


def test_unknown_standing_is_neither_good_nor_bad(explain):
    known = explain("q1")
    found = msgspec.structs.replace(known.found[0], in_force=None, readable=None, rank=None, score=0.83, is_packed=True)
    text = " ".join(shown(msgspec.structs.replace(known, found=(found,), packed=("TI-204@B#1",))).split())
    assert "– TI-204@B#1 rev B grade 2 · in force unknown · access unknown · 0.83 · packed" in text


def test_an_unknown_query_names_the_nearest(evaluation):
    observed = evaluation.observed
    with pytest.raises(ValueError, match="did you mean 'q1'"):
        explanation("q11", evaluation.matrices, evaluation.fractions, observed.queries, observed.answers)


def test_without_findings_nothing_is_said_to_have_failed(evaluation):
    observed = evaluation.observed
    known = explanation("q1", evaluation.matrices, evaluation.fractions, observed.queries, observed.answers)
    assert (known.failure, known.conditions) == (None, ())
