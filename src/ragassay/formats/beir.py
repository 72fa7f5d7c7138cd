"""BEIR: `corpus.jsonl` and `queries.jsonl` with `_id` and `text`, and `qrels/test.tsv` with a header.

https://github.com/beir-cellar/beir/wiki/Load-your-custom-dataset
"""

from ragassay.formats.fields import Field, Fields, identity, text
from ragassay.formats.own import DOCUMENT, Form

SIGNS = (frozenset({"_id", "text"}),)

QUERY_FIELDS: Fields = {"_id": Field("id", identity("query")), "text": Field("question", text)}
CORPUS = Form("BEIR", SIGNS, {**DOCUMENT, "_id": Field("document", identity("document"))})


def beir_form(own: Fields) -> Form:
    """Queries; what a document looks like is `CORPUS`."""
    return Form("BEIR", SIGNS, {**own, **QUERY_FIELDS})
