"""What was shown of a run before anybody relies on it: six controls, each made of checks with their evidence."""

from datetime import date
from typing import Literal

from msgspec import Struct

from ragassay.records.verdict import Verdict

Shown = Literal["met", "not_met", "not_shown"]
ControlName = Literal["scope", "data", "control", "evidence", "quality", "release"]
Framework = Literal["NIST AI RMF 1.0", "ISO/IEC 42001:2023"]


class Check(Struct, frozen=True, kw_only=True):
    """One statement about the run. `found` is what the evidence says; `needed` is None where the statement is met.

    `links` are paths inside the run's folder; after `#` stands a JSON pointer, or the column of a table.
    """

    name: str
    states: str
    outcome: Shown
    found: str
    needed: str | None = None
    links: tuple[str, ...] = ()


class Heading(Struct, frozen=True, kw_only=True):
    """A part of somebody's framework to which evidence speaks. `about` says in our words what the part asks."""

    framework: Framework
    number: str
    about: str


class Control(Struct, frozen=True, kw_only=True):
    """`outcome` is not met where any check is, else not shown where any is or where there is none, else met."""

    name: ControlName
    asks: str
    outcome: Shown
    checks: tuple[Check, ...]
    headings: tuple[Heading, ...]


class Approval(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`approval.json`: a person releases exactly what `approves` names, the `content` of an acceptance report."""

    approves: str
    person: str
    date: date
    note: str | None = None


class Acceptance(Struct, frozen=True, kw_only=True):
    """The acceptance report. `outcome` follows from the controls as theirs does from the checks.

    `content` is the hash of the run, the verdict, and every check but the approval: what an approval is bound to.
    `unknowns` lists what nobody measured or what a reader must know, `map_claims` what the headings do not claim.
    """

    run: str
    title: str
    system: str | None
    baseline: str | None
    content: str
    outcome: Shown
    controls: tuple[Control, ...]
    unknowns: tuple[str, ...]
    map_claims: str
    verdict: Verdict | None
