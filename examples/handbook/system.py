"""Handbook search: a small retrieval system with extractive answers, in two versions.

Both versions cut documents into sections, rank the sections with BM25 and answer with the best sentences of the top
three. Version 2 stems words and indexes titles and headings, so it finds more. It is less safe: it lost the check of
the revision and refuses less. Call `answer_v1` or `answer_v2` with a row of queries.jsonl, or write all answers:

    python examples/handbook/system.py v1
"""

import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import bm25s  # pyright: ignore[reportMissingTypeStubs] - neither library ships types
import numpy as np
import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]
from bm25s.stopwords import (  # pyright: ignore[reportMissingTypeStubs]
    STOPWORDS_EN_PLUS,
    STOPWORDS_RUSSIAN,
)

FOLDER = Path(__file__).parent
RETRIEVED = 10
PACKED = 3
SENTENCES = 3
WORD = re.compile(r"\w+(?:[-.,/]\w+)*")
CYRILLIC = re.compile(r"[\u0400-\u04ff]")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\u0400-\u042f])")
STOP_WORDS = frozenset(STOPWORDS_EN_PLUS) | frozenset(STOPWORDS_RUSSIAN)
REFUSALS = {
    "ru": "Я не нашёл ответа на этот вопрос в документах справочника.",
    "en": "I could not find an answer to this question in the documents of the handbook.",
}

Row = dict[str, Any]


@dataclass(frozen=True)
class Version:
    """What sets one version of the system apart; it refuses when its best BM25 score is below `threshold`."""

    name: str
    stems: bool
    indexes_headings: bool
    checks_revision: bool
    threshold: float


VERSIONS = {
    "v1": Version("handbook-search 1.0", stems=False, indexes_headings=False, checks_revision=True, threshold=4.0),
    "v2": Version("handbook-search 2.0", stems=True, indexes_headings=True, checks_revision=False, threshold=3.0),
}


@dataclass(frozen=True)
class Passage:
    """One section of one revision of a document."""

    id: str
    heading: str
    body: str
    source: Row

    @property
    def text(self) -> str:
        return f"{self.heading}\n{self.body}"


def read_jsonl(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def sections(source: Row) -> Iterator[Passage]:
    """The sections of one corpus row; numbers start at 1, so `TI-204@C#2` is the second section of revision C."""
    for number, part in enumerate(re.split(r"^## ", source["text"], flags=re.MULTILINE)[1:], start=1):
        heading, _, body = part.partition("\n")
        yield Passage(f"{source['document']}@{source['revision']}#{number}", heading.strip(), body.strip(), source)


def sentences(passage: Passage) -> Iterator[str]:
    """The sentences of a section; a table row becomes one sentence that names its columns."""
    columns: list[str] = []
    for line in passage.body.splitlines():
        if not line.startswith("|"):
            yield from SENTENCE_END.split(line)
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not columns:
            columns = cells
        elif not set(line) <= set("|-"):
            yield "; ".join(f"{column}: {cell}" for column, cell in zip(columns, cells, strict=True)) + "."


class Words:
    """Splits text into index terms, as written or reduced to Russian and English stems."""

    def __init__(self, *, stems: bool) -> None:
        names = ("russian", "english") if stems else ()
        self._stemmers: dict[str, Any] = {name: snowballstemmer.stemmer(name) for name in names}

    def of(self, text: str) -> list[str]:
        words = WORD.findall(text.lower())
        if not self._stemmers:
            return words
        return [self._stem(word.replace("\u0451", "\u0435")) for word in words]

    def _stem(self, word: str) -> str:
        return self._stemmers["russian" if CYRILLIC.search(word) else "english"].stemWord(word)


def without_stop_words(text: str) -> str:
    return " ".join(word for word in WORD.findall(text.lower()) if word not in STOP_WORDS)


def may_read(source: Row, groups: list[str]) -> bool:
    return "*" in source["readers"] or not set(source["readers"]).isdisjoint(groups)


def is_in_force(source: Row, day: str) -> bool:
    """Whether the revision was in force on an ISO date; a superseded one was, until its last day."""
    if source["status"] not in ("in_force", "superseded") or source["valid_from"] > day:
        return False
    return source["valid_to"] is None or day < source["valid_to"]


class Search:
    """The index of one version and the answers that it gives."""

    def __init__(self, version: Version, corpus: list[Row]) -> None:
        self.version = version
        self._words = Words(stems=version.stems)
        self._passages = [passage for source in corpus for passage in sections(source)]
        terms = [self._words.of(self._indexed(passage)) for passage in self._passages]
        self._index = bm25s.BM25()
        self._index.index(terms, show_progress=False)
        self._rarity = inverse_frequencies(terms)

    def answer(self, query: Row) -> Row:
        """One answer row; everything in it but the three times is determined by the query and the corpus."""
        started = time.perf_counter()
        terms = self._words.of(query["question"])
        ranked = self._ranked(terms, query)
        retrieved_at = time.perf_counter()
        packed = [passage for passage, _ in ranked[:PACKED]]
        found: list[tuple[int, str]] = []
        if ranked[0][1] >= self.version.threshold:
            found = self.best_sentences(query["question"], packed)
        first_at = time.perf_counter()
        text = " ".join(f"{sentence} [{place}]" for place, sentence in found) or REFUSALS[language(query["question"])]
        finished = time.perf_counter()
        return {
            "query": query["id"],
            "answer": text,
            "retrieved": [as_result(passage, score) for passage, score in ranked],
            "packed": [passage.id for passage in packed],
            "score_kind": "bm25",
            "citations": citations(found, packed),
            "retrieval_ms": milliseconds(started, retrieved_at),
            "first_token_ms": milliseconds(started, first_at),
            "total_ms": milliseconds(started, finished),
            "complete": True,
            "system": self.version.name,
        }

    def _indexed(self, passage: Passage) -> str:
        return f"{passage.source['title']}\n{passage.text}" if self.version.indexes_headings else passage.body

    def _is_searched(self, source: Row, query: Row) -> bool:
        allowed = may_read(source, query["requester"]["groups"])
        return allowed and (not self.version.checks_revision or is_in_force(source, query["as_of"]))

    def _ranked(self, terms: list[str], query: Row) -> list[tuple[Passage, float]]:
        """The first sections with their scores; of equal ones the later in the corpus, so the newer revision, leads."""
        scores = self._index.get_scores(terms) if terms else np.zeros(len(self._passages))
        scored = [
            (round(float(scores[place]), 3), place, passage)
            for place, passage in enumerate(self._passages)
            if self._is_searched(passage.source, query)
        ]
        scored.sort(key=lambda item: item[:2], reverse=True)
        return [(passage, score) for score, _, passage in scored[:RETRIEVED]]

    def best_sentences(self, question: str, packed: list[Passage]) -> list[tuple[int, str]]:
        """Places from 1 and sentences, best first: those that weigh at least half as much as the best, each once."""
        wanted = set(self._words.of(without_stop_words(question)))
        places: dict[str, int] = {}
        for place, passage in enumerate(packed, start=1):
            for sentence in sentences(passage):
                places.setdefault(sentence, place)
        weighed = [(self._weight_of(wanted, sentence), place, sentence) for sentence, place in places.items()]
        weighed.sort(key=lambda item: (-item[0], item[1]))
        least = weighed[0][0] / 2
        return [(place, sentence) for weight, place, sentence in weighed[:SENTENCES] if weight > 0 and weight >= least]

    def _weight_of(self, wanted: set[str], sentence: str) -> float:
        found = wanted.intersection(self._words.of(sentence))
        return sum(self._rarity[term] for term in sorted(found))


def inverse_frequencies(documents: list[list[str]]) -> dict[str, float]:
    """How rare each term is over the documents, as BM25 weighs it."""
    counts: dict[str, int] = {}
    for terms in documents:
        for term in set(terms):
            counts[term] = counts.get(term, 0) + 1
    size = len(documents)
    return {term: float(np.log(1 + (size - count + 0.5) / (count + 0.5))) for term, count in counts.items()}


def citations(found: list[tuple[int, str]], packed: list[Passage]) -> list[Row]:
    """One row per passage cited, in the order of the places."""
    places = sorted({place for place, _ in found})
    return [{"marker": f"[{place}]", "passage": packed[place - 1].id} for place in places]


def as_result(passage: Passage, score: float) -> Row:
    source = passage.source
    return {
        "passage": passage.id,
        "document": source["document"],
        "revision": source["revision"],
        "score": score,
        "text": passage.text,
    }


def language(question: str) -> str:
    return "ru" if CYRILLIC.search(question) else "en"


def milliseconds(start: float, end: float) -> float:
    return round(1000 * (end - start), 3)


@cache
def search(version: str) -> Search:
    return Search(VERSIONS[version], read_jsonl(FOLDER / "corpus.jsonl"))


def answer_v1(query: Row) -> Row:
    """Answers one query with version 1."""
    return search("v1").answer(query)


def answer_v2(query: Row) -> Row:
    """Answers one query with version 2."""
    return search("v2").answer(query)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in VERSIONS:
        print(f"usage: python system.py {'|'.join(VERSIONS)}", file=sys.stderr)
        return 2
    version = arguments[0]
    rows = [search(version).answer(query) for query in read_jsonl(FOLDER / "queries.jsonl")]
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (FOLDER / f"answers-{version}.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
