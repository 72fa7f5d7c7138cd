"""A contract on the bundled example, before it is switched on."""

from collections import Counter
from pathlib import Path

import pytest

from ragassay.contract import Contract
from ragassay.formats.loading import load_corpus
from ragassay.formats.runs import read_run
from ragassay.records import ExitCode

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CONTRACT = EXAMPLES / "contract" / "contract.toml"
CORPUS = EXAMPLES / "handbook" / "corpus.jsonl"


@pytest.fixture
def measured(ragassay):
    handbook = EXAMPLES / "handbook"
    ragassay("eval", handbook, handbook / "answers-v2.jsonl", "--out", "v2", "--json")
    return ragassay


def test_what_the_filter_and_a_threshold_would_have_done(measured):
    told = measured("contract", "try", CONTRACT, "v2", "--corpus", CORPUS, "--sweep", "search", "--json")
    assert told.code is ExitCode.PASSED
    assert told.json["tried"] == 185
    removed = {each["reason"]: (each["passages"], each["queries"]) for each in told.json["removed"]}
    assert removed == {"not_in_force": (598, 177), "out_of_scope": (88, 40)}
    assert [each["code"] for each in told.json["notices"]] == ["filtered_afterwards"]
    (curve,) = told.json["curves"]
    assert (curve["name"], curve["kind"], curve["n"]) == ("score", "bm25", 185)
    stopped = [point["stopped"] for point in curve["points"]]
    assert stopped == sorted(stopped)


def test_it_stops_what_the_contract_itself_stops(measured, desk):
    text = CONTRACT.read_text(encoding="utf-8").replace("similarity = 0.7", "bm25 = 6.5\nsimilarity = 0.7")
    (desk / "contract.toml").write_text(text, encoding="utf-8")
    told = measured("contract", "try", "contract.toml", "v2", "--corpus", CORPUS, "--json")
    search = next(each for each in told.json["stages"] if each["stage"] == "search")
    stored = read_run(desk / "v2")
    contract = Contract.load(desk / "contract.toml", load_corpus(CORPUS).documents, score_kind="bm25")
    answers = {each.query: each for each in stored.answers}
    reasons = Counter()
    for query in stored.queries:
        as_of = query.as_of or stored.run.card.as_of
        with contract.request(query.question, requester=query.requester, scope=query.scope, as_of=as_of) as request:
            request.filter()
            reasons[request.search(answers[query.id].retrieved).reason] += 1
    contract.close()
    assert told.json["hash"] == contract.hash
    del reasons["enough"]
    assert search["reasons"] == reasons
    assert search["stopped"] > 50


def test_it_is_readable_at_80_columns(measured):
    told = measured("contract", "try", CONTRACT, "v2", "--corpus", CORPUS, "--sweep", "search")
    assert max(map(len, told.out.splitlines())) <= 80
    for words in ("What it would have stopped", "Passages that it would have removed", "Threshold of score (bm25)"):
        assert words in told.out


def test_where_nothing_can_be_tried_it_is_said_what_is_missing(measured):
    told = measured("contract", "try", CONTRACT, "v2")
    assert told.code is ExitCode.UNDECIDED
    words = " ".join(told.out.split())
    assert "no threshold for bm25" in words
    assert "context not judged" in words


def test_every_fault_of_a_command_at_once(measured):
    told = measured("contract", "try", CONTRACT, "v2", "--sweep", "k", "--most-false-refusals", "5", "--json")
    assert told.code is ExitCode.FAULTY_INPUT
    assert [each["field"] for each in told.json["errors"]] == ["--sweep", "--most-false-refusals"]
    told = measured("contract", "try", CONTRACT, "v2", "--judge", "llm:x@http://y", "--json")
    assert told.code is ExitCode.FAULTY_INPUT
    assert told.json["errors"][0]["field"] == "--judge"
