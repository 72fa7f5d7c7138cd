"""The same numbers as trec_eval: through its Python binding on random runs, and from its own recorded outputs."""

import gzip
import random
from pathlib import Path

import polars as pl
import pytest
import pytrec_eval

from ragassay.formats import load_answers, load_dataset
from ragassay.formats.bundle import Bundle
from ragassay.records import Answer, Query, Relevance, Result
from ragassay.retrieval import RetrievalFractions, measure_retrieval
from ragassay.runner import Settings, measure

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "retrieval"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"the collections are not at {DATA}")
KS = (1, 5, 10, 100)
NAMES = {"recall": "recall", "precision": "P", "hit_rate": "success", "ndcg": "ndcg_cut", "map": "map_cut"}
METRICS = {f"{ours}@{k}": f"{theirs}_{k}" for ours, theirs in NAMES.items() for k in KS} | {"mrr": "recip_rank"}
Gold = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]
Values = dict[str, dict[str, float]]


def expected(gold: Gold, run: Scores) -> Values:
    """query → metric → value of the reference; a query that the run lacks counts 0."""
    asked = {f"{name}.{','.join(map(str, KS))}" for name in NAMES.values()} | {"recip_rank"}
    found = pytrec_eval.RelevanceEvaluator(gold, asked).evaluate({query: run.get(query, {}) for query in gold})
    zero = dict.fromkeys(METRICS.values(), 0.0)
    return {
        query: {ours: found.get(query, zero)[theirs] for ours, theirs in METRICS.items()}
        for query, judged in gold.items()
        if max(judged.values()) > 0
    }


def of_table(table: pl.DataFrame) -> Values:
    values: Values = {}
    rows = table.select("metric", "query", "numerator", "denominator").drop_nulls()
    for metric, query, numerator, denominator in rows.iter_rows():
        values.setdefault(query, {})[metric.removesuffix(":v1")] = numerator / denominator
    return values


def agree(ours: Values, theirs: Values) -> None:
    assert ours.keys() == theirs.keys()
    for query, values in theirs.items():
        assert ours[query] == pytest.approx(values, abs=1e-9), query


def collection(seed: int, tied: bool) -> tuple[Gold, Scores]:
    """Ragged runs with unjudged, negative and missing parts; unsorted; every score different, or few of them."""
    dice = random.Random(seed)
    ids = [f"d{number}" for number in range(60)] + ["документ", "Ωmega", "z z"]
    gold: Gold = {}
    run: Scores = {}
    for number in range(40):
        query = f"q{number}"
        gold[query] = {each: dice.choice((-1, 0, 1, 1, 2, 3)) for each in dice.sample(ids, dice.randint(1, 12))}
        found = dice.sample(ids, dice.randint(0, 50))
        scores = [dice.choice((0.5, 1.0, 1.0 + 1e-9, 2.0)) if tied else dice.random() for _ in found]
        if number % 9:
            run[query] = dict(zip(found, scores, strict=True))
    return gold, run


def columns(gold: Gold, run: Scores) -> tuple[pl.DataFrame, pl.DataFrame]:
    judged = [(query, each, grade) for query, ids in gold.items() for each, grade in ids.items()]
    found = [(query, each, score) for query, ids in run.items() for each, score in ids.items()]
    return (
        pl.DataFrame(judged, schema=["query_id", "doc_id", "grade"], orient="row"),
        pl.DataFrame(found, schema=["query_id", "doc_id", "score"], orient="row"),
    )


def bundle(gold: Gold, run: Scores) -> Bundle:
    return Bundle(
        queries=tuple(
            Query(id=query, relevant=tuple(Relevance(document=each, grade=float(grade)) for each, grade in ids.items()))
            for query, ids in gold.items()
        ),
        answers=tuple(
            Answer(
                query=query, ordered=False, retrieved=tuple(Result(document=each, score=s) for each, s in ids.items())
            )
            for query, ids in run.items()
        ),
    )


@pytest.mark.parametrize(("tied", "ties"), [(False, "expected"), (False, "trec"), (True, "trec")])
@pytest.mark.parametrize("seed", range(4))
class TestRandomRuns:
    def test_mappings(self, seed: int, tied: bool, ties: str) -> None:
        gold, run = collection(seed, tied)
        agree(of_table(measure_retrieval(gold, run, tuple(METRICS), ties).table()), expected(gold, run))

    def test_columns(self, seed: int, tied: bool, ties: str) -> None:
        gold, run = collection(seed, tied)
        agree(of_table(measure_retrieval(*columns(gold, run), tuple(METRICS), ties).table()), expected(gold, run))

    def test_records(self, seed: int, tied: bool, ties: str) -> None:
        gold, run = collection(seed, tied)
        settings = Settings(ties=ties, metrics=tuple(METRICS), resamples=10)
        agree(of_table(measure(bundle(gold, run), settings).fractions), expected(gold, run))


def test_double_precision_tells_apart_what_single_precision_ties() -> None:
    gold, run = {"q": {"a": 1}}, {"q": {"a": 1.0 + 1e-9, "b": 1.0}}
    assert measure_retrieval(gold, run, ["mrr"], "trec").mean("mrr") == 0.5
    assert measure_retrieval(gold, run, ["mrr"], "trec", "float64").mean("mrr") == 1.0


def recorded(name: str) -> Values:
    """The outputs of the reference program by query, of the metrics that we have."""
    ours = {theirs: our for our, theirs in METRICS.items()}
    values: Values = {}
    for line in (DATA / "trec_eval" / name).read_text().splitlines():
        theirs, query, value = line.split()
        if theirs in ours:
            values.setdefault(query, {})[ours[theirs]] = float(value)
    return values


def rounded(result: RetrievalFractions) -> Values:
    values = of_table(result.table())
    values["all"] = {metric: result.mean(metric) or 0.0 for metric in METRICS}
    return values


def agree_to_four_digits(ours: Values, theirs: Values) -> None:
    assert theirs.keys() <= ours.keys()
    for query, values in theirs.items():
        for metric, value in values.items():
            assert ours[query][metric] == pytest.approx(value, abs=5.1e-5), (query, metric)


@needs_data
class TestRecordedOutputs:
    def test_every_query_of_the_reference_run(self) -> None:
        folder = DATA / "trec_eval"
        result = measure_retrieval(folder / "qrels.test", folder / "results.test", tuple(METRICS), "trec")
        agree_to_four_digits(rounded(result), recorded("out.test.aq"))
        agree_to_four_digits(rounded(result), {"all": recorded("out.test.a")["all"]})

    def test_missing_queries_count_zero(self) -> None:
        folder = DATA / "trec_eval"
        result = measure_retrieval(folder / "qrels.test", folder / "results.trunc", tuple(METRICS), "trec")
        agree_to_four_digits(rounded(result), recorded("out.test.aqc"))
        assert [each.samples for each in result.notices if each.code == "missing_in_run"] == [("302",)]

    def test_through_records(self) -> None:
        folder = DATA / "trec_eval"
        gold, run = load_dataset(folder / "qrels.test"), load_answers(folder / "results.test")
        both = Bundle(queries=gold.queries, answers=run.answers)
        table = measure(both, Settings(ties="trec", metrics=tuple(METRICS), resamples=10)).fractions
        theirs = recorded("out.test.aq")
        agree_to_four_digits(of_table(table), {query: theirs[query] for query in ("301", "302", "303")})


def trec(name: str, value: int, kind: type) -> dict[str, dict[str, float]]:
    path = DATA / name
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    rows: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        cells = line.split()
        if cells and cells[0] != "query-id":
            rows.setdefault(cells[0], {})[cells[2 if len(cells) > 3 else 1]] = kind(cells[value])
    return rows


@needs_data
@pytest.mark.parametrize("ties", ["trec", "expected"])
@pytest.mark.parametrize(
    ("name", "qrels", "value"),
    [("cranfield", "qrels.trec", 3), ("xquad_en", "qrels.tsv", 2), ("xquad_ru", "qrels.tsv", 2)],
)
def test_collections(name: str, qrels: str, value: int, ties: str) -> None:
    gold, run = trec(f"{name}/{qrels}", value, int), trec(f"{name}/run.bm25.trec.gz", 4, float)
    theirs = expected(gold, run)  # type: ignore[arg-type]
    result = measure_retrieval(DATA / name / qrels, DATA / name / "run.bm25.trec.gz", tuple(METRICS), ties)
    if ties == "trec":
        agree(of_table(result.table()), theirs)
        return
    tied = {query for query, scores in run.items() if len(set(scores.values())) < len(scores)}
    ours = of_table(result.table())
    untied = theirs.keys() - tied
    assert untied
    agree({query: ours[query] for query in untied}, {query: theirs[query] for query in untied})
