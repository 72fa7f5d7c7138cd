"""Read the labelled pairs and split them so that no passage, claim twin or near-copy stands on two sides."""

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
SOURCES = (
    "expertqa",
    "factcheck_bench",
    "q2_wow",
    "fever_symmetric",
    "negation_nli",
    "breaking_nli",
    "snli",
    "ru_terra",
    "ru_rcb",
    "ru_lidirus",
    "ru_danetqa",
)
TEST_ONLY = frozenset({"ru_lidirus"})
# Claims of these two are everyday sentences that recur by chance: a shared claim does not make twins.
RECURRING_CLAIMS = frozenset({"snli", "breaking_nli"})
SUPPORTS, CONTRADICTS, NEUTRAL, NOT_SUPPORTED = 0, 1, 2, 3
CLASSES = {
    "entailment": SUPPORTS,
    "SUPPORTS": SUPPORTS,
    "completely-support": SUPPORTS,
    "Complete": SUPPORTS,
    "contradiction": CONTRADICTS,
    "REFUTES": CONTRADICTS,
    "refute": CONTRADICTS,
    "neutral": NEUTRAL,
    "irrelevant": NEUTRAL,
    "Missing": NEUTRAL,
}
STOP_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
        a an the is are was were be been not no never n't nt t s of in on at to for by with and or as that this it its
        do does did may must can have has had и в во на со с не ни нет никогда что это как по к у о об от из за для а но
        же бы был была было были есть
        """,
    )
)
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Pair:
    """One claim beside one passage; `target` is a class, or NOT_SUPPORTED where the source is binary."""

    id: str
    source: str
    lang: str
    passage: str
    claim: str
    label: str
    binary: int | None
    target: int


def rows(path: Path) -> Iterator[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def pairs(source: str) -> list[Pair]:
    return [_pair(source, row) for row in rows(DATA / "support" / f"{source}.jsonl.gz")]


def _pair(source: str, row: dict) -> Pair:
    context = row["context"]
    passage = context if isinstance(context, str) else "\n".join(context)
    binary = row["binary"]
    label = str(row["label"])
    target = SUPPORTS if binary == 1 else CLASSES.get(label, NOT_SUPPORTED)
    return Pair(row["id"], source, row["lang"], passage, row["claim"], label, binary, target)


def content_words(text: str) -> list[str]:
    return [word for word in WORD.findall(text.lower().replace("\u0301", "")) if word not in STOP_WORDS]


def twin_keys(text: str) -> Iterator[str]:
    """Keys that a text shares with its near-copies: its words without negations, and either half of them."""
    words = content_words(text)
    if words:
        yield " ".join(words)
    half = len(words) // 2
    if half >= 4:
        yield "< " + " ".join(words[:half])
        yield "> " + " ".join(words[-half:])


class Groups:
    """Union-find over text keys."""

    def __init__(self) -> None:
        self.parent: dict[str, str] = {}

    def find(self, key: str) -> str:
        self.parent.setdefault(key, key)
        while self.parent[key] != key:
            self.parent[key] = self.parent[self.parent[key]]
            key = self.parent[key]
        return key

    def join(self, keys: Iterable[str]) -> None:
        roots = sorted({self.find(key) for key in keys})
        for root in roots[1:]:
            self.parent[root] = roots[0]


def pair_keys(pair: Pair) -> list[str]:
    keys = list(twin_keys(pair.passage)) or [f"empty passage {pair.id}"]
    claim = list(twin_keys(pair.claim))
    return keys + (claim[1:] if pair.source in RECURRING_CLAIMS else claim)


def splits(by_source: dict[str, list[Pair]], paragraphs: Iterable[str] = ()) -> tuple[dict[str, str], Groups]:
    """`train`, `dev` or `test` of every pair id: 60/10/30 by a hash of its group; one group, one side."""
    groups = Groups()
    for paragraph in paragraphs:
        groups.join(twin_keys(paragraph))
    for found in by_source.values():
        for pair in found:
            groups.join(pair_keys(pair))
    kept_apart = {groups.find(pair_keys(pair)[0]) for source in TEST_ONLY for pair in by_source.get(source, ())}
    return {
        pair.id: side(groups.find(pair_keys(pair)[0]), kept_apart) for found in by_source.values() for pair in found
    }, groups


def side(root: str, kept_apart: Iterable[str] = ()) -> str:
    if root in kept_apart:
        return "test"
    share = int.from_bytes(hashlib.sha256(root.encode()).digest()[:4], "big") / 2**32
    return "train" if share < 0.6 else "dev" if share < 0.7 else "test"
