"""What goes wrong while `ragassay run` is at work, as a person sees it; then the same command again."""

import asyncio
import importlib
import itertools
import re
import resource
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import postgres
import pytest
from desk import write_lines
from stub_endpoint import StubEndpoint

from ragassay.formats.runs import read_run
from ragassay.records import ExitCode

FAULTS = {
    "P10": ("", None),
    "P11": ("429", "judge_rate_limited"),
    "P12": ("429:0.05", "judge_rate_limited"),
    "P13": ("500", "judge_unavailable"),
    "P14": ("400", "judge_request_rejected"),
    "P15": ("hang", "judge_timeout"),
    "P16": ("drop", "judge_unavailable"),
    "P17": ("half", "judge_unavailable"),
    "P18": ("garbage", "judge_reply_malformed"),
    "P19": ("prose", "claims_unreadable"),
    "P20": ("wrong-ids", "verdict_unknown_id"),
    "P21": ("fewer", "verdicts_incomplete"),
    "P22": ("refusal", "judge_refused"),
    "P23": ("two", "ambiguous_judge_output"),
    "P24": ("truncated", "judge_output_truncated"),
    "P25": ("cut", "judge_output_truncated"),
    "P26": ("other-model", "judge_model_changed"),
    "P27": ("reasoning", None),
    "P28": ("no-usage", None),
    "P29": ("", None),
}
"""Pump → what the judge does with every request about it, and how a report must name that; None: nothing is lost."""
OF_VERDICTS = ("wrong-ids", "fewer", "two")
"""Faults that only a list of verdicts shows."""
IN_FLIGHT = 4
JUDGED = ("grounded_claim_rate", "claim_recall", "context_recall", "citation_precision")


class Judge(StubEndpoint):
    """Has a fault for each pump until it is mended. `asked` are the pumps of its requests, in order."""

    def __init__(self):
        super().__init__()
        self.faults = {}
        self.asked = []

    def _due(self, entry, model, last):
        pump = next(pump for pump in FAULTS if pump in last)
        self.asked.append(pump)
        fault = self.faults.get(pump)
        return None if fault in OF_VERDICTS and entry.kind != "verdicts" else fault


@pytest.fixture
def judge(desk):
    """A judge at work in a thread; `judge.toml` describes it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def done(work):
        return asyncio.run_coroutine_threadsafe(work, loop).result(20)

    stub = done(Judge().__aenter__())
    lines = (
        'kind = "llm"',
        f'base_url = "{stub.url}"',
        'model = "any"',
        "timeout = 1.0",
        "tries = 2",
        f"concurrency = {IN_FLIGHT}",
    )
    (desk / "judge.toml").write_text("\n".join(lines))
    yield stub
    done(stub.__aexit__(None, None, None))
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
def pumps(desk):
    """A dataset of one question about each pump, and its answers."""
    texts = {pump: f"The pump {pump} weighs {number} kg." for number, pump in enumerate(FAULTS, start=10)}
    queries = [
        {
            "id": pump,
            "question": f"What is the weight of {pump}?",
            "relevant": [{"document": f"d{pump}"}],
            "reference": text,
        }
        for pump, text in texts.items()
    ]
    answers = [
        {
            "query": pump,
            "answer": f"{text[:-1]} [1].",
            "retrieved": [{"passage": f"d{pump}#1", "document": f"d{pump}", "text": text}],
            "citations": [{"marker": "[1]", "passage": f"d{pump}#1"}],
        }
        for pump, text in texts.items()
    ]
    write_lines(desk / "queries.jsonl", queries)
    write_lines(desk / "answers.jsonl", answers)


RUN = ("run", "queries.jsonl", "--system", "answers.jsonl", "--judge", "judge.toml", "--json")


def newest():
    return read_run(max(Path("ragassay-runs").glob("*/run.json"), key=lambda path: path.stat().st_mtime_ns).parent)


def lost(stored):
    """Query → the names of what the judge could not do for it."""
    states = stored.matrices.queries.filter(pl.col("claims").str.starts_with("errored: "))
    whole = zip(states["query"], states["claims"].str.strip_prefix("errored: "), strict=True)
    single = pl.concat([stored.matrices.support, stored.matrices.entailment], how="diagonal").drop_nulls("error")
    found = {}
    for query, error in [*whole, *single.select("query", "error").iter_rows()]:
        found.setdefault(query, set()).add(error)
    return found


def values(stored, *queries):
    return stored.fractions.filter(pl.col("query").is_in(queries)).sort("metric", "query")


def wrong(faulty, sound):
    """Fractions that are neither what they are without the fault nor errored."""
    both = faulty.fractions.join(sound.fractions, on=["metric", "query"], how="full", coalesce=True, suffix="_sound")
    same = [pl.col(name).eq_missing(pl.col(f"{name}_sound")) for name in ("numerator", "denominator", "undefined")]
    return both.filter(pl.col("errored").is_null() & ~pl.all_horizontal(same))


def test_every_fault_of_a_judge_is_an_error_of_its_query_alone_and_gone_when_the_judge_is_mended(
    pumps, judge, ragassay
):
    judge.faults = {pump: fault for pump, (fault, _) in FAULTS.items() if fault}
    struck = {pump: {error} for pump, (_, error) in FAULTS.items() if error}
    sound = FAULTS.keys() - struck.keys()
    told = ragassay(*RUN)
    first, answered = newest(), {each.sha256 for each in judge.ledger if each.fault in (None, "reasoning", "no-usage")}
    assert (told.code, lost(first)) == (ExitCode.PASSED, struck)
    estimates = told.json["metrics"]
    assert (estimates["recall@10"]["value"], estimates["recall@10"]["errored"]) == (1.0, 0)
    assert all(0 < estimates[metric]["errored"] <= len(struck) for metric in JUDGED)

    judge.faults, before = {}, len(judge.ledger)
    told = ragassay(*RUN)
    again, second = judge.ledger[before:], newest()
    assert (told.code, lost(second)) == (ExitCode.PASSED, {})
    assert all(told.json["metrics"][metric]["n"] == len(FAULTS) for metric in JUDGED)
    assert values(second, *sound).equals(values(first, *sound))
    assert wrong(first, second).rows() == []
    assert set(values(first, *struck).drop_nulls("errored")["query"]) == struck.keys()
    assert set(judge.asked[before:]) == struck.keys()
    assert not answered & {each.sha256 for each in again}

    told = ragassay(*RUN)
    assert (told.code, len(judge.ledger)) == (ExitCode.PASSED, before + len(again))
    assert values(newest(), *FAULTS).equals(values(second, *FAULTS))


@pytest.mark.parametrize(
    ("fault", "said"),
    [("401", "the judge refuses who asks (HTTP 401"), ("503", "the judge is down"), ("hang", "the judge is down")],
)
def test_a_judge_that_is_away_stops_the_run_and_the_same_command_goes_on(fault, said, pumps, judge, ragassay):
    judge.faults = dict.fromkeys(list(FAULTS)[3:], fault)
    told = ragassay(*RUN)
    assert told.code is ExitCode.NOT_FINISHED
    assert said in told.err
    assert "the same command goes on" in told.err
    judge.faults, before = {}, len(judge.ledger)
    answered = {each.sha256 for each in judge.ledger if each.status == 200}
    assert ragassay(*RUN).code is ExitCode.PASSED
    assert lost(newest()) == {}
    assert len(answered & {each.sha256 for each in judge.ledger[before:]}) <= IN_FLIGHT


SHOP = """
from pathlib import Path


def answer(question):
    pump = question.split()[-1].rstrip("?")
    with Path("asked").open("a") as ledger:
        ledger.write(pump + "\\n")
    strike(pump)
    text = pump + " weighs 36 kg. "
    return {"answer": text, "retrieved": [{"document": "d" + pump, "text": text * 40}]}
"""
ASK = ("run", "queries.jsonl", "--system", "pump_shop:answer", "--judge", "none", "--concurrency", "2")
IN_FLIGHT = 4


@pytest.fixture
def shop(pumps, desk, monkeypatch):
    """A system that is a function; the module. Its `strike(pump)` is at work while a pump is asked about."""
    (desk / "pump_shop.py").write_text(SHOP)
    monkeypatch.syspath_prepend(desk)
    monkeypatch.delitem(sys.modules, "pump_shop", raising=False)
    module = importlib.import_module("pump_shop")
    module.strike = lambda pump: None
    yield module
    sys.modules.pop("pump_shop", None)


def asked():
    return Path("asked").read_text().split() if Path("asked").exists() else []


@contextmanager
def file_size_at_most(size):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_is_full_at_any_write_stops_the_run_and_the_same_command_goes_on_from_there(shop, ragassay):
    places = set()
    for limit in itertools.count(8_192, 16_384):
        with file_size_at_most(limit):
            told = ragassay(*ASK)
        if told.code is ExitCode.PASSED:
            break
        assert told.code is ExitCode.NOT_FINISHED
        assert "the disk is full" in told.err or "File too large: 'ragassay-runs/" in told.err
        places.add("a report" if "File too large" in told.err else "the store, at work" if asked() else "the store")
        assert asked() == [] or "the same command goes on" in told.err
    assert places == {"the store", "the store, at work", "a report"}
    assert set(asked()) == FAULTS.keys()
    assert len(asked()) <= len(FAULTS) + IN_FLIGHT * limit // 16_384
    calls = len(asked())
    assert ragassay(*ASK).code is ExitCode.PASSED
    assert len(asked()) == calls
    assert ragassay("store", "check").code is ExitCode.PASSED
    assert newest().fractions.filter(metric="recall@10:v1")["numerator"].to_list() == [1.0] * len(FAULTS)


@pytest.mark.parametrize("happens", ["cut_off", "crash"])
def test_a_database_that_comes_back_is_waited_for(happens, shop, ragassay):
    server = postgres.server()
    server.reset()
    strikes = iter(["P15", "P22"])
    due = [next(strikes)]

    def strike(pump):
        if pump in due:
            due[:] = list(itertools.islice(strikes, 1))
            getattr(server, happens)()

    shop.strike = strike
    told = ragassay(*ASK, "--store", server.url())
    assert (told.code, due) == (ExitCode.PASSED, [])
    assert sorted(asked()) == sorted(FAULTS)
    assert ragassay("store", "check", "--store", server.url()).code is ExitCode.PASSED


def test_a_database_that_stays_away_stops_the_run_and_the_same_command_goes_on(shop, ragassay, monkeypatch):
    monkeypatch.setattr("ragassay.store.store.PAUSES", (0.01,))
    server = postgres.server()
    server.reset()
    ask = (*ASK, "--store", server.url())
    shop.strike = lambda pump: server.stop() if pump == "P20" else None
    try:
        told = ragassay(*ask)
        assert told.code is ExitCode.NOT_FINISHED
        assert re.search(
            r"stopped: the store failed: .* · \d+ of 20 queries are done and saved · the same command", told.err
        )
        assert postgres.PASSWORD not in told.err
        away = ragassay(*ask)
        assert away.code in (ExitCode.NOT_FINISHED, ExitCode.FAULTY_INPUT)
        assert postgres.PASSWORD not in away.err
    finally:
        server.start()
    shop.strike, first = (lambda pump: None), asked()
    assert ragassay(*ask).code is ExitCode.PASSED
    assert set(asked()) == FAULTS.keys()
    again = asked()[len(first) :]
    assert len(set(again) & set(first)) <= IN_FLIGHT
    assert ragassay(*ask).code is ExitCode.PASSED
    assert asked() == first + again
