"""Observations into cases: what a judge is shown of a query."""

from collections.abc import Mapping, Sequence

from ragassay.matrices.citing import clean_answer
from ragassay.matrices.labelled import refusals
from ragassay.matrices.retrieval import context_results
from ragassay.records import Answer, AnswerKind, AnyLabel, Case, DatasetCard, Document, Passage, Query, Result
from ragassay.text.refusals import observed

SPOKEN = ("answered", "partial")

Texts = Mapping[tuple[str, str | None], str]


def cases(
    queries: Sequence[Query],
    answers: Sequence[Answer],
    documents: Sequence[Document] | None,
    card: DatasetCard,
    labels: Sequence[AnyLabel] = (),
) -> list[Case]:
    """One case for each query with an answer that says something or a context to judge, in the order of the ids.

    A refusal, a failure and a broken-off answer state nothing to judge: their case has no answer. What people call an
    answer decides before its wording does.
    """
    texts = texts_of(documents)
    by_query = {answer.query: answer for answer in answers}
    called = refusals(labels, answers)
    ordered = [query for query in sorted(queries, key=lambda query: query.id) if query.id in by_query]
    return [
        case_of(query, by_query[query.id], texts, max(card.k), called[query.id].decided if query.id in called else None)
        for query in ordered
    ]


def texts_of(documents: Sequence[Document] | None) -> Texts:
    """The texts of a corpus by document and revision."""
    return {(each.document, each.revision): each.text for each in documents or () if each.text is not None}


def case_of(query: Query, answer: Answer, texts: Texts, k: int, called: AnswerKind | None = None) -> Case:
    """The case of one query; `k` decides what the context is where the packed passages were not recorded.

    `called` is what people say that the answer does; None: its wording decides.
    """
    is_spoken = answer.complete is not False and answer.error is None and answer.answer is not None
    says = is_spoken and (called or observed(answer.answer or "").kind) in SPOKEN
    return Case(
        query=query.id,
        question=query.question or "",
        answer=clean_answer(answer, k)[0] if says else None,
        reference=query.reference or None,
        required=query.required_claims or (),
        passages=_passages(answer, texts, k),
    )


def _passages(answer: Answer, texts: Texts, k: int) -> tuple[Passage, ...] | None:
    """The context in order, then cited passages outside it. None where the context or a text of it is missing."""
    if answer.retrieved is None and answer.packed is None:
        return None
    context = context_results(answer, k)
    if any(_text(result, texts) is None for result in context):
        return None
    inside = {result.passage for result in context}
    cited = {citation.passage for citation in answer.citations or () if citation.passage is not None} - inside
    outside = [each for each in answer.retrieved or () if each.passage in cited and _text(each, texts) is not None]
    return tuple(
        Passage(id=result.passage or result.document or f"#{position}", text=_text(result, texts) or "")
        for position, result in enumerate((*context, *outside), start=1)
    )


def _text(result: Result, texts: Texts) -> str | None:
    """The recorded text of a passage, else the whole text of its document in the corpus."""
    return result.text if result.text is not None else texts.get((result.document or "", result.revision))
