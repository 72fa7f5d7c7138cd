"""Recorded bug reports about files and ids, each with its right value."""

import json

import polars as pl
import pytest
from cases import case

from ragassay.formats import load_dataset
from ragassay.formats.inputs import load
from ragassay.records import FaultyInput
from ragassay.retrieval import measure_retrieval
from ragassay.runner import Settings, measure


def test_c06_an_id_joins_however_the_file_typed_it(tmp_path):
    given, expected = case("C06")
    ((query, judged),) = given["qrels"].items()
    ((document, grade),) = judged.items()
    gold, run = tmp_path / "gold.parquet", tmp_path / "run.parquet"
    pl.DataFrame({"query_id": [query], "doc_id": [document], "grade": [grade]}).write_parquet(gold)
    for column in ([int(document)], [float(document)], [document]):
        pl.DataFrame({"query_id": [int(query)], "doc_id": column, "score": [0.9]}).write_parquet(run)
        measured = measure(load(gold, run), Settings(metrics=("recall@1", "mrr"))).run.summary.metrics
        assert measured["recall@1"].value == expected["recall@1"]
        assert measured["mrr"].value == expected["rr"]
        assert measure_retrieval(gold, run, metrics=("mrr",)).mean("mrr") == expected["rr"]


def test_c69_half_a_character_is_repaired_and_its_neighbours_are_untouched(save):
    given, expected = case("C69")
    rows = [f'{{"id":"q{i}","question":"whole"}}' for i in range(given["other_spans_in_batch"])]
    rows.append(f'{{"id":"cut","question":"{given["otlp_json_attribute"]}"}}')
    bundle = load_dataset(save("queries.jsonl", "\n".join(rows) + "\n"))
    assert len(bundle.queries) == expected["stored"]
    assert bundle.queries[-1].question == expected["value"]
    code, _, count = expected["flag"].partition(":")
    assert {notice.code: notice.count for notice in bundle.notices}[code] == int(count)


@pytest.mark.parametrize("encoding", ["as given", "utf-16-le", "utf-16-be"])
def test_c71_a_byte_order_mark_is_no_part_of_a_name(save, encoding):
    given, expected = case("C71")
    data = bytes.fromhex(given["bytes_hex"])
    if encoding != "as given":
        data = ("\ufeff" + data.decode("utf-8-sig")).encode(encoding)
    bundle = load_dataset(save("queries.csv", data.replace(b"gold", b"reference") if encoding == "as given" else data))
    assert len(bundle.queries) == expected["rows"]
    assert bundle.queries[0].question == "Q?"


def test_c73_a_cell_is_data(save, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given, expected = case("C73")
    assert expected["contexts"] == "as given"
    for row in given:
        cell = '"' + row["cell"].replace('"', '""') + '"'
        table = f"user_input,response,retrieved_contexts\nQ?,A.,{cell}\n"
        path = save("rows.csv", table)
        if isinstance(row["contexts"], str):
            with pytest.raises(FaultyInput):
                load_dataset(path)
            continue
        (answer,) = load_dataset(path).answers
        assert len(answer.retrieved or ()) == row["contexts"], row["cell"]
    assert not (tmp_path / "pwned").exists()


def test_c75_a_record_ends_with_a_line_feed_alone(save):
    given, expected = case("C75")
    text = given["text"].replace('"q"', '"question"')
    bundle = load_dataset(save("queries.jsonl", text))
    assert len(bundle.queries) == expected["records"]
    assert bundle.queries[0].question == json.loads(text.split("\n")[0])["question"]
    with pytest.raises(FaultyInput) as raised:
        load_dataset(save("queries.jsonl", text + "{broken\n"))
    assert raised.value.faults[0].line == expected["records"] + 1


def test_c76_numbers_that_are_none_are_refused_with_their_position(save):
    given, _ = case("C76")
    for row in given[1:]:
        number = row["import"].partition(":")[2].strip(" }")
        path = save("answers.jsonl", f'{{"query":"q","answer":"a","total_ms":{number}}}\n')
        with pytest.raises(FaultyInput) as raised:
            load(path)
        assert raised.value.faults[0].line == 1


def test_c81_two_spellings_of_one_id_stop_the_loading(save):
    given, _ = case("C81")
    composed, decomposed = "\u0439", "\u0438\u0306"
    assert given[0]["id_equal"]
    with pytest.raises(FaultyInput):
        load_dataset(save("queries.jsonl", [{"id": composed, "question": "1"}, {"id": decomposed, "question": "2"}]))
    wide, narrow = "\uff21\uff11\uff12", "A12"
    assert not given[2]["id_equal"]
    bundle = load_dataset(save("queries.jsonl", [{"id": wide, "question": "1"}, {"id": narrow, "question": "2"}]))
    assert [query.id for query in bundle.queries] == [wide, narrow]
