"""Flow control for every server that is called: how much at once, when to wait, when to stop. Knows no protocol."""

from ragassay.flow.budget import Budget, BudgetSpent, CredentialsRefused, RunStopped
from ragassay.flow.calls import Again, Attempt, Counters, Done, Flow, ServerDown
from ragassay.flow.limits import NOTHING, UNKNOWN, Ceiling, Limits, Spend, Spent
from ragassay.flow.once import Once
from ragassay.flow.waits import Outcome, asked_wait, outcome_of

__all__ = [
    "NOTHING",
    "UNKNOWN",
    "Again",
    "Attempt",
    "Budget",
    "BudgetSpent",
    "Ceiling",
    "Counters",
    "CredentialsRefused",
    "Done",
    "Flow",
    "Limits",
    "Once",
    "Outcome",
    "RunStopped",
    "ServerDown",
    "Spend",
    "Spent",
    "asked_wait",
    "outcome_of",
]
