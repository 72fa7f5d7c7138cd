"""Recorded bug reports about retrieval numbers and their aggregates, each with its right value."""

from datetime import date

import msgspec
import numpy as np
import pytest
from cases import case

from ragassay.formats.bundle import Bundle
from ragassay.metrics.aggregation import Measured, Sampling, estimates, worst_and_best
from ragassay.metrics.definition import fractions
from ragassay.metrics.dictionary import find
from ragassay.records import Answer, DatasetCard, Document, FaultyInput, Query, Relevance, Requester, Result
from ragassay.runner import Settings, measure

TOLERANCE = 1e-6


def query(name, gold, **more):
    grades = gold if isinstance(gold, dict) else dict.fromkeys(gold, 1)
    relevant = tuple(Relevance(document=each, grade=float(grade)) for each, grade in grades.items())
    return Query(id=name, relevant=relevant, **more)


def answer(name, retrieved, **more):
    results = tuple(each if isinstance(each, Result) else Result(document=each) for each in retrieved)
    return Answer(query=name, retrieved=results, **more)


def run(queries, answers, metrics=None, **settings):
    card = DatasetCard(**settings.pop("card", {}))
    bundle = Bundle(
        queries=tuple(queries), answers=tuple(answers), card=card, documents=settings.pop("documents", None)
    )
    metrics = None if metrics is None else tuple(metrics)
    return measure(bundle, Settings(metrics=metrics, resamples=50, **settings))


def value(evaluation, metric):
    return evaluation.run.summary.metrics[metric].value


def per_query(evaluation, metric):
    rows = evaluation.fractions.filter(evaluation.fractions["metric"].str.starts_with(metric + ":"))
    return {
        name: "na" if numerator is None else numerator / denominator
        for name, numerator, denominator in rows.select("query", "numerator", "denominator").iter_rows()
    }


def codes(evaluation):
    return {notice.code: notice for notice in evaluation.run.notices}


def agree(evaluation, expected):
    for metric, number in expected.items():
        assert value(evaluation, metric) == pytest.approx(number, abs=TOLERANCE), metric


def test_c01_a_repeat_keeps_its_rank_and_earns_nothing():
    given, expected = case("C01")
    found = run(
        [query("q", given["relevant"])],
        [answer("q", given["retrieved"])],
        ["recall@3", "precision@3", "ndcg@3", "map@3", "mrr"],
    )
    agree(found, {name: expected[name] for name in ("recall@3", "precision@3", "ndcg@3")})
    agree(found, {"map@3": expected["ap"], "mrr": expected["rr"]})
    code, _, count = expected["warning"].partition(":")
    assert codes(found)[code].count == int(count)


def test_c04_passages_are_mapped_to_the_documents_that_the_gold_names():
    given, expected = case("C04")
    results = [Result(passage=each["id"], document=each["parent"]) for each in given["retrieved"]]
    found = run(
        [query("q", given["relevant_documents"])], [answer("q", results)], ["recall@3", "precision@3", "mrr", "ndcg@3"]
    )
    agree(found, {name: expected[name] for name in ("recall@3", "precision@3", "ndcg@3")} | {"mrr": expected["rr"]})
    assert found.run.card.unit == given["gold_level"]
    assert "duplicate_retrieved_ids" not in codes(found)


def test_c05_ids_that_never_meet_are_a_join_fault():
    given, expected = case("C05")
    queries = [query(name, gold) for name, gold in given["relevant"].items()]
    answers = [answer(name, found) for name, found in given["retrieved"].items()]
    with pytest.raises(FaultyInput) as caught:
        run(queries, answers)
    (fault,) = caught.value.faults
    assert fault.code == expected["code"]
    samples = ["page-1", "page-2", "11cd", "77aa"]
    assert all(sample in fault.message for sample in samples)
    confirmed = run(queries, answers, ["recall@2"], card={"disjoint_ids": True})
    assert value(confirmed, "recall@2") == 0


def test_c08_a_query_without_gold_is_left_out_and_counted():
    given, expected = case("C08")
    found = run(
        [query(name, gold) for name, gold in given["qrels"].items()],
        [answer(name, found) for name, found in given["run"].items()],
        [given["metric"]],
    )
    estimate = found.run.summary.metrics[given["metric"]]
    by_query = per_query(found, given["metric"])
    assert by_query["q2"] == expected["q2"]
    assert by_query["q3"] == pytest.approx(expected["q3"], abs=TOLERANCE)
    assert estimate.value == pytest.approx(expected["mean"], abs=TOLERANCE)
    assert (estimate.n, sum(estimate.undefined.values())) == (expected["n_scored"], expected["n_na"])


def test_c10_finding_nothing_is_worth_nothing_and_stays_in_the_mean():
    given, expected = case("C10")
    found = run(
        [query(name, gold) for name, gold in given["relevant"].items()],
        [answer(name, found) for name, found in given["retrieved"].items()],
        ["recall@5", "mrr", "ndcg@5"],
    )
    for ours, theirs in (("recall@5", "recall@5"), ("mrr", "rr"), ("ndcg@5", "ndcg@5")):
        assert per_query(found, ours)["q2"] == expected["q2"][theirs]
        assert value(found, ours) == pytest.approx(expected["mean"][theirs])
        assert found.run.summary.metrics[ours].n == expected["n_scored"]


def test_c11_equal_scores_count_with_the_mean_over_their_orders():
    given, expected = case("C11")
    in_order = run([query("q", given["relevant"])], [answer("q", given["given_order"])], ["mrr"])
    assert value(in_order, "mrr") == pytest.approx(expected["when_order_given"]["rr"], abs=TOLERANCE)
    scored = [Result(document=name, score=score) for name, score in given["run_scores"].items()]
    only_scores = run([query("q", given["relevant"])], [answer("q", scored, ordered=False)], ["mrr"])
    assert value(only_scores, "mrr") == pytest.approx(expected["when_only_scores"]["rr"], abs=TOLERANCE)
    code, _, count = expected["warning"].partition(":")
    assert codes(only_scores)[code].count == int(count)


def test_c13_the_ideal_order_comes_from_the_gold():
    given, expected = case("C13")
    first = given[0]
    found = run(
        [query("q", first["relevant"])], [answer("q", first["retrieved"])], ["ndcg@10", "recall@10", "hit_rate@10"]
    )
    agree(
        found,
        {
            "ndcg@10": expected[0]["ndcg@10"],
            "recall@10": expected[0]["recall@10"],
            "hit_rate@10": expected[0]["hit@10"],
        },
    )
    many = [f"r{number}" for number in range(given[1]["relevant_count"])]
    found = run([query("q", many)], [answer("q", [many[0], "x"])], ["recall@10", "hit_rate@10"])
    agree(found, {"recall@10": expected[1]["recall@10"], "hit_rate@10": expected[1]["hit@10"]})


def test_c15_query_ids_and_document_ids_are_separate_names():
    given, expected = case("C15")
    found = run([query("0", given["qrels"]["0"])], [answer("0", given["run"]["0"])], list(expected))
    agree(found, expected)


def test_c17_queries_on_one_side_only_are_counted_and_named():
    given, expected = case("C17")
    found = run(
        [query(name, gold) for name, gold in given["relevant"].items()],
        [answer(name, found) for name, found in given["retrieved"].items()],
        ["mrr"],
    )
    assert per_query(found, "mrr") == {name: expected[name] for name in ("q1", "q2", "q3")}
    assert value(found, "mrr") == expected["mean"]
    assert found.run.summary.metrics["mrr"].n == expected["n"]
    told = {f"{code}:[{','.join(notice.samples)}]" for code, notice in codes(found).items()}
    assert set(expected["warnings"]) <= told


def test_c19_the_gain_is_part_of_the_name():
    given, expected = case("C19")
    found = run([query("q", given["qrels"])], [answer("q", given["retrieved"])], ["ndcg@10", "ndcg@10(gain=exp)"])
    agree(found, {"ndcg@10": expected["ndcg@10 linear"], "ndcg@10(gain=exp)": expected["ndcg@10 exponential"]})


def test_c21_unjudged_results_are_shown_beside_the_number():
    given, expected = case("C21")
    found = run(
        [query("q", given["qrels"])],
        [answer("q", given["retrieved"])],
        ["ndcg@3", "judged@3", "ndcg@3(results=condensed)"],
    )
    agree(found, {"ndcg@3": expected["ndcg@3"], "judged@3": expected["judged@3"]})
    agree(found, {"ndcg@3(results=condensed)": expected["option"]["condensed"]["ndcg@3"]})
    assert expected["warning"] in codes(found)


def test_c22_the_first_hit_counts_once_and_alternatives_are_one_need():
    given, expected = case("C22")
    found = run([query("q", given[0]["relevant"])], [answer("q", given[0]["retrieved"])], ["mrr", "map@3"])
    agree(found, {"mrr": expected[0]["rr"], "map@3": expected[0]["ap"]})
    needs = [
        Relevance(document=each, need=str(number))
        for number, group in enumerate(given[1]["gold_groups_any_of"])
        for each in group
    ]
    found = run(
        [Query(id="q", relevant=tuple(needs))], [answer("q", given[1]["retrieved"])], ["recall@3", "precision@3", "mrr"]
    )
    agree(
        found,
        {
            "recall@3": expected[1]["group_recall@3"],
            "precision@3": expected[1]["precision@3"],
            "mrr": expected[1]["rr"],
        },
    )


def test_c44_errors_neither_poison_nor_vanish():
    given, expected = case("C44")
    rows = given["rows"]
    errored = np.array([row == "error" for row in rows])
    numbers = np.array([0.0 if row == "error" else row for row in rows])
    choice = find("recall@1")
    measured = Measured(choice, fractions(numbers, 1.0, {"error:judge_failed": errored}))
    estimate = estimates([measured], np.ones(3, dtype=bool), [None] * 3, Sampling(1, 50, 0.95))["recall@1"]
    assert estimate.value == expected["mean"]
    assert (estimate.n, estimate.errored) == (expected["n_scored"], expected["n_error"])
    assert estimate.coverage == pytest.approx(expected["coverage"], abs=TOLERANCE)
    ends = worst_and_best(choice, estimate)
    assert ends == pytest.approx((expected["worst_case_mean"], expected["best_case_mean"]), abs=TOLERANCE)


def test_c61_a_superseded_revision_is_found_out_by_code():
    given, expected = case("C61")
    documents = tuple(
        Document(
            document="policy",
            revision=each["id"].partition("@")[2],
            status="in_force" if "valid_to" not in each else "superseded",
            valid_from=msgspec.convert(each.get("valid_from"), type=date | None),
            valid_to=msgspec.convert(each.get("valid_to"), type=date | None),
            readers=("*",),
        )
        for each in given["contexts"]
    )
    results = [Result(passage=each["id"], document="policy", revision=each["id"][-2:]) for each in given["contexts"]]
    day = msgspec.convert(given["as_of"], type=date)
    asked = query("q", ["policy"], as_of=day, critical=True, requester=Requester(), answerable=True)
    found = run(
        [asked], [answer("q", results, answer=given["answer"] + " [1]")], ["stale@2", "mrr"], documents=documents
    )
    assert value(found, "stale@2") == 0.5
    assert value(found, "mrr") == 0.5
    (critical,) = found.run.findings.critical
    assert expected["used_superseded_source"]
    assert "revisions_in_force" in critical.failed


def test_c64_a_broken_stream_is_neither_graded_nor_lost():
    given, expected = case("C64")
    whole, broken = (
        answer(
            f"q{number}", ["d"], answer="".join(each["deltas"]) + " [1]", complete=each["end"] == "stop", total_ms=90.0
        )
        for number, each in enumerate(given)
    )
    queries = [query(f"q{number}", ["d"], answerable=True) for number in range(2)]
    found = run(
        queries, [whole, broken], ["broken_off", "uncited_claims", "total_latency(p=50)", "cost", "input_tokens"]
    )
    assert value(found, "broken_off") == 1
    reason = expected[1]["quality_metrics"]["reason"]
    for metric in ("uncited_claims", "total_latency(p=50)"):
        assert found.run.summary.metrics[metric].undefined == {reason: 1}
    assert value(found, "cost") is expected[0]["cost"]
    assert value(found, "input_tokens") is expected[0]["tokens"]
    assert found.run.findings.refusals["answer"]["failed"] == 1


def test_c83_repeats_and_conflicting_gold_are_told():
    given, expected = case("C83")
    queries = [Query(id=each["id"], question=each["q"], reference=each["gold"]) for each in given["test"]]
    found = codes(run(queries, [answer(each.id, ["x"]) for each in queries]))
    groups = [list(sample.split("|")) for sample in found["duplicate_questions"].samples]
    assert groups == expected["duplicate_groups"]
    assert list(found["conflicting_gold"].samples) == expected["conflicting_gold"]
    assert f" {expected['effective_n']} different questions" in found["duplicate_questions"].message


def test_c91_a_harmonic_mean_with_nothing_in_it_is_zero_and_of_nothing_is_undefined():
    _, expected = case("C91")
    nothing_found = run([query("q", ["a"])], [answer("q", ["x"])], ["f1@1"], card={"disjoint_ids": True})
    assert value(nothing_found, "f1@1") == expected[1]
    nothing_to_find = run([query("q", [])], [answer("q", ["x"])], ["f1@1"])
    assert per_query(nothing_to_find, "f1@1") == {"q": expected[3]["status"]}
