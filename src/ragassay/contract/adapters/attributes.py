"""Decisions as attributes of spans: plain values under the names of OpenInference, of GenAI, and our own."""

import json

from ragassay.contract.request import Request
from ragassay.contract.stages import passage_id
from ragassay.records import Compared, Decision, Stage

KIND = "openinference.span.kind"
OWN = "ragassay.contract"
_MOST_SHOWN = 30
"""Passages on a span, which by default holds 128 attributes and then forgets the first."""
_KINDS: dict[Stage, str] = {
    "rewrite": "CHAIN",
    "expand": "CHAIN",
    "filter": "GUARDRAIL",
    "search": "RETRIEVER",
    "grade": "EVALUATOR",
    "verify": "GUARDRAIL",
}


def decided(decision: Decision) -> dict[str, str | int | float]:
    """What a stage decided, under our own names."""
    attributes: dict[str, str | int | float] = {
        KIND: _KINDS[decision.stage],
        f"{OWN}.stage": decision.stage,
        f"{OWN}.outcome": decision.outcome,
        f"{OWN}.reason": decision.reason,
    }
    if decision.failed is not None:
        attributes[f"{OWN}.failed"] = decision.failed
    attributes |= {f"{OWN}.removed.{each.reason}": each.count for each in decision.removed}
    for number in decision.numbers:
        sides = {"value": number.value, "at_least": number.at_least, "at_most": number.at_most}
        attributes |= {f"{OWN}.{number.name}.{side}": value for side, value in sides.items() if value is not None}
    return attributes


def retrieved(request: Request, texts: bool) -> dict[str, str | float]:
    """What is left after the search, as both conventions say it. Of what was removed no id is given away."""
    passages = [(encodable(passage_id(each)), each) for each in request.passages[:_MOST_SHOWN]]
    listed = json.dumps([{"id": name, "score": each.score} for name, each in passages], ensure_ascii=False)
    attributes: dict[str, str | float] = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": listed}
    for place, (name, each) in enumerate(passages):
        head = f"retrieval.documents.{place}.document"
        attributes[f"{head}.id"] = name
        if each.score is not None:
            attributes[f"{head}.score"] = each.score
        if texts and each.text is not None:
            attributes[f"{head}.content"] = encodable(each.text)
    if texts:
        query = encodable(request.standalone)
        attributes |= {"input.value": query, "gen_ai.retrieval.query.text": query}
    return attributes


def encodable(text: str) -> str:
    """The text without what UTF-8 lacks: one such character would cost an exporter its whole batch."""
    return text.encode("utf-8", "replace").decode()


def failure(decision: Decision) -> str | None:
    """The code of what kept a stage from being checked; None where it was."""
    if decision.error is None and decision.failed is None and decision.reason != "out_of_order":
        return None
    return (decision.error or decision.reason).partition(":")[0]


def evaluated(decision: Decision) -> list[dict[str, str | int | float]]:
    """The numbers of judges as GenAI evaluation results."""
    if decision.stage not in ("grade", "verify"):
        return []
    return [_evaluation(number, failure(decision)) for number in decision.numbers]


def _evaluation(number: Compared, error: str | None) -> dict[str, str | int | float]:
    attributes: dict[str, str | int | float] = {"gen_ai.evaluation.name": number.name}
    if number.value is not None:
        attributes["gen_ai.evaluation.score.value"] = number.value
    if number.value is not None and (number.at_least is not None or number.at_most is not None):
        attributes["gen_ai.evaluation.score.label"] = "pass" if number.is_reached else "fail"
    if error is not None:
        attributes["error.type"] = error
    return attributes
