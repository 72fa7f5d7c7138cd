"""RAGChecker files: `{"results": [{"query_id", "query", "gt_answer", "response", "retrieved_context"}]}`.

https://github.com/amazon-science/RAGChecker
"""

from ragassay.formats.fields import Field, Fields, identity, text
from ragassay.formats.own import Form
from ragassay.formats.results import results

_CONTEXT: Fields = {"doc_id": Field("document", identity("document")), "text": Field("text", text)}

FIELDS: Fields = {
    "query_id": Field("id", identity("query")),
    "query": Field("question", text),
    "gt_answer": Field("reference", text),
    "response": Field("answer", text),
    "retrieved_context": Field("retrieved", results("text", _CONTEXT)),
}
SIGNS = (frozenset({"query_id", "query"}), frozenset({"query", "gt_answer"}), frozenset({"query", "retrieved_context"}))


def ragchecker_form(own: Fields) -> Form:
    return Form("RAGChecker", SIGNS, {**own, **FIELDS})
