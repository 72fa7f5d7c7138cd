"""Labelled pairs with the features of the judge that will see them at run time."""

import hashlib
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from sources import NEUTRAL, NOT_SUPPORTED, SOURCES, SUPPORTS, content_words, pairs, splits

from ragassay.judges.embedded import analysis
from ragassay.judges.embedded.analysis import analyse
from ragassay.judges.embedded.checks import Checker
from ragassay.judges.embedded.cross_encoder import CrossEncoder
from ragassay.judges.embedded.embedder import UseEmbedder
from ragassay.judges.embedded.features import features, open_words
from ragassay.judges.embedded.pairing import pairing
from ragassay.judges.embedded.words import Stemmer

SEED = 20_261_130
# Large sources are drawn from, by split: train, dev, test.
MOST = {"snli": (4500, 800, 2000), "breaking_nli": (1800, 400, 1200)}
SPLITS = ("train", "dev", "test")
MADE = ("made_", "twins_", "answers_", "across")
CODE = Path(analysis.__file__).parent
CONTRAST = Path(__file__).resolve().parent.parent / "tests" / "contrast"
CONTRAST_CLASSES = {"supports": 0, "contradicts": 1, "neutral": 2}
BLOCK = 200
# The log-odds of an empty text, which the cross-encoder is never shown.
NOTHING_READ = -5.0
MARKED = re.compile(r"\b(?:[A-ZА-ЯЁ][\w-]+(?: [A-ZА-ЯЁ][\w-]+)*|\d[\d.,]*\d|\d)")


@dataclass(frozen=True)
class Labelled:
    """A claim beside a passage, its label and its side of the split; `target` as in sources.py."""

    id: str
    source: str
    lang: str
    split: str
    passage: str
    claim: str
    is_supported: bool
    target: int


def labelled() -> list[Labelled]:
    """The labelled pairs of every source, large ones drawn from."""
    by_source = {source: pairs(source) for source in SOURCES}
    sides, _ = splits(by_source)
    found: list[Labelled] = []
    for source, own in by_source.items():
        chance = random.Random(SEED)
        for split, most in zip(SPLITS, MOST.get(source, (len(own),) * 3), strict=True):
            part = [p for p in own if p.binary is not None and sides[p.id] == split]
            drawn = chance.sample(part, most) if len(part) > most else part
            found += [Labelled(p.id, source, p.lang, split, p.passage, p.claim, p.binary == 1, p.target) for p in drawn]
    return found


def made(folder: Path, most: int) -> list[Labelled]:
    """Pairs that prepare.py made from train passages."""
    with (folder / "train.jsonl").open(encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["source"].startswith(MADE)]
    drawn = random.Random(SEED).sample(rows, min(most, len(rows)))
    return [
        Labelled(
            f"made:{n}", r["source"], r["lang"], "train", r["passage"], r["claim"], r["target"] == SUPPORTS, r["target"]
        )
        for n, r in enumerate(drawn)
    ]


def exchanged(found: Sequence[Labelled]) -> list[Labelled]:
    """Supported claims with two of their names or figures exchanged: not supported."""
    turned = ((pair, _exchanged(pair.claim)) for pair in found if pair.is_supported)
    return [
        replace(pair, id=f"{pair.id}:exchanged", claim=claim, is_supported=False, target=NOT_SUPPORTED)
        for pair, claim in turned
        if claim
    ]


def _exchanged(claim: str) -> str | None:
    marked = [m for m in MARKED.finditer(claim) if m.start() > 0]
    if len(marked) < 2 or marked[0].group() == marked[-1].group():
        return None
    first, last = marked[0], marked[-1]
    middle = claim[first.end() : last.start()]
    return claim[: first.start()] + last.group() + middle + first.group() + claim[last.end() :]


def stated(found: Sequence[Labelled]) -> list[Labelled]:
    """Questions that stand for claims, without their question mark."""
    return [replace(pair, claim=pair.claim.rstrip("? ")) for pair in found]


def strangers(found: Sequence[Labelled], share: float) -> list[Labelled]:
    """Claims beside the passage of another claim of their source: of eight the one that shares most words with it."""
    chance = random.Random(SEED)
    sources = dict.fromkeys(pair.source for pair in found)
    by_source = {source: [pair for pair in found if pair.source == source] for source in sources}
    made_up: list[Labelled] = []
    for own in by_source.values():
        for pair in chance.sample(own, int(share * len(own))):
            words = set(content_words(pair.claim))
            shared = {
                p.passage: len(words & set(content_words(p.passage))) for p in chance.sample(own, min(len(own), 8))
            }
            apart = {text: count for text, count in shared.items() if 0 < count <= len(words) / 2}
            if apart:
                passage = max(apart, key=apart.__getitem__)
                made_up.append(
                    replace(pair, id=f"{pair.id}:stranger", passage=passage, is_supported=False, target=NEUTRAL)
                )
    return made_up


def contrast(half: str) -> list[Labelled]:
    """One half of the hand-made contrast sets; the source names language and kind."""
    found: list[Labelled] = []
    for lang in ("en", "ru"):
        with (CONTRAST / f"{lang}.jsonl").open(encoding="utf-8") as lines:
            rows = [row for row in map(json.loads, lines) if row["half"] == half]
        split = "dev" if half == "development" else "test"
        found += [
            Labelled(
                r["id"],
                f"contrast_{lang}",
                lang,
                split,
                r["passage"],
                r["claim"],
                r["binary"] == 1,
                CONTRAST_CLASSES[r["label"]],
            )
            for r in rows
        ]
    return found


def feature_rows(found: Sequence[Labelled], folder: Path) -> np.ndarray:
    """Shape (n, features), float32; kept in `folder` until pairs or code change."""
    stemmer, embedder = Stemmer(), UseEmbedder()
    checker = Checker(stemmer)
    kept = folder / f"features-{_key(found)}.npy"
    if kept.is_file():
        return np.load(kept)
    rows = np.concatenate(
        [_block(found[start : start + BLOCK], stemmer, embedder, checker) for start in range(0, len(found), BLOCK)]
    )
    np.save(kept, rows)
    return rows


def _key(found: Sequence[Labelled]) -> str:
    """Of the pairs and of the code that reads them."""
    key = hashlib.sha256(json.dumps([(pair.claim, pair.passage) for pair in found]).encode())
    for path in sorted(CODE.glob("*.py")):
        if path.stem not in ("judge", "cross_encoder", "window", "pieces", "network", "sufficiency", "__init__"):
            key.update(path.read_bytes())
    return key.hexdigest()[:16]


def _block(part: Sequence[Labelled], stemmer: Stemmer, embedder: UseEmbedder, checker: Checker) -> np.ndarray:
    texts = list(dict.fromkeys(text for pair in part for text in (pair.claim, pair.passage)))
    read = dict(zip(texts, analyse(texts, stemmer, embedder), strict=True))
    ready = [pairing(read[pair.claim], read[pair.passage]) for pair in part]
    embedder.words([word for pair in ready for side in open_words(pair) for word in side])
    rows = [features(pair, checker.findings(pair), embedder) for pair in ready]
    return np.stack(rows).astype(np.float32)


def cross_scores(found: Sequence[Labelled], weights: Path, folder: Path) -> np.ndarray:
    """Log-odds of support and of contradiction, shape (n, 2); kept in `folder` until pairs or weights change."""
    key = hashlib.sha256((weights / "cross_encoder.onnx").read_bytes() + _key(found).encode()).hexdigest()[:16]
    kept = folder / f"cross-{key}.npy"
    if kept.is_file():
        return np.load(kept)
    scores = np.full((len(found), 2), NOTHING_READ, dtype=np.float32)
    filled = [number for number, pair in enumerate(found) if pair.passage.strip()]
    scores[filled] = CrossEncoder(weights).read([(found[n].claim, found[n].passage) for n in filled])
    np.save(kept, scores)
    return scores
