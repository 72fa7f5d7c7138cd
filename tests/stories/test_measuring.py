"""From files to a report, a run folder and an exit code."""

import json

import numpy as np
import polars as pl

from ragassay.formats.runs import read_run
from ragassay.metrics.aggregation import Measured, Sampling
from ragassay.metrics.dictionary import find
from ragassay.metrics.evidence import gather
from ragassay.metrics.summary import summarise
from ragassay.metrics.table import measured_from_table
from ragassay.records import ExitCode


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_two_files_give_a_report_and_a_folder(ragassay, files):
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--corpus", "corpus.jsonl", "--out", "run")
    assert told.code is ExitCode.PASSED
    assert "recall" in told.out
    names = contents(files / "run")
    assert {"run.json", "fractions.parquet", "report.html", "report.md", "report.json"} <= names.keys()
    assert {
        f"matrices/{name}.parquet" for name in ("queries", "gold", "retrieval", "citations", "abstention", "effort")
    } <= names.keys()


def test_json_is_one_strict_document_with_everything_beside_each_number(ragassay, files):
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--json", "--out", "run")
    recall = told.json["metrics"]["recall@1"]
    assert (recall["value"], recall["numerator"], recall["denominator"], recall["n"]) == (0.5, 1.0, 2.0, 2)
    assert recall["undefined"] == {"must_refuse": 1}
    assert recall["interval"][0] < 0.5 < recall["interval"][1]
    assert told.json["metrics"]["stale@1"]["value"] is None
    assert told.json["slices"]["language=ru"]["recall@1"]["value"] == 0.0
    assert told.json["verdict"] is None
    assert {query["query"] for query in told.json["queries"]} == {"q1", "q2", "q3"}


def test_the_same_input_gives_the_same_bytes(ragassay, files):
    for name in ("one", "two"):
        ragassay("eval", "queries.jsonl", "answers.jsonl", "--corpus", "corpus.jsonl", "--out", name)
    assert contents(files / "one") == contents(files / "two")


def test_every_aggregate_can_be_rebuilt_from_the_stored_matrices(ragassay, files):
    ragassay("eval", "queries.jsonl", "answers.jsonl", "--corpus", "corpus.jsonl", "--out", "run")
    stored = read_run(files / "run")
    card = stored.run.card
    evidence = gather(stored.matrices, card.ties)
    choices = [find(identity) for identity in card.metrics]
    measured = [Measured(choice, choice.metric.measure(evidence, choice)) for choice in choices]
    sampling = Sampling(card.seed, card.resamples, card.level)
    assert summarise(measured, stored.matrices.queries, sampling) == stored.run.summary
    assert summarise(measured_from_table(stored.fractions), stored.matrices.queries, sampling) == stored.run.summary


def test_macro_and_micro_follow_from_the_table_alone(ragassay, files):
    ragassay("eval", "queries.jsonl", "answers.jsonl", "--out", "run")
    stored = read_run(files / "run")
    for name, estimate in stored.run.summary.metrics.items():
        if estimate.value is None or estimate.aggregation not in ("macro", "micro"):
            continue
        rows = stored.fractions.filter(pl.col("metric") == str(find(name))).drop_nulls("numerator")
        top, bottom = rows["numerator"].to_numpy(), rows["denominator"].to_numpy()
        rebuilt = np.mean(top / bottom) if estimate.aggregation == "macro" else top.sum() / bottom.sum()
        assert abs(rebuilt - estimate.value) < 1e-12, name


def test_a_run_is_never_written_over_another(ragassay, files):
    ragassay("eval", "queries.jsonl", "answers.jsonl", "--out", "run")
    assert ragassay("eval", "queries.jsonl", "answers.jsonl", "--out", "run").code is ExitCode.PASSED
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--k", "2", "--out", "run")
    assert told.code is ExitCode.FAULTY_INPUT
    assert "--out" in told.err


def test_explain_shows_one_query_with_its_evidence(ragassay, files):
    ragassay("eval", "queries.jsonl", "answers.jsonl", "--corpus", "corpus.jsonl", "--out", "run")
    told = ragassay("explain", "run", "q2")
    assert told.code is ExitCode.PASSED
    assert "TI-204" in told.out
    assert "Каков момент затяжки болта М12?" in told.out
    assert "superseded" in told.out
    assert ragassay("explain", "run", "q2", "--json").json["query"]


def test_explaining_what_is_not_there_is_a_fault(ragassay, files):
    ragassay("eval", "queries.jsonl", "answers.jsonl", "--out", "run")
    told = ragassay("explain", "run", "q22")
    assert told.code is ExitCode.FAULTY_INPUT
    assert "q2" in told.err
    assert ragassay("explain", "nowhere", "q2").code is ExitCode.FAULTY_INPUT


def test_the_dictionary_prints_and_explains(ragassay):
    assert "ndcg" in ragassay("metrics").out
    told = ragassay("metrics", "recall@5")
    assert told.code is ExitCode.PASSED
    assert "needs of R met" in told.out
    wrong = ragassay("metrics", "recal")
    assert wrong.code is ExitCode.FAULTY_INPUT
    assert "recall" in wrong.err


def test_a_set_goes_to_other_formats_and_back(ragassay, files):
    assert ragassay("convert", "queries.jsonl", "as.parquet").code is ExitCode.PASSED
    assert ragassay("eval", "as.parquet", "answers.jsonl", "--json").json["metrics"]["recall@1"]["value"] == 0.5


def test_a_wrong_verb_or_option_is_usage(ragassay):
    assert ragassay("evaluate").code is ExitCode.FAULTY_INPUT
    assert ragassay("eval", "x", "--no-such-option", "1").code is ExitCode.FAULTY_INPUT


def test_faults_come_as_json_too(ragassay, files):
    (files / "broken.jsonl").write_text('{"id":"q1"}\n{"id":\n', encoding="utf-8")
    told = ragassay("eval", "broken.jsonl", "answers.jsonl", "--json")
    assert told.code is ExitCode.FAULTY_INPUT
    assert any(error["line"] == 2 for error in told.json["errors"])
    assert json.dumps(told.json)
