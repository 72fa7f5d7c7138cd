"""Two documents of a plant, the contract over them, and what stands for a model; the examples beside share this."""

from functools import cache
from pathlib import Path

from msgspec.structs import replace

from ragassay.contract import Contract, load_terms
from ragassay.records import BudgetTerms, Document, Requester

QUESTION = "What torque do the M12 bolts of the K-7 gearbox housing take?"
ASSEMBLY = Requester(groups=("assembly",))
DOCUMENTS = (
    Document(document="TI-204", revision="C", status="in_force", readers=("assembly",), title="Assembly of the K-7"),
    Document(document="HR-1", revision="1", status="in_force", readers=("board",), title="Salaries"),
)
CHUNKS = {
    ("TI-204", "C"): "The M12 bolts of the K-7 gearbox housing are tightened to a torque of 80 Nm.",
    ("HR-1", "1"): "The salaries of the board rise by three percent.",
}
# Examples also run on a machine that is busy; an application keeps the budgets of its contract.
TERMS = replace(load_terms(Path(__file__).with_name("contract.toml")), budget=BudgetTerms(grade=60_000, verify=60_000))


@cache
def contract() -> Contract:
    """One for the process, with the embedded judge."""
    return Contract(TERMS, DOCUMENTS, score_kind="similarity")


def model(_prompt: str) -> str:
    """Stands for a language model: it says something true, and something that nobody wrote."""
    return "The M12 bolts take a torque of 80 Nm [1]. They are painted blue."
