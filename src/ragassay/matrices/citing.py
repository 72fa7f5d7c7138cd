"""The matrix `citations`: which source each statement of an answer names, and whether that source may be named at
all."""

from collections.abc import Sequence
from typing import NamedTuple

from ragassay.matrices.retrieval import context_results
from ragassay.records import Answer, Citation, Corpus, DatasetCard, Query, Result
from ragassay.text.marks import Mark, marked_sentences, strip_marks
from ragassay.text.sentences import Span
from ragassay.text.statements import statements

UNJUDGED = (None,) * 7
"""supports, contradicting, wrong_source, unrelated, redundant, error, disputed: nobody said."""

HIGHEST_MARK = 99
"""Where an answer uses numbered marks at all, a bracketed number up to this one is a mark too, if only a dangling
one."""


class Link(NamedTuple):
    """A statement (its number and text, None for a source list) and the citation it carries, None where it has none."""

    statement: int | None
    text: str | None
    marker: str | None
    citation: Citation | None


def cites(answer: Answer, k: int) -> bool:
    """Whether the answer names sources at all, in a recorded list or by marks in its text."""
    return answer.citations is not None or bool(answer.answer and strip_marks(answer.answer, _sources(answer, k))[1])


def _sources(answer: Answer, k: int) -> int:
    labels = [_label(citation) for citation in answer.citations or ()]
    return max(len(context_results(answer, k)), *(int(label) for label in labels if label.isdecimal()), 0)


def _label(citation: Citation) -> str:
    return (citation.marker or "").strip("[]【】()^ ")


def clean_answer(answer: Answer, k: int) -> tuple[str, list[Mark]]:
    """The answer without its citation marks, and the marks."""
    numbered = _sources(answer, k)
    text, marks = strip_marks(answer.answer or "", numbered)
    return strip_marks(answer.answer or "", max(numbered, HIGHEST_MARK)) if marks else (text, marks)


def links(answer: Answer, k: int) -> list[Link]:
    """Every statement with each citation that covers it, or with none; then the listed sources without a mark."""
    text, marks = clean_answer(answer, k)
    spans = statements(text)
    found: list[Link] = []
    covered: set[int] = set()
    for mark, span in marked_sentences(text, marks):
        numbers = [index for index, each in enumerate(spans) if each.start < span.end and span.start < each.end]
        covered.update(numbers)
        citation = _cited(answer, mark, k)
        found += [Link(index, _part(text, spans[index]), f"[{mark.label}]", citation) for index in numbers]
        if not numbers:
            found.append(Link(None, None, f"[{mark.label}]", citation))
    bare = [index for index in range(len(spans)) if index not in covered]
    found += [Link(index, _part(text, spans[index]), None, None) for index in bare]
    used = {mark.label for mark in marks}
    return found + [Link(None, None, each.marker, each) for each in answer.citations or () if _label(each) not in used]


def _part(text: str, span: Span) -> str:
    return text[span.start : span.end]


def _cited(answer: Answer, mark: Mark, k: int) -> Citation:
    """What a mark stands for: the recorded citation of that label, else the source of that number in the context."""
    if answer.citations is not None:
        recorded = [citation for citation in answer.citations if _label(citation) == mark.label]
        return recorded[0] if recorded else Citation(marker=mark.label)
    context = context_results(answer, k)
    if mark.source is None or mark.source > len(context):
        return Citation(marker=mark.label)
    result = context[mark.source - 1]
    return Citation(marker=mark.label, passage=result.passage, document=result.document, revision=result.revision)


def citation_rows(query: Query, answer: Answer, corpus: Corpus, card: DatasetCard) -> list[tuple[object, ...]]:
    """Rows of matrix `citations` for one answer."""
    seen = [*(answer.candidates or ()), *(answer.retrieved or ()), *context_results(answer, max(card.k))]
    is_recorded = answer.retrieved is not None or answer.candidates is not None
    rows: list[tuple[object, ...]] = []
    for link in links(answer, max(card.k)):
        head = (query.id, link.statement, None, link.text, link.marker)
        if link.citation is None:
            rows.append((*head, None, None, None, True, *[None] * 4, *UNJUDGED))
            continue
        cited = _resolved(link.citation, seen)
        standing = corpus.standing(cited.document, cited.revision, query, query.as_of or card.as_of)
        exists = _exists(cited, seen) if is_recorded else standing.in_corpus
        faults = tuple(_negated(value) for value in (exists, standing.in_force, standing.readable, standing.in_scope))
        rows.append((*head, cited.passage, cited.document, cited.revision, False, *faults, *UNJUDGED))
    return rows


def _negated(value: bool | None) -> bool | None:
    return None if value is None else not value


def _resolved(citation: Citation, seen: Sequence[Result]) -> Citation:
    """The citation with document and revision filled in from the retrieval metadata of its passage."""
    for result in seen:
        if citation.passage is not None and result.passage == citation.passage:
            return Citation(
                marker=citation.marker,
                passage=citation.passage,
                document=citation.document or result.document,
                revision=citation.revision or result.revision,
            )
    return citation


def _exists(citation: Citation, seen: Sequence[Result]) -> bool:
    if citation.passage is not None:
        return any(result.passage == citation.passage for result in seen)
    return citation.document is not None and any(result.document == citation.document for result in seen)
