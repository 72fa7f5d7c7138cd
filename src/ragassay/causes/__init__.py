"""Why answers failed: a decision list over the evidence. It says what to mend first."""

from ragassay.causes.changes import NOT_FAILED, transitions
from ragassay.causes.decisions import failures
from ragassay.causes.kinds import KINDS, CauseKind

__all__ = ["KINDS", "NOT_FAILED", "CauseKind", "failures", "transitions"]
