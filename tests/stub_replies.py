"""What the stub endpoint says. A verdict is drawn from the hash of claim and text: the same whenever they are."""

import ast
import base64
import json
import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from typing import Any

DIMENSION = 256
_BLOCK = re.compile(r"^\[([0-9a-f]{12,}) (\w+)\]\n(.*?)\n(?=\[/?\1 \w+\]$)", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"[^\s.!?][^.!?]*(?:[.!?](?=\S)[^.!?]*)*[.!?]?")
_FIRST_WORDS = re.compile(r"\S+(?:\s+\S+){0,5}")


@dataclass(kw_only=True)
class Reply:
    """Content as JSON, by which rule it was made, and the hash of the text whose claims it lists."""

    kind: str
    content: dict[str, Any]
    about: str = ""

    def text(self, *, left_out: int = 0, with_ids: str = "") -> str:
        """The content, `left_out` rows short of its first list, its first claim under another id."""
        said = json.loads(json.dumps(self.content))
        rows = next((value for value in said.values() if isinstance(value, list)), [])
        del rows[len(rows) - left_out :]
        if with_ids and rows and isinstance(rows[0], dict):
            rows[0]["c"] = with_ids
        return json.dumps(said, ensure_ascii=False)


def reply_to(messages: Sequence[str], shape: Any = None) -> Reply:
    """The reply to a conversation; a form that no rule knows gets `{}` and the kind `unknown`."""
    last = messages[-1]
    blocks = {name: text for _, name, text in _BLOCK.findall(last)}
    if "answer" in blocks:
        return Reply(kind="claims", content=_claims(blocks), about=digest(blocks["answer"]))
    if blocks:
        return Reply(kind="verdicts", content={"verdicts": _verdicts(blocks, last)})
    if "\ninput: {" in last:
        return _ragas(json.loads(last.rpartition("\ninput: ")[2].rpartition("Output:")[0]), last)
    return _deepeval(last)


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def verdict(claim: str, text: str) -> str:
    """S, C or N."""
    roll = sha256(f"{claim}\n{text}".encode()).digest()[0]
    return "S" if roll < 140 else "C" if roll < 170 else "N"


def sentences(text: str) -> list[str]:
    return [found.strip() for found in _SENTENCE.findall(text)]


def embedding(text: str, *, is_packed: bool) -> list[float] | str:
    """A vector of unit length: texts that share words lie closer."""
    values = [0.01] * DIMENSION
    for word in re.findall(r"\w+", text.lower()):
        values[int.from_bytes(sha256(word.encode()).digest()[:2], "big") % DIMENSION] += 1.0
    length = math.sqrt(sum(value * value for value in values))
    unit = [value / length for value in values]
    return base64.b64encode(struct.pack(f"<{DIMENSION}f", *unit)).decode() if is_packed else unit


def _claims(blocks: dict[str, str]) -> dict[str, Any]:
    said = sentences(blocks["answer"])
    asked = [" ".join(sentence.split()[: 4 + number]) for number, sentence in enumerate((said * 3)[:3])]
    return {
        "claims": [{"text": each, "quote": each, "checkable": True} for each in said],
        "questions": [f"{words}…?" for words in asked],
    }


def _verdicts(blocks: dict[str, str], last: str) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    for claims, texts in re.findall(r"(c\d+(?: c\d+)*): (t\d+(?: t\d+)*)", last.rpartition("\n")[2]):
        for claim, text in product(claims.split(), texts.split()):
            said = verdict(blocks[claim], blocks[text])
            quote = "" if said == "N" else _FIRST_WORDS.match(blocks[text].lstrip())[0]
            rows.append({"c": claim, "t": text, "v": said, "q": quote})
    return rows


def _ragas(given: dict[str, Any], last: str) -> Reply:
    """The prompts of ragas 0.4.3, told apart by what they are given."""
    reason = "The context says so, or it does not."
    if "statements" in given:
        return Reply(
            kind="ragas nli",
            content={
                "statements": [
                    {"statement": each, "reason": reason, "verdict": _is_supported(each, given["context"])}
                    for each in given["statements"]
                ]
            },
        )
    if "response" in given:
        words = " ".join(given["response"].split()[:6])
        return Reply(kind="ragas question", content={"question": f"What about {words}?", "noncommittal": 0})
    if "context" not in given:
        return Reply(kind="ragas statements", content={"statements": sentences(given["answer"])})
    if '"classifications"' in last:
        rows = [
            {"statement": each, "reason": reason, "attributed": _is_supported(each, given["context"])}
            for each in sentences(given["answer"])
        ]
        return Reply(kind="ragas recall", content={"classifications": rows})
    supported = _is_supported(given["answer"], given["context"])
    return Reply(kind="ragas precision", content={"reason": reason, "verdict": supported})


def _is_supported(claim: str, text: str) -> int:
    return int(verdict(claim, text) == "S")


def _deepeval(last: str) -> Reply:
    """The prompts of deepeval 4.3.1: what they ask for is named once, and the material stands at the end."""
    material = last.rpartition("**")[2].rpartition("JSON:")[0]
    if "with the 'reason' key providing the reason" in last:
        return Reply(kind="deepeval reason", content={"reason": "The score is what it is because of the texts."})
    if "with the 'verdicts' key" in last:
        said = ["yes" if _is_supported(each, material) else "no" for each in _listed(material)]
        rows = [{"verdict": each, "reason": "As stated."} for each in said]
        return Reply(kind="deepeval verdicts", content={"verdicts": rows})
    for key in ("truths", "claims", "statements"):
        if f'with the "{key}" key' in last:
            text = material.partition(":\n")[2]
            return Reply(kind=f"deepeval {key}", content={key: sentences(text)})
    return Reply(kind="unknown", content={})


def _listed(material: str) -> list[str]:
    """What verdicts are asked for: claims or statements, else the sentences of an expected output, else contexts."""
    found = re.search(r"^(?:Claims|Statements):\n(\[.*\])$", material, re.MULTILINE | re.DOTALL)
    if found is None and "Input:\n" not in material:
        return sentences(material.partition("Expected Output:\n")[2].partition("\n\nRetrieval Context:")[0])
    found = found or re.search(r"^Retrieval Context.*?:\n(\[.*\])$", material, re.MULTILINE | re.DOTALL)
    return [str(each) for each in ast.literal_eval(found[1])] if found else []
