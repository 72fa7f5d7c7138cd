"""The examples run as they stand, with the embedded judge."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[4] / "examples" / "contract"
ANSWER = "proceed: The M12 bolts take a torque of 80 Nm [1]."


@pytest.fixture(autouse=True)
def _beside(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.mark.parametrize(
    ("name", "outcomes"),
    [
        ("langchain_chain", ["proceed", "abstain", "abstain"]),
        ("langgraph_graph", ["proceed", "clarify"]),
        ("llama_index_engine", ["proceed", "clarify"]),
        ("haystack_pipeline", ["proceed", "clarify"]),
    ],
)
def test_an_example_answers_and_asks_back(name, outcomes, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in told] == outcomes
    assert told[0] == ANSWER
    assert "alaries" not in "".join(told)


def test_spans_are_shown(capsys):
    runpy.run_path(str(EXAMPLES / "spans.py"), run_name="__main__")
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "contract: proceed, CHAIN"
    assert len(told) == 6


def test_every_example_is_run():
    tested = {"langchain_chain", "langgraph_graph", "llama_index_engine", "haystack_pipeline", "spans", "plant"}
    assert {path.stem for path in EXAMPLES.glob("*.py")} == tested
