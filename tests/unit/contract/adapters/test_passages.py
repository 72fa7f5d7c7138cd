"""Metadata is whatever stood in an index."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from contracting import DOCUMENTS, QUESTION, REQUESTER, contract

from ragassay.contract import Contract, adapters
from ragassay.contract.adapters.grounds import opened
from ragassay.contract.adapters.passages import Keys, gathered, result_of, screened
from ragassay.records import FaultyInput, FilterTerms, Requester, Result, Terms

GOOD = {"document": "TI-204", "revision": "C"}
KEYS = Keys()


class Spiteful:
    """An object of an index that breaks whatever touches it."""

    def __float__(self):
        raise RuntimeError("no")

    def __eq__(self, other):
        raise RuntimeError("no")

    __hash__ = None


def read(metadata, **given):
    return result_of(KEYS, metadata, **{"text": "M12: 80 Nm", "passage": "p1", "score": 0.9, **given})


def test_metadata_become_a_passage():
    assert read(GOOD) == Result(passage="p1", document="TI-204", revision="C", score=0.9, text="M12: 80 Nm")


def test_other_keys_and_none():
    keys = Keys(document="doc", revision=None, passage="chunk", score="distance")
    metadata = {"doc": 17, "revision": "B", "chunk": 3, "distance": 0.25}
    found = result_of(keys, metadata, text="t", passage="own", score=0.9)
    assert found == Result(passage="3", document="17", score=0.25, text="t")


@pytest.mark.parametrize(
    "score", ["0.99", True, None, float("nan"), float("inf"), 10**400, [0.9], {}, Spiteful(), b"1"]
)
def test_a_score_that_is_no_number_is_none(score):
    assert read(GOOD, score=score).score is None


@pytest.mark.parametrize("bad", [True, [], ["TI-204"], {"$ne": ""}, 1.5, b"TI-204", "x" * 1_001, Spiteful(), uuid4()])
def test_what_is_no_id_names_no_document(bad):
    assert read({"document": bad, "revision": "C"}).document is None
    assert read({"document": "TI-204", "revision": bad}).document is None


def test_without_a_revision_the_document_stays():
    assert read({"document": "TI-204"}).document == "TI-204"
    assert read({"document": "TI-204", "revision": ""}) == read({"document": "TI-204"})


@pytest.mark.parametrize("metadata", [None, "text", 5, [("document", "TI-204")]])
def test_metadata_that_are_no_mapping_say_nothing(metadata):
    assert read(metadata).document is None


@pytest.mark.parametrize("text", [None, 5, b"bytes", ["a"]])
def test_a_text_that_is_none_has_nothing_to_grade(text):
    assert read(GOOD, text=text).text is None


def test_screening_leaves_the_items_and_names_what_it_removed():
    request = opened(contract(), QUESTION, {"requester": REQUESTER})
    metadata = [GOOD, {"document": "HR-1", "revision": "1"}, {"document": ["TI-204"]}, {**GOOD, "revision": Spiteful()}]
    assert screened(request, [(each, read(each)) for each in metadata]) == [GOOD]
    removed = {each.reason: each.count for each in request.trail.decisions[-1].removed}
    assert removed == {"forbidden": 1, "unknown_document": 2}


def test_after_a_stop_nothing_is_left():
    request = opened(contract(), QUESTION, {})
    assert not request.search([]).proceeds
    assert screened(request, [(1, read(GOOD))]) == []


@pytest.mark.parametrize(("kind", "kept"), [("similarity", 0.8), ("distance", 0.2)])
def test_what_two_queries_found_counts_once_with_the_better_score(kind, kept):
    batches = [[("a", 0.2), ("b", None)], [("a", 0.8), ("b", 0.5), ("c", 0.1)]]
    found = gathered(batches, lambda each: Result(passage=each[0], score=each[1]), kind)
    assert [(item[0], result.score) for item, result in found] == [("a", kept), ("b", 0.5), ("c", 0.1)]


def test_what_one_query_found_is_left_as_it_is():
    assert [each for each, _ in gathered([["a", "a"]], lambda each: Result(passage=each), "similarity")] == ["a", "a"]


@pytest.mark.parametrize(
    ("grounds", "field"),
    [
        ({"requester": {"groups": ["board"]}}, "requester"),
        ({"requester": Requester(groups="board")}, "requester"),
        ({"requester": Requester(groups=(1,))}, "requester"),
        ({"scope": ["product"]}, "scope"),
        ({"scope": {"product": 7}}, "scope"),
        ({"as_of": "2026-10-01"}, "as_of"),
        ({"id": 7}, "id"),
        ({"groups": ("board",)}, "groups"),
        ({3: "x"}, "3"),
        (["requester"], "grounds"),
        (None, "grounds"),
    ],
)
def test_what_is_no_ground_is_refused_by_name(grounds, field):
    with pytest.raises(FaultyInput) as raised:
        opened(contract(), QUESTION, grounds)
    assert [each.field for each in raised.value.faults] == [field]
    assert "board" not in str(raised.value)


def test_every_fault_of_a_request_is_named_at_once():
    with pytest.raises(FaultyInput) as raised:
        opened(contract(), None, {"id": 7, "scope": 1})
    assert [each.field for each in raised.value.faults] == ["question", "id", "scope"]


def test_grounds_reach_the_request():
    assert opened(contract(), QUESTION, {"requester": REQUESTER}).admissible.allows("TI-204", "C")
    assert not opened(contract(), QUESTION, {"requester": None}).admissible.allows("TI-204", "C")


def test_without_a_filter_an_unreadable_document_is_nobodys():
    off = Terms(name="t", filter=FilterTerms(access="off", revision="off", scope="off"))
    request = opened(Contract(off, DOCUMENTS, judges=lambda: None), QUESTION, {})
    assert screened(request, [(1, read({"document": []}))]) == [1]
    assert request.passages[0].document is None


FRAMEWORKS = {
    "langchain": "langchain_core.retrievers, langchain_core.vectorstores",
    "langgraph": "langchain_core.retrievers, langchain_core.vectorstores, langgraph.channels",
    "llama_index": "llama_index.core",
    "haystack": "haystack, haystack.dataclasses",
    "opentelemetry": "opentelemetry.trace",
}


@pytest.mark.parametrize("adapter", FRAMEWORKS)
def test_an_adapter_loads_nothing_heavy_beside_its_framework(adapter):
    program = f"""
import json, sys
import {FRAMEWORKS[adapter]}
before = set(sys.modules)
import ragassay.contract.adapters.{adapter}
print(json.dumps(sorted(set(sys.modules) - before)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & {"numpy", "scipy", "polars", "sqlalchemy", "httpx", "onnxruntime", "openai"}
    assert not [name for name in json.loads(done.stdout) if name.startswith(("ragassay.judges", "ragassay.store"))]


@pytest.mark.parametrize(
    ("adapter", "package", "extra"),
    [
        ("langchain.py", "langchain_core.retrievers", "langchain"),
        ("langgraph.py", "langgraph.channels", "langchain"),
        ("llama_index.py", "llama_index.core.schema", "llama-index"),
        ("haystack.py", "haystack.utils", "haystack"),
        ("opentelemetry.py", "opentelemetry.trace", "otel"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(adapter, package, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    spec = importlib.util.spec_from_file_location("adapter_without_package", Path(adapters.__file__).with_name(adapter))
    with pytest.raises(ImportError, match=rf"pip install 'ragassay\[{extra}\]'"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
