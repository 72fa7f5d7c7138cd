"""Claims and questions out of an answer: what is asked, and how the reply is read."""

import msgspec
from msgspec import Struct

from ragassay.judges.llm.prompts import Prompt, Question, sendable
from ragassay.judges.llm.quotes import Folded
from ragassay.judges.llm.reply import single_object
from ragassay.judges.protocol import Reading, Statement
from ragassay.records import Failure
from ragassay.text.language import language_of

QUESTIONS = 3


class _Claim(Struct, forbid_unknown_fields=True):
    text: str
    quote: str
    checkable: bool


class _Reply(Struct, forbid_unknown_fields=True):
    claims: list[_Claim]
    questions: list[str]


def asked(prompt: Prompt, text: str, question: str) -> Question:
    """The question and the answer as data, and the language of the questions to write."""
    language = language_of(question)
    # Latin letters do not tell English from German, so they name no language.
    named = "" if language in ("en", "und") else f" ({language})"
    blocks = (("question", sendable(question)), ("answer", sendable(text)))
    return Question(blocks, f"{prompt.request}{named}.")


def read(reply: str, text: str) -> Reading | Failure:
    """The claims with the pieces of the text that they come from, and the questions.

    Failures: those of `single_object`, `claims_unreadable` for another form or a blank claim, `questions_incomplete`.
    """
    found = single_object(reply)
    if isinstance(found, Failure):
        return Failure(error="claims_unreadable", detail=found.detail) if found.error == "verdict_unreadable" else found
    try:
        said = msgspec.convert(found, type=_Reply)
    except msgspec.ValidationError as error:
        return Failure(error="claims_unreadable", detail=str(error))
    blank = [number for number, claim in enumerate(said.claims, start=1) if not claim.text.strip()]
    if blank:
        return Failure(error="claims_unreadable", detail=f"claim {blank[0]} is blank")
    questions = tuple(question.strip() for question in said.questions)
    if len(questions) not in (0, QUESTIONS) or not all(questions):
        return Failure(error="questions_incomplete", detail=f"{len(questions)} questions, expected {QUESTIONS} or none")
    folded = Folded(text)
    return Reading(statements=tuple(_statement(claim, folded) for claim in said.claims), questions=questions)


def _statement(claim: _Claim, text: Folded) -> Statement:
    span = text.find(claim.quote) or text.find(claim.text)
    start, end = span or (None, None)
    return Statement(claim.text.strip(), start, end, claim.checkable)
