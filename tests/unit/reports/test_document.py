import json
import math

import msgspec
import polars as pl

from ragassay.reports.document import render_json, unversioned

MISSED = "found it and still missed"


def document(run, fractions):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(render_json(run, fractions), parse_constant=refuse)


def test_the_document_has_the_published_shape(run, fractions):
    found = document(run, fractions)
    assert found["run"] == run.id
    assert found["verdict"] is None
    recall = found["metrics"]["recall@5"]
    assert recall["value"] == 0.6
    assert recall["aggregation"] == "macro"
    assert recall["undefined"] == {"must_refuse": 2}
    assert recall["excluded"] == {"gold withdrawn": 1}
    assert (recall["numerator"], recall["denominator"], recall["n"], recall["errored"]) == (3.0, 5.0, 5, 0)
    assert [type(end) for end in recall["interval"]] == [float, float]
    assert found["slices"]["language=ru"]["recall@5"]["n"] == 2
    assert {warning["code"] for warning in found["warnings"]} >= {"missing_in_run"}
    assert all(warning["count"] >= 1 for warning in found["warnings"])


def test_every_query_has_every_metric(run, fractions):
    queries = document(run, fractions)["queries"]
    assert [each["query"] for each in queries] == [f"q{i}" for i in range(1, 9)]
    assert all(set(each["metrics"]) == set(run.summary.metrics) for each in queries)
    causes = {each["query"]: each["cause"] for each in queries}
    assert causes["q2"] is None
    assert causes["q4"] == {"name": "false_refusal", "stage": "prompt, refusal policy", "group": MISSED, "detail": None}
    first = queries[0]["metrics"]
    assert first["recall@5"] == {"numerator": 1.0, "denominator": 1.0}
    assert first["correct_abstention"] == {"undefined": "answerable"}


def test_an_errored_query_says_why(run, fractions):
    changed = fractions.with_columns(
        pl.lit(None, pl.Float64).alias("numerator"),
        pl.lit(None, pl.String).alias("undefined"),
        pl.lit("answer_unreadable").alias("errored"),
    )
    metrics = document(run, changed)["queries"][0]["metrics"]
    assert metrics["recall@5"] == {"errored": "answer_unreadable"}


def test_an_undefined_aggregate_is_null_and_says_why(run, fractions):
    found = document(run, fractions)["metrics"]["cost"]
    assert found["value"] is None
    assert found["interval"] is None
    assert found["undefined"] == {"not_recorded": 7}


def test_the_same_run_gives_the_same_bytes_in_any_order_of_its_parts(run, fractions):
    turned = msgspec.structs.replace(
        run.summary,
        metrics=dict(reversed(run.summary.metrics.items())),
        slices=dict(reversed(run.summary.slices.items())),
    )
    other = msgspec.structs.replace(run, summary=turned)
    assert render_json(other, fractions.reverse()) == render_json(run, fractions)


def test_no_number_is_outside_json(run, fractions):
    odd = msgspec.structs.replace(run.summary.metrics["recall@5"], value=math.nan, numerator=math.inf)
    summary = msgspec.structs.replace(run.summary, metrics={"recall@5": odd})
    found = document(msgspec.structs.replace(run, summary=summary), fractions)["metrics"]["recall@5"]
    assert found["value"] is None
    assert found["numerator"] is None


def test_names_are_those_of_the_summary():
    assert unversioned("recall@10:v1") == "recall@10"
    assert unversioned("ndcg@10(gain=exp):v12") == "ndcg@10(gain=exp)"
    assert unversioned("recall@10") == "recall@10"
