"""Handbook search by meaning and words, with extractive answers, open or under the contract of contract.toml.

Both find and answer the same way; what differs is the contract. Write what both answer to every query:

    python examples/handbook/guarded.py FOLDER
"""

import json
import sys
import time
from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
import system
from numpy.typing import NDArray
from system import FOLDER, PACKED, Passage, Row

from ragassay.contract import Contract, Recorder, Request
from ragassay.formats import load_corpus
from ragassay.judges.embedded import UseEmbedder
from ragassay.records import Citation, Requester, Result

FOUND = 5
Floats = NDArray[np.float64]


class Meaning:
    """Sections ranked by the mean of three numbers up to 1, none of them fitted: the cosine of the question with the
    nearest sentence under its title, that with the whole section, and the share of the question's rare words in it.
    """

    def __init__(self) -> None:
        self._words = system.Words(stems=True)
        self.passages = [
            passage for source in system.read_jsonl(FOLDER / "corpus.jsonl") for passage in system.sections(source)
        ]
        terms = [self._words.of(titled(passage)) for passage in self.passages]
        self._terms = [frozenset(each) for each in terms]
        self._rarity = system.inverse_frequencies(terms)
        self._rarest = max(self._rarity.values())
        parts = [
            (place, f"{passage.source['title']}. {passage.heading}. {sentence}")
            for place, passage in enumerate(self.passages)
            for sentence in system.sentences(passage)
        ]
        self._embedder = UseEmbedder()
        self._places = np.asarray([place for place, _ in parts])
        self._sentences = self._embedder.encode([text for _, text in parts])
        self._sections = self._embedder.encode([titled(passage) for passage in self.passages])

    def search(self, question: str, allows: Callable[[str, str], bool]) -> list[Result]:
        """The best of what is allowed, by document and revision."""
        scores = np.round(self._scores(question), 4).tolist()
        allowed = [
            place
            for place, passage in enumerate(self.passages)
            if allows(passage.source["document"], passage.source["revision"])
        ]
        best = sorted(allowed, key=lambda place: -scores[place])[:FOUND]
        return [Result(**as_result(self.passages[place], scores[place])) for place in best]

    def _scores(self, question: str) -> Floats:
        asked = self._embedder.encode([question])[0]
        nearest = np.full(len(self.passages), -1.0)
        np.maximum.at(nearest, self._places, self._sentences @ asked)
        return (nearest + self._sections @ asked + self._shares(question)) / 3

    def _shares(self, question: str) -> Floats:
        wanted = sorted(set(self._words.of(system.without_stop_words(question))))
        weights = [self._rarity.get(word, self._rarest) for word in wanted]
        held = [
            sum(weight for word, weight in zip(wanted, weights, strict=True) if word in each) for each in self._terms
        ]
        return np.asarray(held) / max(sum(weights), 1e-9)


@cache
def meaning() -> Meaning:
    return Meaning()


@cache
def passages() -> dict[str, Passage]:
    return {passage.id: passage for passage in meaning().passages}


def titled(passage: Passage) -> str:
    return f"{passage.source['title']}\n{readable(passage)}"


def readable(passage: Passage) -> str:
    """A section with every row of a table as a sentence, as it is quoted."""
    return "\n".join([passage.heading, *system.sentences(passage)])


def as_result(passage: Passage, score: float) -> Row:
    return system.as_result(passage, score) | {"text": readable(passage)}


def extract(question: str, found: Iterable[Result]) -> tuple[str, list[Citation]]:
    """The sentences of version 2 from these passages, with citations; a refusal where no word is shared."""
    packed = [passages()[each.passage] for each in found if each.passage is not None][:PACKED]
    best = system.search("v2").best_sentences(question, packed)
    text = " ".join(f"{sentence} [{place}]" for place, sentence in best)
    cited = [Citation(**row) for row in system.citations(best, packed)]
    return text or system.REFUSALS[system.language(question)], cited


def answer_open(query: Row) -> Row:
    """Answers one row of queries.jsonl as version 2 would: access is checked, and nothing else."""
    started = time.perf_counter()
    groups = query["requester"]["groups"]
    readable = {
        (each.source["document"], each.source["revision"])
        for each in meaning().passages
        if system.may_read(each.source, groups)
    }
    found = meaning().search(query["question"], lambda document, revision: (document, revision) in readable)
    retrieved_at = time.perf_counter()
    text, cited = extract(query["question"], found)
    return {
        "query": query["id"],
        "answer": text,
        "retrieved": [as_result(passages()[str(each.passage)], float(each.score or 0)) for each in found],
        "packed": [each.passage for each in found[:PACKED]],
        "score_kind": "similarity",
        "citations": [{"marker": each.marker, "passage": each.passage} for each in cited],
        "retrieval_ms": system.milliseconds(started, retrieved_at),
        "total_ms": system.milliseconds(started, time.perf_counter()),
        "complete": True,
    }


def opened(recorder: Recorder | None = None, path: Path = FOLDER / "contract.toml") -> Contract:
    """The contract at work, over the documents of the handbook."""
    documents = load_corpus(FOLDER / "corpus.jsonl").documents
    return Contract.load(path, documents, score_kind="similarity", recorder=recorder)


def answer_guarded(query: Row, contract: Contract) -> str:
    """Answers one row under the contract; what was decided goes to its recorder."""
    asks = contract.guard(search=search, generate=lambda request: extract(request.question, request.passages))
    reply = asks(
        query["question"],
        requester=Requester(groups=tuple(query["requester"]["groups"])),
        scope=query.get("scope"),
        as_of=date.fromisoformat(query["as_of"]),
        id=query["id"],
    )
    return reply.text


def search(request: Request) -> list[Result]:
    """Only what the contract admits is ranked at all."""
    return meaning().search(request.question, request.admissible.allows)[:PACKED]


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python guarded.py FOLDER", file=sys.stderr)
        return 2
    queries = system.read_jsonl(FOLDER / "queries.jsonl")
    target = Path(arguments[0])
    lines = [json.dumps(answer_open(query), ensure_ascii=False) + "\n" for query in queries]
    (target / "open.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
    contract = opened(Recorder(target / "guarded.jsonl"))
    contract.warm()
    for query in queries:
        answer_guarded(query, contract)
    contract.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
