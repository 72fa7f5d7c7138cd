"""deepeval goldens and test cases, in the snake case of the library and the camel case of its files.

`context` is the gold, known by its text; `retrieval_context` is what was retrieved.
https://deepeval.com/docs/evaluation-datasets
"""

from ragassay.formats.fields import Field, Fields, amount, identity, mappings, number, text, texts, words
from ragassay.formats.own import Form
from ragassay.formats.reading import Reading
from ragassay.formats.results import results

_CONTEXT: Fields = {"context": Field("text", text), "source": Field("document", identity("document"))}


def _seconds(reading: Reading, value: object) -> float:
    return amount(reading, value) * 1000


SNAKE: Fields = {
    "input": Field("question", text),
    "actual_output": Field("answer", text),
    "expected_output": Field("reference", text),
    "context": Field("gold_texts", texts),
    "retrieval_context": Field("contexts", results("text", _CONTEXT)),
    "tools_called": Field("actions", mappings),
    "token_cost": Field("cost", number),
    "completion_time": Field("total_ms", _seconds),
    "tags": Field("slices", words),
}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


FIELDS: Fields = {**SNAKE, **{_camel(name): field for name, field in SNAKE.items()}}
SIGNS = tuple(
    frozenset({"input", name})
    for name in FIELDS
    if name not in ("input", "tags", "token_cost", "tokenCost", "completion_time", "completionTime")
)


def deepeval_form(own: Fields) -> Form:
    return Form("deepeval", SIGNS, {**own, **FIELDS})
