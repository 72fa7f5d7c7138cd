"""A small, well-kept set of files, as a person would bring it."""

import json
from pathlib import Path

QUERIES = [
    {
        "id": "q1",
        "question": "What is the torque for M12?",
        "answerable": True,
        "relevant": [{"document": "TI-204"}],
        "language": "en",
        "critical": True,
    },
    {
        "id": "q2",
        "question": "Каков момент затяжки болта М12?",
        "answerable": True,
        "relevant": [{"document": "TI-204"}],
        "language": "ru",
    },
    {"id": "q3", "question": "Who won the cup?", "answerable": False, "relevant": [], "language": "en"},
]
ANSWERS = [
    {
        "query": "q1",
        "answer": "Tighten M12 bolts to 80 N·m [1].",
        "retrieved": [
            {"passage": "TI-204#1", "document": "TI-204", "revision": "C", "score": 2.0, "text": "M12: 80 N·m."}
        ],
        "citations": [{"marker": "[1]", "passage": "TI-204#1"}],
        "total_ms": 120,
    },
    {
        "query": "q2",
        "answer": "Момент затяжки — 70 Н·м [1].",
        "retrieved": [
            {"passage": "TI-100#1", "document": "TI-100", "revision": "A", "score": 3.0, "text": "…"},
            {"passage": "TI-204#1", "document": "TI-204", "revision": "B", "score": 2.0, "text": "M12: 70 N·m."},
        ],
        "citations": [{"marker": "[1]", "passage": "TI-204#1"}],
        "total_ms": 150,
    },
    {
        "query": "q3",
        "answer": "I could not find this in the documents I have.",
        "retrieved": [],
        "citations": [],
        "total_ms": 30,
    },
]
CORPUS = [
    {
        "document": "TI-204",
        "revision": "B",
        "status": "superseded",
        "valid_to": "2026-03-01",
        "readers": ["*"],
        "text": "M12: 70 N·m.",
    },
    {
        "document": "TI-204",
        "revision": "C",
        "status": "in_force",
        "valid_from": "2026-03-01",
        "readers": ["*"],
        "text": "M12: 80 N·m.",
    },
    {"document": "TI-100", "revision": "A", "status": "in_force", "readers": ["*"], "text": "…"},
]


def write_lines(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
