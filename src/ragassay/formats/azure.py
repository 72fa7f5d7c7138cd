"""Rows of the document retrieval evaluator of the Azure AI evaluation SDK. They name no query: the row number does.

https://learn.microsoft.com/azure/ai-foundry/concepts/evaluation-evaluators/rag-evaluators
"""

from ragassay.formats.fields import Field, Fields, identity, number
from ragassay.formats.gold import relevance
from ragassay.formats.own import Form
from ragassay.formats.results import results

_DOCUMENT = Field("document", identity("document"))
_LABEL: Fields = {"document_id": _DOCUMENT, "query_relevance_label": Field("grade", number)}
_RESULT: Fields = {"document_id": _DOCUMENT, "relevance_score": Field("score", number)}

FIELDS: Fields = {
    "retrieval_ground_truth": Field("relevant", relevance("document", _LABEL)),
    "retrieved_documents": Field("retrieved", results("document", _RESULT)),
}
SIGNS = (frozenset({"retrieval_ground_truth"}), frozenset({"retrieved_documents"}))


def azure_form(own: Fields) -> Form:
    return Form("Azure document retrieval", SIGNS, {**own, **FIELDS})
