"""Observations into evidence matrices: what was asked, found and said, beside what experts and corpus know."""

from collections import Counter
from collections.abc import Mapping, Sequence

import polars as pl

from ragassay.matrices.citing import citation_rows, cites
from ragassay.matrices.gold import gold_frame, queries_frame, relevance_unit
from ragassay.matrices.retrieval import context_results, grades_of, retrieval_frame
from ragassay.matrices.schema import NOT_RECORDED, RECORDED, Matrices, frame
from ragassay.records import Answer, Corpus, DatasetCard, Document, Fault, FaultyInput, Query, Unit
from ragassay.text.refusals import observed

Pairs = Sequence[tuple[Query, Answer]]


def build(
    queries: Sequence[Query], answers: Sequence[Answer], documents: Sequence[Document] | None, card: DatasetCard
) -> tuple[Matrices, Unit]:
    """The matrices of these observations, and the unit in which relevance is counted.

    A query without an answer gets an empty observation: the system was asked and failed. Answers to unknown queries are
    left out (the caller reports them). Raises `FaultyInput` where gold mixes units, or shares no id with the results.
    """
    ordered = sorted(queries, key=lambda query: query.id)
    unit, corpus = relevance_unit(ordered, card), Corpus(documents)
    by_query = {answer.query: answer for answer in answers}
    pairs = [(query, by_query.get(query.id) or Answer(query=query.id, error="no_answer_recorded")) for query in ordered]
    gold = gold_frame(ordered, corpus, card, unit)
    has_text = any(answer.answer is not None for _, answer in pairs)
    is_citing = any(cites(answer, max(card.k)) for _, answer in pairs)
    matrices = Matrices(
        queries=queries_frame(ordered, card, _states(pairs, has_text, is_citing, max(card.k))),
        gold=gold,
        retrieval=retrieval_frame(pairs, grades_of(gold), corpus, card, unit),
        claims=frame("claims", []),
        support=frame("support", []),
        entailment=frame("entailment", []),
        relevancy=frame("relevancy", []),
        context=frame("context", []),
        citations=_citations(pairs, corpus, card) if is_citing else frame("citations", []),
        abstention=frame("abstention", [_abstention(query, answer, has_text) for query, answer in pairs]),
        effort=frame("effort", [_effort(answer) for _, answer in pairs]),
    )
    if not card.disjoint_ids:
        _check_namespaces(matrices, unit)
    return matrices, unit


def _states(pairs: Pairs, has_text: bool, is_citing: bool, k: int) -> Mapping[str, Mapping[str, object]]:
    """For each query: the system's error, and for each matrix whether its evidence was recorded."""
    states: dict[str, Mapping[str, object]] = {}
    for query, answer in pairs:
        failed = answer.error is not None
        recorded = {
            "retrieval": answer.retrieved is not None or failed,
            "citations": is_citing and answer.answer is not None,
            "abstention": has_text and (answer.answer is not None or failed),
            "effort": any(value is not None for value in _effort(answer)[1:]),
            "claims": False,
            "support": False,
        }
        state: dict[str, object] = {name: RECORDED if there else NOT_RECORDED for name, there in recorded.items()}
        if answer.retrieved is not None or answer.packed is not None:
            state["context_size"] = len(context_results(answer, k))
        states[query.id] = state | ({"error": answer.error} if answer.error is not None else {})
    return states


def _abstention(query: Query, answer: Answer, has_text: bool) -> tuple[object, ...]:
    expected = {True: "answer", False: "refuse", None: None}[query.answerable]
    kind = _observed(answer) if has_text else None
    return query.id, expected, kind, 0 if kind in ("refused", "clarified", "empty", "failed") else None, None


def _observed(answer: Answer) -> str | None:
    if answer.error is not None or answer.complete is False:
        return "failed"
    return None if answer.answer is None else observed(answer.answer).kind


def _effort(answer: Answer) -> tuple[object, ...]:
    return (
        answer.query,
        answer.retrieval_ms,
        answer.first_token_ms,
        answer.total_ms,
        answer.input_tokens,
        answer.output_tokens,
        answer.cost,
        answer.complete if answer.error is None else False,
    )


def _citations(pairs: Pairs, corpus: Corpus, card: DatasetCard) -> pl.DataFrame:
    rows: list[tuple[object, ...]] = []
    for query, answer in pairs:
        if answer.answer and answer.complete is not False:
            rows += citation_rows(query, answer, corpus, card)
    return frame("citations", rows)


def _check_namespaces(matrices: Matrices, unit: Unit) -> None:
    """Gold and results that share no id over the whole set are a join fault, not a retriever that never succeeds."""
    gold, found = matrices.gold["id"].unique(), matrices.retrieval["id"].drop_nulls().unique()
    if len(gold) == 0 or len(found) == 0 or gold.is_in(found.implode()).any():
        return
    samples = [_samples(gold.sort().to_list()), _samples(found.sort().to_list())]
    raise FaultyInput(
        [
            Fault(
                code="id_namespaces_disjoint",
                message=f"no {unit} id of the gold is among the results: gold {samples[0]}, results {samples[1]}",
                field="relevant / retrieved",
                expected=f"{unit} ids of one kind on both sides",
                remedy=_remedy(unit),
            )
        ]
    )


def _samples(ids: Sequence[str]) -> str:
    return ", ".join(repr(each) for each in ids[:2])


_OVERRIDE = "; if the system truly found nothing, say disjoint_ids = true in dataset.toml"


def _remedy(unit: Unit) -> str:
    if unit == "document":
        return f'give each result its "document" beside its "passage", or label passages{_OVERRIDE}'
    return f"label the passages that this index holds, or label documents and give each result its document{_OVERRIDE}"


def unknown_queries(queries: Sequence[Query], answers: Sequence[Answer]) -> list[str]:
    """Ids that were answered but that the dataset does not hold, in order; they cannot be scored."""
    known = {query.id for query in queries}
    return [query for query in Counter(answer.query for answer in answers) if query not in known]
