"""Policy and run to verdict: what passes, what is breached, and what nobody can tell."""

from ragassay.gates.deciding import decide

__all__ = ["decide"]
