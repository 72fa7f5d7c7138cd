"""Asking a live system: the plan is what the store does not hold yet, so an interrupted run goes on by itself."""

from ragassay.live.asking import Counts, Live, Observed, Tools
from ragassay.live.enrolment import enrol
from ragassay.live.plan import Plan, PlanCard, Task, differences, plan_for
from ragassay.live.replies import StoredReplies

__all__ = [
    "Counts",
    "Live",
    "Observed",
    "Plan",
    "PlanCard",
    "StoredReplies",
    "Task",
    "Tools",
    "differences",
    "enrol",
    "plan_for",
]
