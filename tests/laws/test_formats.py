"""What is written can be read back: our own forms to the last character, TREC in ids, grades and order."""

import tempfile
from datetime import date
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragassay.formats import Bundle, load_answers, load_dataset, write_jsonl, write_parquet, write_trec
from ragassay.records import (
    Answer,
    Citation,
    DatasetCard,
    Document,
    Exclusion,
    FaultyInput,
    Query,
    Relevance,
    Requester,
    Result,
)
from ragassay.text.normalise import identifier

HOSTILE = [
    "",
    "\0",
    '"',
    "'",
    "\n",
    "\r\n",
    "\u2028",
    "🤖",
    "\u202eabc",
    "=1+1",
    "@x",
    "[1]",
    "{}",
    "я" * 5000,
    "NaN",
    "null",
]
TEXT = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=20))
IDS = st.text(min_size=1, max_size=8).filter(lambda text: text.strip() != "").map(identifier)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
AMOUNT = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
COUNT = st.integers(min_value=0, max_value=2**53)
DAY = st.dates(min_value=date(1, 1, 1))
JSON = st.recursive(
    st.none() | st.booleans() | COUNT | NUMBER | TEXT, lambda inner: st.lists(inner, max_size=2), max_leaves=3
)


def maybe(strategy):
    return st.none() | strategy


def several(strategy, most=3):
    return st.lists(strategy, max_size=most).map(tuple)


def named(draw, record, **fields):
    return record(**draw(st.fixed_dictionaries(fields)))


@st.composite
def relevances(draw):
    kind = draw(st.sampled_from(["document", "passage"]))
    return Relevance(**{kind: draw(IDS)}, grade=draw(NUMBER), need=draw(maybe(TEXT)))


RELEVANT = st.lists(relevances(), max_size=3, unique_by=lambda each: (each.document, each.passage, each.need)).map(
    tuple
)
RESULT = st.builds(
    Result, passage=maybe(IDS), document=maybe(IDS), revision=maybe(IDS), score=maybe(NUMBER), text=maybe(TEXT)
).filter(lambda each: (each.passage, each.document, each.text) != (None, None, None))
CITATION = st.builds(Citation, marker=maybe(TEXT), passage=maybe(IDS), document=maybe(IDS), revision=maybe(IDS))
QUERY = st.builds(
    Query,
    id=IDS,
    question=maybe(TEXT),
    answerable=maybe(st.booleans()),
    relevant=maybe(RELEVANT),
    reference=maybe(TEXT),
    required_claims=maybe(several(TEXT)),
    critical=st.booleans(),
    severity=maybe(TEXT),
    difficulty=maybe(TEXT),
    task=maybe(TEXT),
    language=maybe(TEXT),
    slices=several(TEXT),
    requester=maybe(st.builds(Requester, several(TEXT))),
    scope=st.dictionaries(TEXT, TEXT, max_size=2),
    as_of=maybe(DAY),
    origin=maybe(TEXT),
)
ANSWER = st.builds(
    Answer,
    query=IDS,
    answer=maybe(TEXT),
    retrieved=maybe(several(RESULT)),
    candidates=maybe(several(RESULT)),
    packed=maybe(several(IDS)),
    ordered=st.booleans(),
    score_kind=st.sampled_from(["similarity", "distance", "rerank", "bm25", "unknown"]),
    citations=maybe(several(CITATION)),
    retrieval_ms=maybe(AMOUNT),
    first_token_ms=maybe(AMOUNT),
    total_ms=maybe(AMOUNT),
    input_tokens=maybe(COUNT),
    output_tokens=maybe(COUNT),
    cost=maybe(NUMBER),
    complete=maybe(st.booleans()),
    error=maybe(TEXT),
    system=maybe(TEXT),
    time=maybe(TEXT),
    cohort=maybe(TEXT),
    trace_id=maybe(TEXT),
    outcome=maybe(TEXT),
    history=maybe(several(st.dictionaries(TEXT, JSON, max_size=2))),
    actions=maybe(several(st.dictionaries(TEXT, JSON, max_size=2))),
)
DOCUMENT = st.builds(
    Document,
    document=IDS,
    revision=maybe(IDS),
    status=st.sampled_from(["in_force", "superseded", "draft", "withdrawn", "unknown"]),
    valid_from=maybe(DAY),
    valid_to=maybe(DAY),
    readers=maybe(several(TEXT)),
    applies_to=st.dictionaries(TEXT, several(TEXT), max_size=2),
    source=maybe(TEXT),
    title=maybe(TEXT),
    text=maybe(TEXT),
)
CARD = st.builds(
    DatasetCard,
    name=TEXT,
    version=TEXT,
    unit=maybe(st.sampled_from(["document", "passage"])),
    as_of=maybe(DAY),
    k=st.lists(st.integers(1, 100), min_size=1, max_size=4, unique=True).map(tuple),
    labelling_rules=maybe(TEXT),
    exclusions=several(st.builds(Exclusion, reason=TEXT, query=maybe(TEXT), slice=maybe(TEXT))),
    quotas=st.dictionaries(TEXT, COUNT, max_size=2),
    disjoint_ids=st.booleans(),
)


def distinct(strategy, key, least=0):
    return st.lists(strategy, min_size=least, max_size=3, unique_by=key).map(tuple)


BUNDLE = st.builds(
    Bundle,
    queries=distinct(QUERY, lambda each: each.id, 1),
    answers=distinct(ANSWER, lambda each: each.query),
    documents=maybe(distinct(DOCUMENT, lambda each: (each.document, each.revision), 1)),
    card=CARD,
)


@pytest.mark.parametrize("write", [write_jsonl, write_parquet])
@given(bundle=BUNDLE)
@example(bundle=Bundle(queries=(Query(id="0"),), answers=(Answer(query="0"),), documents=(Document(document="0"),)))
@settings(max_examples=60, deadline=None)
def test_our_own_forms_lose_nothing(write, bundle):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        assert write(bundle, folder) == ()
        read = load_dataset(folder)
    assert read.queries == bundle.queries
    assert read.answers == bundle.answers
    assert read.documents == bundle.documents
    assert read.card == bundle.card
    assert read.notices == ()


COLUMN = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=6).map(identifier)
GOLD = st.lists(
    st.builds(Relevance, document=COLUMN, grade=NUMBER), min_size=1, max_size=4, unique_by=lambda each: each.id
)
RUN = st.lists(st.builds(Result, document=COLUMN, score=maybe(NUMBER)), min_size=1, max_size=5)


@given(gold=GOLD, run=RUN)
@settings(max_examples=100, deadline=None)
def test_trec_keeps_ids_grades_and_order(gold, run):
    bundle = Bundle(queries=(Query(id="q", relevant=tuple(gold)),), answers=(Answer(query="q", retrieved=tuple(run)),))
    with tempfile.TemporaryDirectory() as name:
        write_trec(bundle, Path(name))
        read = load_dataset(Path(name))
    assert read.queries == bundle.queries
    assert [each.document for each in read.answers[0].retrieved] == [each.document for each in run]


ROWS = st.sampled_from(
    [
        b'{"query":"q","answer":"',
        b"query,answer\nq,",
        b"q 0 d ",
        b"[",
        b"PAR1",
        b"PK\x03\x04",
        b"\x1f\x8b",
        b"\xff\xfe",
        b"",
    ]
)


@given(start=ROWS, rest=st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_read_or_refused(start, rest):
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "file"
        path.write_bytes(start + rest)
        for load in (load_dataset, load_answers):
            try:
                bundle = load(path)
            except FaultyInput:
                continue
            assert bundle.queries or bundle.answers
