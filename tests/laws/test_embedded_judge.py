"""A claim beside a passage is judged by itself: neither order nor company changes an opinion."""

import random
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.judges.embedded import EmbeddedJudge
from ragassay.judges.embedded.pieces import Pieces
from ragassay.judges.embedded.window import window
from ragassay.judges.together import finished
from ragassay.records import Failure, Opinion

CLAIMS = (
    "The reservoir covers 250 hectares.",
    "Boats with engines are allowed on the reservoir.",
    "Договор подписан 3 марта 2024 года.",
    "Срок договора — три года.",
)
PASSAGES = (
    "The reservoir covers 250 hectares and is 18 metres deep. Boats with engines have been banned since 1998.",
    "Договор подписан 03.03.2024 и действует два года.",
    "The committee met on Monday.",
    "Музей открыт ежедневно, кроме понедельника.",
)
IRRELEVANT = st.lists(st.text(max_size=60), max_size=3)


@cache
def judge() -> EmbeddedJudge:
    return EmbeddedJudge()


@cache
def alone(claim: str, passage: str) -> Opinion | Failure:
    return finished(EmbeddedJudge().verify([claim], [passage], [(0, 0)]))[0]


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 1000), strangers=IRRELEVANT)
def test_opinions_do_not_depend_on_order_or_company(seed: int, strangers: list[str]) -> None:
    texts = [*PASSAGES, *strangers]
    random.Random(seed).shuffle(texts)
    pairs = [(claim, text) for claim in range(len(CLAIMS)) for text in range(len(texts))]
    random.Random(seed).shuffle(pairs)
    found = dict(zip(pairs, finished(judge().verify(CLAIMS, texts, pairs)), strict=True))
    for number, claim in enumerate(CLAIMS):
        for passage in PASSAGES:
            assert found[number, texts.index(passage)] == alone(claim, passage)


@settings(max_examples=60, deadline=None)
@given(claim=st.text(max_size=80), passage=st.text(max_size=400))
def test_every_text_gets_an_outcome_whose_quote_is_verbatim(claim: str, passage: str) -> None:
    (found,) = finished(judge().verify([claim], [passage], [(0, 0)]))
    if isinstance(found, Failure):
        assert found.error == "claim_without_words"
        return
    assert 0.0 <= found.probability <= 1.0
    assert 0.0 <= found.contradiction <= 1.0 - found.probability + 1e-9
    assert found.quote is None or found.quote in passage


@settings(max_examples=60, deadline=None)
@given(
    claim=st.text(max_size=80), words=st.lists(st.text(alphabet="абвxyz.!\n ", min_size=1, max_size=12), max_size=200)
)
def test_a_window_holds_words_of_the_passage_only(claim: str, words: list[str]) -> None:
    passage = " ".join(words)
    assert set(window(claim, passage, 60).split()) <= set(passage.split())
    assert len(window(claim, passage, 60).split()) <= 60


@given(text=st.text(max_size=80))
def test_pieces_are_ids_of_the_vocabulary(text: str) -> None:
    pieces = Pieces(
        ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "▁ab"], [0.0, 0.0, 0.0, 0.0, -2.0, -3.0, -3.0, -1.0]
    )
    assert all(3 <= number < 8 for number in pieces.encode(text, 50))
    assert len(pieces.encode(text, 5)) <= 5
