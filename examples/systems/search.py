"""Handbook search as a function and as an HTTP service, with nothing but the standard library.

`answer` is a system under test as it is; run as a program, the file serves the same answers in a form of its own, which
`handbook.toml` describes:

    python examples/systems/search.py 8900
"""

import json
import math
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from ragassay.records import Query

CORPUS = Path(__file__).parents[1] / "handbook" / "corpus.jsonl"
WORD = re.compile(r"\w+(?:[-.,]\w+)*")
RETRIEVED = 5
LEAST = 6.0
REFUSAL = {"ru": "В справочнике нет ответа на этот вопрос.", "en": "The handbook does not answer this question."}

Row = dict[str, Any]


class Passage(NamedTuple):
    """A section of a document."""

    id: str
    text: str
    document: Row
    words: frozenset[str]


def sections(document: Row) -> Iterator[Passage]:
    for number, part in enumerate(document["text"].split("\n## ")[1:], start=1):
        words = frozenset(WORD.findall(f"{document['title']} {part}".lower()))
        yield Passage(f"{document['document']}@{document['revision']}#{number}", part.strip(), document, words)


@cache
def passages() -> tuple[Passage, ...]:
    rows = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    return tuple(passage for row in rows if row["status"] == "in_force" for passage in sections(row))


@cache
def rarity(word: str) -> float:
    """A word that stands in few passages tells more."""
    return math.log(len(passages()) / (1 + sum(word in passage.words for passage in passages())) + 1)


def may_read(passage: Passage, groups: Iterable[str]) -> bool:
    readers = passage.document["readers"]
    return "*" in readers or not set(readers).isdisjoint(groups)


def search(question: str, groups: Iterable[str]) -> list[tuple[Passage, float]]:
    """The best passages that these groups may read, with their scores."""
    asked, allowed = set(WORD.findall(question.lower())), tuple(groups)
    scored = [
        (passage, round(sum(rarity(word) for word in sorted(asked & passage.words)), 3))
        for passage in passages()
        if may_read(passage, allowed)
    ]
    return sorted(scored, key=lambda each: -each[1])[:RETRIEVED]


def best_text(found: list[tuple[Passage, float]], language: str | None) -> tuple[str, list[str]]:
    """The best passage in its own words and its id, or a refusal."""
    best, score = found[0]
    if score < LEAST:
        return REFUSAL["ru" if language == "ru" else "en"], []
    return f"{best.text} [1]", [best.id]


def answer(question: str, query: Query) -> Row:
    """One of our own answers."""
    found = search(question, query.requester.groups if query.requester else ())
    text, cited = best_text(found, query.language)
    return {
        "answer": text,
        "retrieved": [as_result(passage, score) for passage, score in found],
        "citations": [{"marker": "[1]", "passage": each} for each in cited],
    }


def as_result(passage: Passage, score: float) -> Row:
    source = passage.document
    return {
        "passage": passage.id,
        "document": source["document"],
        "revision": source["revision"],
        "score": score,
        "text": passage.text,
    }


class Service(BaseHTTPRequestHandler):
    """Takes `{"question", "language", "groups"}` and answers in a form of its own."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        found = search(asked["question"], asked["groups"] or ())
        text, cited = best_text(found, asked["language"])
        hits = [
            {"id": each.id, "source": {"doc": each.document["document"], "rev": each.document["revision"]}}
            | {"score": score, "text": each.text}
            for each, score in found
        ]
        self.reply({"result": {"text": text, "cited": cited}, "hits": hits})

    def reply(self, value: object) -> None:
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


def main(arguments: list[str]) -> int:
    port = int(arguments[0]) if arguments else 8900
    print(f"http://127.0.0.1:{port}/ask")
    ThreadingHTTPServer(("127.0.0.1", port), Service).serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
