"""The bundled example open and under its contract, through the recorder and `ragassay eval`."""

import importlib
import json
import random
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from ragassay.cli.main import run
from ragassay.contract import Contract, load_terms
from ragassay.formats import load_corpus
from ragassay.records import ExitCode, GradeTerms, Requester, SearchTerms

Row = dict[str, Any]
HANDBOOK = Path(__file__).resolve().parents[2] / "examples" / "handbook"
MOST_RISE, LEAST_FALL = 0.05, 0.8
SEED = 0
SCORES = [round(0.20 + 0.01 * n, 2) for n in range(16)]
SUFFICIENCIES = [round(0.05 * n, 2) for n in range(10)]


class Seen(NamedTuple):
    """A query without thresholds: whether either form refuses by itself, and the numbers that a contract compares."""

    answerable: bool
    refuses_open: bool
    refuses: bool
    score: float
    sufficiency: float


@pytest.fixture(scope="module")
def example() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(HANDBOOK)
        yield importlib.import_module("guarded")


@pytest.fixture(scope="module")
def written(example: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with `open.jsonl` and `guarded.jsonl`."""
    folder = tmp_path_factory.mktemp("example")
    assert example.main([str(folder)]) == 0
    return folder


def lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def metrics(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    assert run(["eval", str(HANDBOOK), str(path), "--json"]) is ExitCode.PASSED
    report = json.loads(capsys.readouterr().out)["metrics"]
    return {name: each.get("mean", each.get("value")) for name, each in report.items()}


def test_the_contract_keeps_its_promises_on_the_queries_it_was_fitted_on(
    written: Path, capsys: pytest.CaptureFixture[str]
):
    before, after = (metrics(written / f"{name}.jsonl", capsys) for name in ("open", "guarded"))
    fall = 1 - after["missed_refusal_rate"] / before["missed_refusal_rate"]
    rise = after["withheld_rate"] - before["withheld_rate"]
    assert before["missed_refusal_rate"] > 0.7
    assert fall >= LEAST_FALL
    assert rise < MOST_RISE
    assert before["stale@5"] > 0
    assert (after["stale@5"], after["forbidden@5"]) == (0, 0)


def test_nothing_forbidden_or_superseded_reaches_the_prompt(written: Path):
    corpus = {(row["document"], row["revision"]): row for row in lines(HANDBOOK / "corpus.jsonl")}
    queries = {row["id"]: row for row in lines(HANDBOOK / "queries.jsonl")}
    answers = lines(written / "guarded.jsonl")
    packed = [(queries[answer["query"]], name) for answer in answers for name in answer.get("packed") or ()]
    assert len(answers) == len(queries)
    assert len(packed) > 200
    for query, name in packed:
        document, _, rest = name.partition("@")
        source = corpus[document, rest.partition("#")[0]]
        assert "*" in source["readers"] or set(source["readers"]) & set(query["requester"]["groups"])
        assert source["valid_from"] <= query["as_of"]
        assert source["valid_to"] is None or query["as_of"] < source["valid_to"]
        assert source["status"] in ("in_force", "superseded")


def test_no_judge_failed_and_refusals_are_no_apologies(written: Path):
    answers = lines(written / "guarded.jsonl")
    stopped = [answer for answer in answers if answer["outcome"] != "proceed"]
    assert not [each for answer in answers for each in answer["actions"] if each.get("failed")]
    assert {answer["outcome"] for answer in stopped} >= {"abstain", "clarify"}
    assert all(answer["answer"].rstrip().endswith("?") for answer in stopped if answer["outcome"] == "clarify")
    assert not [answer for answer in stopped if answer.get("packed")]


def test_thresholds_of_one_half_hold_on_the_other_in_part(example: ModuleType, written: Path):
    """What is fitted on half of so few queries does not keep the whole promise on the other half, and says so."""
    seen = list(looked_at(example, lines(written / "open.jsonl")))
    one, other = halves(seen)
    bad, left, withheld, rise = 0, 0, 0, 0
    for fitted, reported in ((one, other), (other, one)):
        chosen = best(fitted)
        bad += sum(not each.refuses_open for each in reported if not each.answerable)
        left += sum(not stops(each, *chosen) for each in reported if not each.answerable)
        withheld += sum(each.refuses_open for each in reported if each.answerable)
        rise += sum(stops(each, *chosen) for each in reported if each.answerable)
    answerable = sum(each.answerable for each in seen)
    told = f"bad answers {bad} -> {left}, withheld {withheld} -> {rise} of {answerable}"
    assert 1 - left / bad >= 0.5, told
    assert (rise - withheld) / answerable < 0.08, told


def looked_at(example: ModuleType, opened: Sequence[Row]) -> Iterator[Seen]:
    terms = replace(
        load_terms(HANDBOOK / "contract.toml"),
        search=SearchTerms(thresholds={"similarity": 0.0}),
        grade=GradeTerms(context_sufficiency=0.0, context_relevancy=0.0),
    )
    contract = Contract(terms, load_corpus(HANDBOOK / "corpus.jsonl").documents)
    assert contract.warm(120)
    refusals = set(example.system.REFUSALS.values())
    for query, answer in zip(lines(HANDBOOK / "queries.jsonl"), opened, strict=True):
        request = contract.request(
            query["question"],
            requester=Requester(groups=tuple(query["requester"]["groups"])),
            scope=query.get("scope"),
            as_of=date.fromisoformat(query["as_of"]),
        )
        score = request.search(example.search(request)).numbers[0].value
        sufficiency = request.grade().numbers[0].value
        refuses = example.extract(request.question, request.passages)[0] in refusals
        yield Seen(query["answerable"], answer["answer"] in refusals, refuses, score or 0.0, sufficiency or 0.0)
    contract.close()


def halves(seen: Sequence[Seen]) -> tuple[list[Seen], list[Seen]]:
    """Two halves with as many queries of either kind."""
    chance = random.Random(SEED)
    found: tuple[list[Seen], list[Seen]] = ([], [])
    for kind in (True, False):
        own = [each for each in seen if each.answerable is kind]
        chance.shuffle(own)
        found[0].extend(own[: len(own) // 2])
        found[1].extend(own[len(own) // 2 :])
    return found


def stops(seen: Seen, score: float, sufficiency: float) -> bool:
    return seen.refuses or seen.score < score or seen.sufficiency < sufficiency


def best(fitted: Sequence[Seen]) -> tuple[float, float]:
    """The thresholds that leave the fewest bad answers while few answerable queries are withheld."""
    answerable = [each for each in fitted if each.answerable]
    before = sum(each.refuses_open for each in answerable)

    def cost(pair: tuple[float, float]) -> tuple[bool, int, int]:
        withheld = sum(stops(each, *pair) for each in answerable)
        left = sum(not stops(each, *pair) for each in fitted if not each.answerable)
        return (withheld - before) / len(answerable) >= MOST_RISE, left, withheld

    return min(product(SCORES, SUFFICIENCIES), key=cost)
