"""`measure_retrieval`: what it accepts, what it says of faults, what counts and what does not."""

import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ragassay.records import FaultyInput
from ragassay.retrieval import METRICS, measure_retrieval

GOLD = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1}}
RUN = {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}, "q2": {"y": 2.0, "d": 1.0}}
QRELS = "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq2 0 d 1\n"
LINES = "q1 Q0 x 1 3.0 t\nq1 Q0 a 2 2.0 t\nq1 Q0 b 3 1.0 t\nq2 Q0 y 1 2.0 t\nq2 Q0 d 2 1.0 t\n"


def table(held: dict[str, dict[str, float]], value: str, **names: str) -> pl.DataFrame:
    rows = [(query, each, number) for query, ids in held.items() for each, number in ids.items()]
    schema = {names.get("query", "query_id"): pl.String, names.get("doc", "doc_id"): pl.String, value: pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def means(gold: Any, run: Any, **options: Any) -> list[float | None]:
    measured = measure_retrieval(gold, run, **options)
    return [measured.mean(metric) for metric in METRICS]


def faults(gold: Any, run: Any) -> list[str]:
    with pytest.raises(FaultyInput) as caught:
        measure_retrieval(gold, run)
    return [fault.code for fault in caught.value.faults]


EXPECTED = means(GOLD, RUN)


def test_values_by_hand() -> None:
    measured = measure_retrieval(GOLD, RUN, ["recall@2", "mrr", "map@10", "precision@2", "hit_rate@1"])
    assert measured.mean("recall@2") == 0.75
    assert measured.mean("mrr") == 0.5
    assert measured.mean("map@10") == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2)
    assert measured.mean("precision@2") == 0.5
    assert measured.mean("hit_rate@1") == 0.0


class TestSources:
    @pytest.fixture
    def written(self, tmp_path: Path) -> Path:
        (tmp_path / "gold.txt").write_text(QRELS)
        (tmp_path / "run.txt").write_text(LINES)
        table(GOLD, "grade").write_parquet(tmp_path / "gold.parquet")
        table(RUN, "score").write_parquet(tmp_path / "run.parquet")
        return tmp_path

    def test_every_combination_of_sources_agrees(self, written: Path) -> None:
        golds = [
            GOLD,
            written / "gold.txt",
            written / "gold.parquet",
            table(GOLD, "grade"),
            table(GOLD, "grade").lazy(),
        ]
        lists = {query: list(ids) for query, ids in RUN.items()}
        runs = [RUN, lists, written / "run.txt", str(written / "run.parquet"), table(RUN, "score")]
        for gold in golds:
            for run in runs:
                assert means(gold, run) == EXPECTED

    @pytest.mark.parametrize(
        ("qrels", "lines"),
        [
            (QRELS.replace(" ", "\t"), LINES.replace(" ", "\t")),
            (QRELS.replace(" ", "  "), LINES.replace(" ", "  ")),
            (QRELS, LINES.replace(" t", " t and more words")),
            (QRELS.replace("\n", "\r\n"), LINES.replace("\n", "\r\n")),
            (QRELS, "\ufeff" + LINES),
            ("query-id\tcorpus-id\tscore\nq1\ta\t2\nq1\tb\t1\nq1\tc\t0\nq2\td\t1\n", LINES),
        ],
    )
    def test_text_files_as_people_write_them(self, tmp_path: Path, qrels: str, lines: str) -> None:
        gold, run = tmp_path / "gold", tmp_path / "run"
        gold.write_bytes(qrels.encode())
        run.write_bytes(lines.encode())
        assert means(gold, run) == EXPECTED

    def test_packed_files(self, written: Path) -> None:
        (written / "run.gz").write_bytes(gzip.compress(LINES.encode()))
        assert means(GOLD, written / "run.gz") == EXPECTED

    def test_near_names_of_columns(self) -> None:
        gold = table(GOLD, "relevance", query="qid", doc="docno")
        assert means(gold, table(RUN, "score", query="query-id", doc="corpus-id")) == EXPECTED
        passages = table(RUN, "score", doc="passage_id")
        assert means(table(GOLD, "grade", doc="passage_id"), passages) == EXPECTED

    def test_ranks_are_the_order_where_they_are_given(self) -> None:
        run = table({"q1": {"b": 3, "a": 2, "x": 1}, "q2": {"d": 2, "y": 1}}, "rank")
        assert means(GOLD, run) == EXPECTED
        assert means(GOLD, run.with_columns(score=pl.lit(1.0))) == EXPECTED

    def test_gold_that_names_documents_counts_the_documents_of_passages(self) -> None:
        run = table(RUN, "score").with_columns(passage_id=pl.lit("p"))
        assert means(table(GOLD, "grade"), run) == EXPECTED

    def test_whole_numbers_are_ids(self) -> None:
        gold, run = {1: {10: 1}}, {1: {10: 0.5, 11: 0.1}}
        columns = table({"1": {"10": 0.5, "11": 0.1}}, "score").cast({"query_id": pl.Int64, "doc_id": pl.Int32})
        as_float = columns.cast({"doc_id": pl.Float64})
        for each in (run, columns, as_float, {"1": ["10", "11"]}):
            assert measure_retrieval(gold, each).mean("mrr") == 1.0  # type: ignore[arg-type]

    def test_spellings_of_an_id_join(self) -> None:
        gold = table({"q": {"й": 1}}, "grade")
        assert measure_retrieval(gold, table({"q": {" и\u0306": 1.0}}, "score")).mean("mrr") == 1.0

    def test_categories_and_bytes_are_ids(self) -> None:
        run = table(RUN, "score").cast({"query_id": pl.Categorical})
        assert means(GOLD, run) == EXPECTED
        gold, run = (each.with_columns(pl.col("doc_id").cast(pl.Binary)) for each in (table(GOLD, "grade"), run))
        assert means(gold, run) == EXPECTED

    def test_scattered_rows_of_a_query(self) -> None:
        gold, run = table(GOLD, "grade"), table(RUN, "score")
        assert means(gold[[3, 0, 2, 1]], run[[3, 0, 4, 2, 1]]) == pytest.approx(EXPECTED)

    def test_slices_are_cut_between_queries(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for rows in (1, 2, 3, 4):
            monkeypatch.setattr("ragassay.formats.columns.ROWS", rows)
            assert means(table(GOLD, "grade"), table(RUN, "score")) == EXPECTED

    def test_parts(self, tmp_path: Path) -> None:
        for query in GOLD:
            for name, held, value in (("gold", GOLD, "grade"), ("run", RUN, "score")):
                (tmp_path / name).mkdir(exist_ok=True)
                table({query: held[query]}, value).write_parquet(tmp_path / name / f"{query}.parquet")
        assert means(tmp_path / "gold", tmp_path / "run") == EXPECTED
        twice = [tmp_path / "gold" / "q1.parquet"] * 2
        assert faults(twice, [tmp_path / "run" / "q1.parquet"] * 2) == ["query_in_two_parts"]
        assert faults(twice, tmp_path / "run" / "q1.parquet") == ["parts_do_not_pair"]
        assert faults([], []) == ["no_parts"]


class TestWhatCounts:
    def test_missing_and_unknown_queries(self) -> None:
        gold = {**GOLD, "q3": {"a": 1}}
        run = {**RUN, "q9": {"a": 1.0}}
        for given in ((gold, run), (table(gold, "grade"), table(run, "score"))):
            measured = measure_retrieval(*given)
            assert measured.mean("mrr") == pytest.approx(1 / 3)
            assert {notice.code: notice.samples for notice in measured.notices} == {
                "missing_in_run": ("q3",),
                "unknown_in_gold": ("q9",),
            }

    def test_nothing_to_find_is_undefined(self) -> None:
        gold = {**GOLD, "zero": {"a": 0}, "below": {"a": -1}, "empty": {}, "none": None}
        estimate = measure_retrieval(gold, RUN)["recall@10"]
        assert (estimate.value, estimate.n) == (EXPECTED[0], 2)
        assert estimate.undefined == {"no_relevant": 2, "unlabelled": 2}
        assert measure_retrieval({"q": {"a": 0}}, {"q": {"a": 1.0}}).mean("mrr") is None

    def test_a_repeat_keeps_its_rank_and_earns_nothing(self) -> None:
        gold = {"q": {"a": 1, "b": 1}}
        repeated = table({"q": {"a": 4.0, "b": 1.0}}, "score")
        repeated = pl.concat([repeated, table({"q": {"a": 3.0, "x": 2.0}}, "score"), table({"q": {"x": 1.5}}, "score")])
        for run, ranks in ((repeated, (1, 5)), ({"q": ["a", "a", "x", "x", "b"]}, (1, 5))):
            measured = measure_retrieval(gold, run, ["map@10", "recall@2"])
            assert measured.mean("map@10") == pytest.approx((1 / ranks[0] + 2 / ranks[1]) / 2)
            assert measured.mean("recall@2") == 0.5
            assert [(each.code, each.count) for each in measured.notices] == [("duplicate_retrieved_ids", 2)]

    def test_repeats_of_unknown_queries_do_not_count(self) -> None:
        run = pl.concat(
            [table({"q1": {"a": 1.0}, "other": {"a": 2.0}}, "score"), table({"other": {"a": 1.0}}, "score")]
        )
        assert [each.code for each in measure_retrieval(GOLD, run).notices] == ["missing_in_run", "unknown_in_gold"]

    @pytest.mark.parametrize("as_columns", [False, True])
    def test_ties(self, as_columns: bool) -> None:
        gold: Any = {"q": {"b": 1}}
        run: Any = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
        if as_columns:
            gold, run = table(gold, "grade"), table(run, "score")
        expected = measure_retrieval(gold, run, ["mrr"])
        assert expected.mean("mrr") == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
        assert [(each.code, each.count) for each in expected.notices] == [("ties", 3)]
        trec = measure_retrieval(gold, run, ["mrr"], ties="trec")
        assert (trec.mean("mrr"), trec.score_precision) == (0.5, "float32")

    def test_nothing_retrieved_is_zero(self) -> None:
        for run in ({}, {"q1": {}}, {"q1": []}, table({}, "score")):
            assert means(GOLD, run) == [0.0] * 6


class TestResult:
    def test_identities_and_aliases(self) -> None:
        measured = measure_retrieval(GOLD, RUN, ["rr", "ndcg@10(gain=exp)", "recall@1:v1"])
        assert list(measured.fractions) == ["mrr", "ndcg@10(gain=exp)", "recall@1"]
        assert measured.mean("rr") == 0.5

    def test_estimate_has_an_interval(self) -> None:
        estimate = measure_retrieval(GOLD, RUN)["ap@100"]
        assert estimate.value == EXPECTED[5]
        assert estimate.interval is not None

    def test_table_has_a_row_for_each_metric_and_query(self) -> None:
        rows = measure_retrieval(GOLD, RUN, ["mrr"]).table()
        assert rows.select("metric", "query", "numerator", "denominator").rows() == [
            ("mrr:v1", "q1", 0.5, 1.0),
            ("mrr:v1", "q2", 0.5, 1.0),
        ]

    def test_what_was_not_measured_cannot_be_had(self) -> None:
        with pytest.raises(ValueError, match="was not measured; measured were mrr"):
            measure_retrieval(GOLD, RUN, ["mrr"]).mean("recall@10")

    @pytest.mark.parametrize("metric", ["judged@10", "recall@10(results=condensed)", "citation_precision"])
    def test_metrics_that_need_more_than_a_ranking(self, metric: str) -> None:
        with pytest.raises(ValueError, match="needs more than a ranking"):
            measure_retrieval(GOLD, RUN, [metric])


NAN = float("nan")


class TestFaults:
    @pytest.mark.parametrize(
        ("gold", "run", "codes"),
        [
            (GOLD, {"q1": {"a": NAN, "b": NAN}}, ["bad_value"] * 2),
            (GOLD, {"q1": {"a": None}}, ["bad_value"]),
            (GOLD, {"q1": {"a": "high"}}, ["bad_value"]),
            ({"q1": {"a": NAN}}, RUN, ["bad_value"]),
            (GOLD, {"q1": "a"}, ["bad_value"]),
            (GOLD, {"q1": ["a"], "q2": {"d": 1.0}}, ["bad_value"]),
            ({}, RUN, ["no_queries"]),
            ({True: {"a": 1}}, RUN, ["bad_value"]),
            ({1: {"a": 1}, "1": {"b": 1}}, RUN, ["ids_collapse"]),
            (GOLD, table({"q1": {"a": NAN}}, "score"), ["bad_value"]),
            (table({"q1": {"a": NAN}}, "grade"), RUN, ["bad_value"]),
            (GOLD, table(RUN, "score").with_columns(score=pl.lit(None, pl.Float64)), ["no_score", "no_score"]),
            (GOLD, table(RUN, "rank").with_columns(rank=1), ["repeated_rank"]),
            (GOLD, table(RUN, "points"), ["unknown_form"]),
            (table(GOLD, "points"), RUN, ["unknown_form"]),
            (table({}, "grade"), RUN, ["no_queries"]),
            (pl.concat([table(GOLD, "grade")] * 2), RUN, ["duplicate_gold"] * 4),
            (GOLD, {"q1": {"7": 1.0}}, ["id_namespaces_disjoint"]),
            (GOLD, table({"q1": {"7": 1.0}}, "score"), ["id_namespaces_disjoint"]),
            (table(GOLD, "grade"), {"q1": ["7"]}, ["id_namespaces_disjoint"]),
            (GOLD, {"1": {"a": 1.0}}, ["id_namespaces_disjoint"]),
        ],
    )
    def test_faults(self, gold: Any, run: Any, codes: list[str]) -> None:
        assert faults(gold, run) == codes

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        assert faults(tmp_path / "gold.txt", RUN) == ["unreadable_file"]
        assert faults(GOLD, tmp_path / "run.parquet") == ["unreadable_file"]

    def test_a_broken_line_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "run").write_text(LINES + "q2 Q0 z\n")
        with pytest.raises(FaultyInput) as caught:
            measure_retrieval(GOLD, tmp_path / "run")
        assert [(fault.code, fault.line) for fault in caught.value.faults] == [("broken_line", 6)]

    def test_a_score_that_is_no_number_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "run").write_text(LINES.replace(" 1.0 t", " nan t", 1))
        with pytest.raises(FaultyInput) as caught:
            measure_retrieval(GOLD, tmp_path / "run")
        assert [fault.line for fault in caught.value.faults] == [3]

    def test_broken_parquet(self, tmp_path: Path) -> None:
        (tmp_path / "run").write_bytes(b"PAR1 and then nothing")
        assert faults(GOLD, tmp_path / "run") == ["broken_file"]

    def test_the_message_shows_both_name_spaces(self) -> None:
        with pytest.raises(FaultyInput, match="gold has 'a', 'b', the run has '7', '8'"):
            measure_retrieval(GOLD, {"q1": {"8": 1.0, "7": 2.0}})
