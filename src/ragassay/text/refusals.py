"""What an assistant did with a question, by the wording of its reply."""

from typing import Literal, NamedTuple

from ragassay.text import wording
from ragassay.text.sentences import Span, sentences
from ragassay.text.statements import is_question, statements

Kind = Literal["answered", "refused", "partial", "clarified", "empty"]


class Abstention(NamedTuple):
    """The observed kind of a reply, and the spans of it that decided: the refusing sentences for `refused` and
    `partial`, the questions for `clarified`, none otherwise.
    """

    kind: Kind
    spans: list[Span]


def observed(text: str) -> Abstention:
    """What the reply did, in English or Russian; a reply in another language counts as answered unless empty.

    `refused`: it says, in the assistant's own voice, that the assistant cannot give what was asked or that its
    documents do not hold it, and states nothing else. `partial`: it says so and also answers something.
    `clarified`: it asks back instead of answering. That something does not exist, is not allowed or is not covered
    is an answer. Quoted speech, questions and conditions are nobody's refusal. Linear in the length of the text.
    """
    if not any(character.isalnum() for character in text):
        return Abstention("empty", [])
    text = wording.unquoted_whole(text)
    pieces = sentences(text)
    refusing = [span for span in pieces if _refuses(text, span)]
    if refusing:
        return Abstention("partial" if _states_something(text, beside_refusal=True) else "refused", refusing)
    asking = [span for span in pieces if wording.asks_back(text[span.start : span.end])]
    if asking and not _states_something(text, beside_refusal=False):
        return Abstention("clarified", asking)
    return Abstention("answered", [])


def _refuses(text: str, span: Span) -> bool:
    piece = text[span.start : span.end]
    if is_question(piece) or piece.lstrip().startswith(">"):
        return False
    return any(segment.is_refusal for segment in wording.segments(piece))


def _states_something(text: str, *, beside_refusal: bool) -> bool:
    is_aside = wording.is_aside if beside_refusal else wording.is_choice
    return any(not is_aside(text[span.start : span.end]) for span in statements(text))
