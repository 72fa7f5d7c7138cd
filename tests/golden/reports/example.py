"""A small run that never changes, and every report of it.

`python tests/golden/reports/example.py` renders the golden files again; with `measure` as argument it first measures
the queries and answers below again. Read the difference before keeping it.
"""

import sys
from datetime import date
from io import StringIO
from pathlib import Path

import msgspec
import polars as pl
from rich.console import Console

from ragassay.formats.bundle import Bundle
from ragassay.metrics.table import SCHEMA
from ragassay.records import (
    Answer,
    Citation,
    DatasetCard,
    Document,
    Exclusion,
    Query,
    Relevance,
    Requester,
    Result,
    Run,
)
from ragassay.reports.document import render_json
from ragassay.reports.html import render_html
from ragassay.reports.markdown import render_markdown
from ragassay.reports.terminal import render_terminal
from ragassay.runner import Settings, measure

FOLDER = Path(__file__).parent
ASSEMBLY, OFFICE = Requester(("assembly",)), Requester(("office",))

DOCUMENTS = (
    Document(document="TI-204", revision="B", status="superseded", valid_to=date(2026, 3, 1), readers=("assembly",)),
    Document(document="TI-204", revision="C", status="in_force", valid_from=date(2026, 3, 1), readers=("assembly",)),
    Document(document="HR-09", revision="1", status="in_force", readers=("office",)),
    Document(document="QP-03", revision="E", status="in_force", readers=("*",)),
    Document(document="MT-12", revision="A", status="in_force", readers=("*",)),
)

QUERIES = (
    ("q1", "Каким моментом затягивать болты M12?", "TI-204", {"critical": True, "language": "ru"}),
    ("q2", "How often are keys calibrated?", "QP-03", {"language": "en"}),
    ("q3", "How long is the notice period?", None, {"critical": True, "language": "en", "answerable": False}),
    ("q4", "Кто подписывает акт приёмки?", "QP-03", {"language": "ru", "task": "lookup"}),
    ("q5", "What voids the warranty of the pump?", "MT-12", {"language": "en", "critical": True}),
    ("q6", "Which coolant does the lathe take?", "MT-12", {"language": "en"}),
    ("q7", "Сколько стоит редуктор?", None, {"language": "ru", "answerable": False}),
    ("q8", "Who was paid what in 2025?", "HR-09", {"language": "en", "slices": ("withdrawn",)}),
)

ANSWERS = (
    ("q1", "Болты затягивают моментом 70 Н·м [1].", ("TI-204@B", "QP-03@E", "TI-204@C"), 41.0, 900.0),
    ("q2", "Keys are calibrated every 12 months [1].", ("QP-03@E", "MT-12@A"), 38.0, 1240.0),
    ("q3", "I could not find this in the documents I have.", ("HR-09@1", "QP-03@E"), 52.0, 610.0),
    ("q4", "В документах об этом ничего не сказано.", ("MT-12@A", "QP-03@E"), 44.0, 700.0),
    ("q5", "Opening the cover voids the warranty [7].", ("TI-204@C", "HR-09@1"), 61.0, 2100.0),
    ("q7", "Редуктор стоит 240 000 рублей [1].", ("MT-12@A",), 39.0, 980.0),
    ("q8", None, (), None, None),
)


def bundle() -> Bundle:
    """Queries, answers and corpus of the example."""
    return Bundle(
        queries=tuple(_query(*row) for row in QUERIES),
        answers=tuple(_answer(*row) for row in ANSWERS),
        documents=DOCUMENTS,
        card=DatasetCard(
            name="bench",
            version="3",
            as_of=date(2026, 10, 1),
            k=(3, 5),
            labelling_rules="two experts",
            exclusions=(Exclusion(reason="gold withdrawn", slice="withdrawn"),),
        ),
        inputs=("queries.jsonl (own JSONL, utf-8)", "answers.jsonl (own JSONL, utf-8)"),
    )


def _query(name, question, document, rest):
    relevant = () if document is None else (Relevance(document=document, grade=2.0),)
    known = {"answerable": True, "requester": ASSEMBLY, "origin": "support ticket"} | rest
    return Query(id=name, question=question, relevant=relevant, **known)


def _answer(query, text, found, retrieval, total):
    results = tuple(
        Result(passage=f"{each}#1", document=each.split("@")[0], revision=each.split("@")[1], text=f"Text of {each}.")
        for each in found
    )
    return Answer(
        query=query,
        answer=text,
        retrieved=results,
        citations=tuple(Citation(marker=f"[{i}]", passage=r.passage) for i, r in enumerate(results[:1], start=1)),
        retrieval_ms=retrieval,
        total_ms=total,
        error=None if text else "timeout",
        system="bench-rag 4.2",
    )


def fixed() -> tuple[Run, pl.DataFrame]:
    """The run as it was measured once."""
    run = msgspec.json.decode((FOLDER / "run.json").read_bytes(), type=Run)
    return run, pl.read_csv(FOLDER / "fractions.csv", schema=SCHEMA)


def rendered(run: Run, fractions: pl.DataFrame) -> dict[str, str]:
    """File name → report. Spaces at the ends of lines are layout and left out."""
    page = StringIO()
    render_terminal(run, Console(file=page, width=80, no_color=True, highlight=False, emoji=False))
    return {
        "terminal.txt": "\n".join(line.rstrip() for line in page.getvalue().splitlines()) + "\n",
        "report.md": render_markdown(run),
        "report.json": msgspec.json.format(render_json(run, fractions).decode(), indent=1) + "\n",
        "report.html": render_html(run),
    }


def measure_again() -> None:
    evaluation = measure(bundle(), Settings(resamples=500))
    (FOLDER / "run.json").write_bytes(msgspec.json.encode(evaluation.run) + b"\n")
    evaluation.fractions.write_csv(FOLDER / "fractions.csv")


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        measure_again()
    for file, report in rendered(*fixed()).items():
        if file != "report.html":
            (FOLDER / file).write_text(report, encoding="utf-8")
