"""Input as people really have it ends in a clear message or a named state, never in a wrong number."""

import json

import polars as pl
import pytest
from desk import ANSWERS, QUERIES, write_lines

from ragassay.records import ExitCode


def warned(told):
    return {warning["code"]: warning for warning in told.json["warnings"]}


def refused(told):
    assert told.code is ExitCode.FAULTY_INPUT
    return {error["code"] for error in told.json["errors"]}


def test_gold_of_documents_and_results_of_passages_never_meet(ragassay, files):
    loose = [
        {**answer, "retrieved": [{"passage": each["passage"]} for each in answer["retrieved"]]} for answer in ANSWERS
    ]
    write_lines(files / "answers.jsonl", loose)
    assert refused(ragassay("eval", "queries.jsonl", "answers.jsonl", "--json")) == {"id_namespaces_disjoint"}


def test_gold_that_mixes_documents_and_passages_is_refused(ragassay, files):
    mixed = [*QUERIES, {"id": "q4", "question": "?", "relevant": [{"passage": "TI-204#1"}]}]
    write_lines(files / "queries.jsonl", mixed)
    assert refused(ragassay("eval", "queries.jsonl", "answers.jsonl", "--json")) == {"mixed_units"}


def test_answers_to_unknown_queries_are_counted_and_left_out(ragassay, files):
    write_lines(files / "answers.jsonl", [*ANSWERS, {"query": "q9", "answer": "?", "retrieved": []}])
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--json")
    assert warned(told)["unknown_in_gold"]["count"] == 1
    assert told.json["metrics"]["recall@1"]["n"] == 2


def test_an_unanswered_query_counts_nothing_and_stays(ragassay, files):
    write_lines(files / "answers.jsonl", ANSWERS[1:])
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--json")
    assert told.json["metrics"]["recall@1"]["value"] == 0.0
    assert told.json["metrics"]["recall@1"]["n"] == 2
    assert warned(told)["missing_in_run"]["count"] == 1


@pytest.mark.parametrize("which", ["queries.jsonl", "answers.jsonl"])
def test_ids_given_twice_are_refused(ragassay, files, which):
    rows = QUERIES if which == "queries.jsonl" else ANSWERS
    write_lines(files / which, [*rows, rows[0]])
    assert refused(ragassay("eval", "queries.jsonl", "answers.jsonl", "--json"))


def test_unjudged_results_and_empty_gold_are_named(ragassay, files):
    write_lines(files / "queries.jsonl", [QUERIES[0], {**QUERIES[1], "relevant": []}])
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--json")
    assert told.json["metrics"]["recall@1"]["undefined"] == {"no_relevant": 1}
    assert told.json["metrics"]["judged@1"]["n"] == 2


@pytest.mark.parametrize("content", [b"", b"\n\n", b"   ", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("which", ["queries.jsonl", "answers.jsonl"])
def test_empty_files_are_refused_by_name(ragassay, files, content, which):
    (files / which).write_bytes(content)
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--json")
    assert refused(told)
    assert any(error["file"] == which for error in told.json["errors"])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none_are_refused_with_their_line(ragassay, files, number):
    text = json.dumps(ANSWERS[0], ensure_ascii=False).replace('"total_ms": 120', f'"total_ms": {number}')
    assert number in text
    (files / "answers.jsonl").write_text(
        json.dumps(ANSWERS[2], ensure_ascii=False) + "\n" + text + "\n", encoding="utf-8"
    )
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--json")
    assert refused(told)
    assert told.json["errors"][0]["line"] == 2


def test_two_hundred_columns_are_read_and_the_strange_ones_named(ragassay, files):
    names = ["id", "question", "relevant_doc", *(f"extra_{number}" for number in range(197))]
    rows = [",".join(names), ",".join(["q1", "What?", "TI-204", *["x"] * 197])]
    (files / "wide.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    told = ragassay("eval", "wide.csv", "answers.jsonl", "--json")
    assert told.json["metrics"]["recall@1"]["value"] == 1.0
    assert warned(told)["unknown_fields"]["count"] == 197


def test_a_cell_of_a_megabyte_is_carried(ragassay, files):
    write_lines(files / "answers.jsonl", [{**ANSWERS[0], "answer": "Слово. " * 150_000}, *ANSWERS[1:]])
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--json")
    assert told.code is ExitCode.PASSED


def test_a_broken_parquet_is_refused(ragassay, files):
    pl.DataFrame({"id": ["q1"], "question": ["?"]}).write_parquet(files / "q.parquet")
    whole = (files / "q.parquet").read_bytes()
    for broken in (whole[: len(whole) // 2], b"PAR1" + b"\x00" * 64 + b"PAR1", whole[:-4] + b"XXXX"):
        (files / "q.parquet").write_bytes(broken)
        assert refused(ragassay("eval", "q.parquet", "answers.jsonl", "--json"))


def test_a_missing_file_and_a_folder_without_queries_are_refused(ragassay, files):
    assert refused(ragassay("eval", "nowhere.jsonl", "answers.jsonl", "--json"))
    (files / "empty").mkdir()
    assert refused(ragassay("eval", "empty", "answers.jsonl", "--json"))


def test_all_faults_of_all_files_come_at_once(ragassay, files):
    (files / "queries.jsonl").write_text(
        '{"id":"q1","question":"?","relevant":[{"document":"d","grade":"much"}]}\n{"id"\n'
    )
    (files / "answers.jsonl").write_text('{"query":"q1","answer":"x","total_ms":"soon"}\n')
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--json")
    refused(told)
    assert {error["file"] for error in told.json["errors"]} == {"queries.jsonl", "answers.jsonl"}
    assert len(told.json["errors"]) >= 3
    assert all(error["remedy"] or error["expected"] for error in told.json["errors"])


def test_escape_sequences_from_data_never_reach_the_terminal(ragassay, files):
    hostile = "\u001b[2J\u001b]8;;http://x\u0007 \u202e evil \r [red]markup[/red]"
    write_lines(
        files / "queries.jsonl", [{**QUERIES[0], "question": hostile, "task": hostile, "origin": hostile}, *QUERIES[1:]]
    )
    told = ragassay("eval", "queries.jsonl", "answers.jsonl", "--corpus", "corpus.jsonl", "--out", "run")
    explained = ragassay("explain", "run", "q1")
    for text in (told.out, told.err, explained.out):
        assert not set(text) & {"\u001b", "\u202e", "\u0007", "\r"}
    assert "[red]markup[/red]" in explained.out
