"""What is stored must follow from the matrices, number by number."""

import msgspec
import polars as pl
import pytest
from msgspec.structs import replace

from ragassay.acceptance.rederiving import departures
from ragassay.records import Run


def found(evaluation, run=None, matrices=None, fractions=None):
    return departures(
        run or evaluation.run,
        evaluation.matrices if matrices is None else matrices,
        evaluation.fractions if fractions is None else fractions,
    )


def test_a_run_follows_from_its_matrices(evaluation):
    assert found(evaluation) == []


def test_also_as_it_is_read_back(evaluation):
    stored = msgspec.json.decode(msgspec.json.encode(evaluation.run), type=Run)
    assert found(evaluation, stored) == []


def changed(run, metric, **fields):
    metrics = run.summary.metrics | {metric: replace(run.summary.metrics[metric], **fields)}
    return replace(run, summary=replace(run.summary, metrics=metrics))


@pytest.mark.parametrize(
    "fields", [{"value": 0.123}, {"value": None}, {"n": 99}, {"interval": (0.0, 0.5)}, {"errored": 1}]
)
def test_every_field_of_an_estimate_is_compared(evaluation, fields):
    assert found(evaluation, changed(evaluation.run, "mrr", **fields)) == ["run.json#/summary/metrics/mrr"]


def test_what_floats_lose_by_adding_is_no_departure(evaluation):
    value = evaluation.run.summary.metrics["mrr"].value
    assert found(evaluation, changed(evaluation.run, "mrr", value=value * (1 + 1e-13))) == []
    assert found(evaluation, changed(evaluation.run, "mrr", value=value * (1 + 1e-6)))


def test_slices_findings_and_the_id_are_compared(evaluation):
    run = evaluation.run
    without = replace(run.summary, slices={name: run.summary.slices[name] for name in list(run.summary.slices)[1:]})
    assert all("/summary/slices/critical=yes/" in place for place in found(evaluation, replace(run, summary=without)))
    assert found(evaluation, replace(run, summary=without))
    fewer = replace(run.findings, failed=run.findings.failed[1:], critical=())
    places = ["run.json#/findings/critical", "run.json#/findings/failed"]
    assert found(evaluation, replace(run, findings=fewer)) == places
    assert found(evaluation, replace(run, card=replace(run.card, system="another"))) == ["run.json#/id"]


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.head(-1),
        lambda table: table.drop("errored"),
        lambda table: table.with_columns(pl.col("numerator") * 0.5),
        lambda table: table.with_columns(pl.lit(None, dtype=pl.String).alias("undefined")),
        lambda table: table.with_columns(pl.lit(None, dtype=pl.Float64).alias("denominator")),
    ],
)
def test_fractions_are_compared_row_by_row(evaluation, change):
    assert found(evaluation, fractions=change(evaluation.fractions)) == ["fractions.parquet"]


def test_the_order_of_rows_and_what_else_is_stored_do_not_matter(evaluation):
    table = evaluation.fractions.reverse().with_columns(pl.lit(1.0).alias("judge_numerator"))
    assert found(evaluation, fractions=table) == []


def test_evidence_that_was_changed_departs_from_every_number_it_carries(evaluation):
    retrieval = evaluation.matrices.retrieval.with_columns(pl.lit("elsewhere").alias("id"))
    places = found(evaluation, matrices=evaluation.matrices._replace(retrieval=retrieval))
    assert "run.json#/summary/metrics/mrr" in places
    assert "fractions.parquet" in places


def test_a_metric_of_another_version_is_not_guessed(evaluation):
    card = replace(evaluation.run.card, metrics=("mrr:v99",))
    with pytest.raises(ValueError, match="v99"):
        found(evaluation, replace(evaluation.run, card=card))
