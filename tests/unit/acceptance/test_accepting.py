"""Six controls from a run: nothing is met for want of evidence, one contrary finding decides."""

from datetime import date

import msgspec
import polars as pl
import pytest

from ragassay.acceptance import accept
from ragassay.acceptance.presented import together
from ragassay.records import Answer, CriticalResult, Gate, GateResult, JudgeCard, Notice, Policy, Result, SystemCard
from ragassay.records.acceptance import Approval
from ragassay.records.run import Asked
from ragassay.records.verdict import Verdict

ORDER = ["scope", "data", "control", "evidence", "quality", "release"]
HUMAN = JudgeCard(name="human", kind="human", version="1", screens=False)
MODEL = JudgeCard(name="model", kind="llm", version="1", screens=False)
SCREEN = JudgeCard(name="embedded", kind="embedded", version="1", screens=True)


def critical(query, passed):
    failed, undecided = (("correct",) if passed is False else ()), (("correct",) if passed is None else ())
    return CriticalResult(query=query, question=None, passed=passed, failed=failed, undecided=undecided)


def result(outcome="passed", metric="recall@1", target_reached=None, **gate):
    return GateResult(gate=Gate(metric=metric, **gate), outcome=outcome, message="m", target_reached=target_reached)


def verdict(*gates, outcome="passed", flags=()):
    return Verdict(
        policy="p 1", policy_hash="h", run="r", baseline=None, outcome=outcome, gates=tuple(gates), flags=tuple(flags)
    )


def test_the_controls_are_six_and_every_check_of_them_has_a_name_of_its_own(presented):
    acceptance = accept(presented())
    assert [control.name for control in acceptance.controls] == ORDER
    names = [check.name for control in acceptance.controls for check in control.checks]
    assert len(names) == len(set(names))
    for control in acceptance.controls:
        assert control.outcome == together([check.outcome for check in control.checks])
        assert all((check.needed is None) == (check.outcome == "met") for check in control.checks)
        assert control.headings


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([], "not_shown"),
        (["met"], "met"),
        (["met", "not_shown"], "not_shown"),
        (["not_shown", "not_met", "met"], "not_met"),
    ],
)
def test_one_contrary_finding_decides_and_silence_shows_nothing(outcomes, expected):
    assert together(outcomes) == expected


def test_a_run_alone_shows_neither_quality_nor_release(presented):
    controls = {each.name: each.outcome for each in accept(presented(findings={"critical": ()})).controls}
    assert (controls["quality"], controls["release"]) == ("not_shown", "not_shown")


def notice(code):
    return (Notice(code=code, count=2, message="m"),)


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("system", {"card": {"system": None}}, "not_shown"),
        (
            "system",
            {
                "card": {
                    "system": None,
                    "asked": Asked(system=SystemCard(kind="http", name="u", model="m"), repetition=1),
                }
            },
            "met",
        ),
        (
            "system",
            {"card": {"system": None, "asked": Asked(system=SystemCard(kind="http", name="u"), repetition=1)}},
            "not_shown",
        ),
        ("dataset", {"card": {"dataset": "unnamed"}}, "not_shown"),
        ("dataset", {"card": {"dataset": "desk", "dataset_version": "1"}}, "met"),
        ("labelling_rules", {"card": {"labelling_rules": " "}}, "not_shown"),
        ("labelling_rules", {"card": {"labelling_rules": "relevant: it answers"}}, "met"),
        ("critical_queries", {"findings": {"critical": ()}}, "not_shown"),
        ("answers", {"notices": notice("missing_in_run")}, "not_shown"),
        ("answers", {"notices": ()}, "met"),
        ("pinned", {}, "met"),
        ("pinned", {"card": {"answers_hash": "sha256:0"}}, "not_met"),
        ("pinned", {"notices": notice("lock_mismatch")}, "not_met"),
        ("corpus", {"card": {"corpus_hash": None}}, "not_shown"),
        ("origins", {"findings": {"origins": {"support ticket": 3}}}, "met"),
        ("origins", {"findings": {"origins": {"support ticket": 3, "not given": 1}}}, "not_shown"),
        ("origins", {"findings": {"origins": {"synthetic": 1}}}, "not_shown"),
        ("origins", {"findings": {"origins": {"synthetic, not proofread": 1}}}, "not_shown"),
        ("origins", {"findings": {"origins": {"synthetic, proofread by A": 1}}}, "met"),
        ("origins", {"findings": {"origins": {"Синтетика, вычитана А.": 1}}}, "met"),
        ("origins", {"findings": {"origins": {"сгенерировано": 1}}}, "not_shown"),
        ("origins", {"findings": {"origins": {}}}, "not_shown"),
        ("labels", {"notices": notice("conflicting_gold")}, "not_met"),
        ("labels", {"notices": notice("ties")}, "met"),
        ("label_dates", {"card": {"as_of": None}, "queries": ()}, "not_shown"),
        ("judge", {"card": {"judge": None}}, "not_shown"),
        ("judge", {"card": {"judge": MODEL}}, "met"),
        ("agreement", {"card": {"judge": MODEL}}, "not_shown"),
        ("agreement", {"card": {"judge": HUMAN}}, "met"),
        (
            "agreement",
            {"card": {"judge": msgspec.structs.replace(HUMAN, settings={"otherwise": "embedded"})}},
            "not_shown",
        ),
        ("confirmed", {"card": {"judge": SCREEN, "labels_hash": None}}, "not_shown"),
        ("confirmed", {"card": {"judge": SCREEN, "labels_hash": "sha256:0"}}, "met"),
        ("confirmed", {"card": {"judge": MODEL}}, "met"),
        ("coverage", {}, "not_shown"),
        ("disputed", {}, "not_shown"),
        ("critical", {"findings": {"critical": (critical("a", True), critical("b", False))}}, "not_met"),
        ("critical", {"findings": {"critical": (critical("a", True), critical("b", None))}}, "not_shown"),
        ("critical", {"findings": {"critical": (critical("a", True),)}}, "met"),
        ("critical", {"findings": {"critical": ()}}, "not_shown"),
        ("verdict", {"verdict": verdict(result())}, "met"),
        ("verdict", {"verdict": verdict(result("undecided"), outcome="undecided")}, "not_shown"),
        ("verdict", {"verdict": verdict(result("breached"), outcome="breached")}, "not_met"),
        ("targets", {"verdict": verdict(result(at_least=0.5))}, "not_shown"),
        ("targets", {"verdict": verdict(result(target=0.5, target_reached=True))}, "met"),
        ("targets", {"verdict": verdict(result(target=0.5))}, "not_shown"),
        ("targets", {"verdict": verdict(result(target=0.5, target_reached=False))}, "not_met"),
        ("policy", {"verdict": verdict(result(), flags=["f"])}, "not_shown"),
        ("policy", {"verdict": verdict(result())}, "met"),
        ("no_worse", {"verdict": verdict(result())}, "not_shown"),
        ("no_worse", {"verdict": verdict(result(no_worse_by=0.1))}, "met"),
        ("no_worse", {"verdict": verdict(result("undecided", no_worse_by=0.1))}, "not_shown"),
        ("no_worse", {"verdict": verdict(result("breached", no_worse_by=0.1))}, "not_met"),
    ],
)
def test_a_check_says_what_the_evidence_says(outcome, name, changes, expected):
    assert outcome(name, **changes)[0] == expected


def test_a_gate_says_how_much_of_a_fault_is_borne(outcome, presented):
    metric = "citation_faults(fault=superseded)"
    assert presented().run.summary.metrics[metric].value
    assert outcome(metric)[0] == "not_met"
    gate = result(metric=metric, at_most=9)
    assert outcome(metric, verdict=verdict(gate))[0] == "met"
    on_slice = result(metric=metric, at_most=9, slice="language=ru")
    assert outcome(metric, verdict=verdict(on_slice))[0] == "not_met"
    assert (
        outcome("withheld_rate", verdict=verdict(result("breached", metric="withheld_rate", at_most=0)))[0] == "not_met"
    )


def test_access_is_shown_by_queries_that_somebody_asks(outcome, evaluation):
    queries = evaluation.matrices.queries
    nobody = queries.with_columns(pl.lit(None, dtype=queries.schema["groups"]).alias("groups"))
    assert outcome("requesters")[0] == "met"
    assert outcome("requesters", matrices=evaluation.matrices._replace(queries=nobody))[0] == "not_shown"


def test_a_question_in_the_corpus_is_named(outcome, presented):
    question = "What voids the warranty of the pump?"
    for text, expected in ((f"FAQ. {question.upper()}", "not_shown"), ("The warranty is void if …", "met")):
        answers = (Answer(query="q5", retrieved=(Result(document="MT-12", text=text),)),)
        found = outcome("leakage", answers=answers)
        assert found[0] == expected
        assert ("q5" in found[1]) == (expected != "met")
    assert outcome("leakage", answers=())[0] == "not_shown"


def judged_and_labelled(number, apart=0.25):
    rows = {"metric": ["grounded_claim_rate:v1"] * number, "query": [f"q{place}" for place in range(number)]}
    return pl.DataFrame(rows).with_columns(
        numerator=pl.lit(1.0),
        denominator=pl.lit(1.0),
        judge_numerator=pl.lit(1.0 - apart),
        judge_denominator=pl.lit(1.0),
        by_people=pl.lit(True),
    )


def test_agreement_needs_a_hundred_queries_that_people_labelled(outcome):
    for number, expected in ((99, "not_shown"), (100, "met")):
        found = outcome("agreement", card={"judge": MODEL}, fractions=judged_and_labelled(number))
        assert found == (expected, found[1])
        assert f"0.250 apart on average, on {number} queries" in found[1]


def test_what_is_compared_is_another_run_under_the_same_rules(outcome, presented):
    other = presented(card={"system": "old"}).run
    other = msgspec.structs.replace(other, id="another")
    assert outcome("baseline")[0] == outcome("comparable")[0] == "not_shown"
    assert outcome("baseline", baseline=presented().run)[0] == "not_shown"
    assert outcome("baseline", baseline=other)[0] == outcome("comparable", baseline=other)[0] == "met"
    assert outcome("comparable", baseline=other, card={"dataset_hash": "x"})[0] == "not_shown"


@pytest.mark.parametrize(("now", "expected"), [(True, "met"), (False, "not_met"), (None, "not_shown")])
def test_a_critical_query_that_passed_before_must_pass_now(outcome, presented, now, expected):
    before = presented(findings={"critical": (critical("a", True), critical("b", False))}).run
    after = {"critical": (critical("a", now), critical("b", False))}
    assert outcome("critical_kept", baseline=before, findings=after)[0] == expected


def test_a_pinned_failure_must_not_come_back(outcome, presented, evaluation):
    assert "pinned_cases" not in [check.name for control in accept(presented()).controls for check in control.checks]
    failed = evaluation.run.findings.failed[0].query
    whole = {each.query for each in evaluation.run.findings.failed}
    fine = next(name for name in evaluation.matrices.queries["query"] if name not in whole)
    for query, expected in ((failed, "not_met"), (fine, "met")):
        slices = pl.when(pl.col("query") == query).then(pl.lit(["incident"])).otherwise("slices")
        queries = evaluation.matrices.queries.with_columns(slices.alias("slices"))
        assert outcome("pinned_cases", matrices=evaluation.matrices._replace(queries=queries))[0] == expected


def test_an_approval_is_bound_to_run_verdict_and_findings(presented):
    plain = accept(presented())
    signed = Approval(approves=plain.content, person="A. Keeper", date=date(2026, 11, 30))

    def approval(**changes):
        return accept(presented(approval=signed, **changes)).controls[-1].checks[-1].outcome

    assert accept(presented(approval=signed)).content == plain.content
    assert approval() == "met"
    assert approval(verdict=verdict(result())) == "not_shown"
    assert approval(card={"answers_hash": "sha256:0"}) == "not_shown"
    assert approval(disputes=("q1",)) == "not_shown"
    nobody = msgspec.structs.replace(signed, person=" ")
    assert accept(presented(approval=nobody)).controls[-1].checks[-1].outcome == "not_shown"


def test_what_nobody_measured_is_listed(presented):
    acceptance = accept(presented(notices=notice("ties")))
    run = presented().run
    assert any(line.startswith("Not measured, ") for line in acceptance.unknowns)
    assert len(acceptance.unknowns) == len(set(run.not_shown.values())) + 1


def test_a_policy_sets_the_floor_of_coverage(presented):
    assert presented().floor == 0.95
    assert presented(policy=Policy(name="p", coverage=0.5)).floor == 0.5


def test_a_number_that_another_version_counted_otherwise_is_no_proof_of_a_change(outcome):
    assert outcome("rederived")[0] == "met"
    assert outcome("rederived", findings={"origins": {}})[0] == "not_met"
    told = outcome("rederived", findings={"origins": {}}, card={"ragassay": "0.0.9"})
    assert told[0] == "not_shown"
    assert "version 0.0.9" in told[1]
    assert outcome("rederived", card={"metrics": ("mrr:v99",)})[0] == "not_shown"
