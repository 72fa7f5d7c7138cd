"""ragas `EvaluationDataset` rows, and the column names that ragas used before them.

Ids of contexts are passage ids. https://docs.ragas.io/en/stable/concepts/components/eval_sample/
"""

from ragassay.formats.fields import Field, Fields, each, identity, text, texts
from ragassay.formats.own import Form
from ragassay.formats.results import results

_PASSAGES = each(identity("passage"))

FIELDS: Fields = {
    "user_input": Field("question", text),
    "response": Field("answer", text),
    "retrieved_contexts": Field("contexts", results("text")),
    "retrieved_context_ids": Field("context_ids", _PASSAGES),
    "reference_contexts": Field("gold_texts", texts),
    "reference_context_ids": Field("gold_ids", _PASSAGES),
    "contexts": Field("contexts", results("text")),
    "context_ids": Field("context_ids", _PASSAGES),
    "ground_truth": Field("reference", text),
}
SIGNS = (
    frozenset({"user_input"}),
    frozenset({"retrieved_contexts"}),
    frozenset({"reference_contexts"}),
    frozenset({"question", "contexts"}),
    frozenset({"question", "ground_truth"}),
)


def ragas_form(own: Fields) -> Form:
    return Form("ragas", SIGNS, {**own, **FIELDS})
