"""Questions beside passages that do or do not answer them: CLAPnq and XQuAD, split by passage or article."""

import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sources import DATA, rows, side

from ragassay.judges.embedded import sufficiency
from ragassay.judges.embedded.analysis import analyse
from ragassay.judges.embedded.embedder import UseEmbedder
from ragassay.judges.embedded.words import Stemmer

SEED = 20_261_130


@dataclass(frozen=True)
class Asked:
    """A question and a passage; `is_answered` tells whether the passage answers it."""

    source: str
    lang: str
    split: str
    question: str
    passage: str
    is_answered: bool


def asked() -> list[Asked]:
    return [*clapnq(), *xquad("en", same_article=True), *xquad("ru", same_article=True)]


def clapnq() -> Iterator[Asked]:
    for row in rows(DATA / "abstention" / "clapnq.jsonl.gz"):
        passage = "\n".join(row["context"])
        yield Asked("clapnq", "en", side(passage), row["query"], passage, row["label"] == "answerable")


def xquad(lang: str, *, same_article: bool) -> Iterator[Asked]:
    """Every question beside its own paragraph and beside another of the same article, or of another one."""
    chance = random.Random(SEED)
    documents = {d["_id"]: d for d in rows(DATA / "retrieval" / f"xquad_{lang}" / "corpus.jsonl.gz")}
    for row in rows(DATA / "retrieval" / f"xquad_{lang}" / "qa.jsonl.gz"):
        own = documents[row["doc_id"]]
        split = side("xquad " + own["title"])
        others = [
            d
            for d in documents.values()
            if d["_id"] != own["_id"]
            and (d["title"] == own["title"]) == same_article
            and side("xquad " + d["title"]) == split
        ]
        yield Asked(f"xquad_{lang}", lang, split, row["query"], own["text"], True)
        if others:
            yield Asked(f"xquad_{lang}", lang, split, row["query"], chance.choice(others)["text"], False)


def question_rows(found: list[Asked], folder: Path) -> np.ndarray:
    """Sufficiency features of every row, the first of them the cosine of the nearest sentence; kept in `folder`."""
    key = hashlib.sha256(json.dumps([(one.question, one.passage) for one in found]).encode())
    key.update(Path(sufficiency.__file__).read_bytes())
    kept = folder / f"questions-{key.hexdigest()[:16]}.npy"
    if kept.is_file():
        return np.load(kept)
    stemmer, embedder = Stemmer(), UseEmbedder()
    texts = list(dict.fromkeys(text for one in found for text in (one.question, one.passage)))
    read = dict(zip(texts, analyse(texts, stemmer, embedder), strict=True))
    features = np.stack([sufficiency.sufficiency_features(read[one.question], read[one.passage]) for one in found])
    np.save(kept, features)
    return features
