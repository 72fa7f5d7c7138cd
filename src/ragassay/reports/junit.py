"""A verdict as JUnit XML, as continuous integration reads it: one test case for each gate."""

import re
from xml.etree import ElementTree

from ragassay.records import GateResult
from ragassay.records.verdict import Verdict
from ragassay.reports.gates import name

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
UNMEASURABLE = ("all_undefined",)
"""Reasons for which there was nothing to measure: skipped, though the verdict stays undecided and says so."""


def verdict_junit(verdict: Verdict) -> bytes:
    """A breached gate is a failure, an undecided one an error; one with nothing to measure or that was not evaluated is
    skipped with its reason. Characters that XML cannot hold are replaced.
    """
    kinds = [_kind(result) for result in verdict.gates]
    counts = {kind: str(kinds.count(kind)) for kind in ("failure", "error", "skipped")}
    totals = {
        "tests": str(len(kinds)),
        "failures": counts["failure"],
        "errors": counts["error"],
        "skipped": counts["skipped"],
    }
    root = ElementTree.Element("testsuites", totals)
    suite = ElementTree.SubElement(root, "testsuite", {"name": legal(f"ragassay {verdict.policy}"), **totals})
    for result, kind in zip(verdict.gates, kinds, strict=True):
        _case(suite, result, kind)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def legal(text: str) -> str:
    """The text with every character that XML 1.0 cannot hold replaced."""
    return _ILLEGAL.sub("\ufffd", text)


def _kind(result: GateResult) -> str | None:
    if result.outcome == "breached":
        return "failure"
    if result.outcome == "not_evaluated" or result.reason in UNMEASURABLE:
        return "skipped"
    return "error" if result.outcome == "undecided" else None


def _case(suite: ElementTree.Element, result: GateResult, kind: str | None) -> None:
    attributes = {"classname": "ragassay.gate", "name": legal(name(result.gate)), "time": "0"}
    case = ElementTree.SubElement(suite, "testcase", attributes)
    if kind is not None:
        said = {"message": legal(result.message), "type": legal(result.reason or result.outcome)}
        ElementTree.SubElement(case, kind, said).text = legal(_detail(result))


def _detail(result: GateResult) -> str:
    queries = f"\nqueries: {', '.join(result.queries)}" if result.queries else ""
    marks = f"\nmarks: {', '.join(result.marks)}" if result.marks else ""
    return f"{result.message}{queries}{marks}"
