"""Everything about the labels of the example that a program can check; whether a text really answers takes a reader."""

import json
import re
import tomllib
from collections import Counter
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

Row = dict[str, Any]

HANDBOOK = Path(__file__).parents[3] / "examples" / "handbook"
TODAY = "2026-10-01"
SLICES = {
    "exact-entity",
    "paraphrase",
    "long-section",
    "table",
    "document-version",
    "unanswerable",
    "badly-phrased",
    "sensitive",
}
# A word with a digit in it: a number, a product, a thread, a serial number.
WITH_DIGIT = re.compile(r"[\w.,:/-]*\d[\w/-]*(?:[.,:]\d+)*")


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (HANDBOOK / name).read_text(encoding="utf-8").splitlines()]


CORPUS = rows("corpus.jsonl")
QUERIES = rows("queries.jsonl")
SETTINGS = tomllib.loads((HANDBOOK / "dataset.toml").read_text(encoding="utf-8"))
ANSWERABLE = [query for query in QUERIES if query["answerable"]]
MUST_REFUSE = [query for query in QUERIES if not query["answerable"]]


def in_force(row: Row, day: str) -> bool:
    if row["status"] not in ("in_force", "superseded"):
        return False
    return row["valid_from"] <= day and (row["valid_to"] is None or day < row["valid_to"])


def readable(row: Row, query: Row) -> bool:
    return "*" in row["readers"] or bool(set(row["readers"]) & set(query["requester"]["groups"]))


def in_scope(row: Row, query: Row) -> bool:
    wanted = query.get("scope", {})
    return all(not {"*", value}.isdisjoint(row["applies_to"][key]) for key, value in wanted.items())


def admissible(query: Row) -> list[Row]:
    return [row for row in CORPUS if in_force(row, query["as_of"]) and readable(row, query) and in_scope(row, query)]


def gold(query: Row) -> list[Row]:
    named = {entry["document"] for entry in query["relevant"]}
    return [row for row in admissible(query) if row["document"] in named]


def figures(text: str) -> set[str]:
    return {word.replace(",", ".") for word in WITH_DIGIT.findall(text)}


def unsupported_figures(query: Row, text: str) -> set[str]:
    known = figures(" ".join(f"{row['document']} {row['title']} {row['text']}" for row in gold(query)))
    return figures(text) - known


def is_russian(text: str) -> bool:
    return re.search("[а-яё]", text.lower()) is not None


def test_every_corpus_row_is_one_revision_of_one_document() -> None:
    counted = Counter((row["document"], row["revision"]) for row in CORPUS)
    assert [key for key, count in counted.items() if count > 1] == []


def test_corpus_rows_are_complete_and_their_dates_are_ordered() -> None:
    for row in CORPUS:
        assert row["status"] in {"in_force", "superseded", "draft", "withdrawn"}, row["document"]
        assert all(row[field] for field in ("readers", "title", "source")), row["document"]
        assert set(row["applies_to"]) == {"product", "site"}, row["document"]
        assert row["text"].startswith("## "), row["document"]
        assert row["text"].count("\n## ") >= 3, row["document"]
        assert (row["valid_from"] is None) == (row["status"] == "draft"), row["document"]
        if row["valid_to"] is not None:
            assert date.fromisoformat(row["valid_from"]) < date.fromisoformat(row["valid_to"]), row["document"]


def test_corpus_has_the_promised_size_and_mix() -> None:
    titles = {row["document"]: row["title"] for row in CORPUS}
    russian = sum(is_russian(title) for title in titles.values())
    revisions = Counter(row["document"] for row in CORPUS)
    lengths = [len(row["text"].split()) for row in CORPUS]
    assert len(titles) >= 62
    assert 0.45 <= russian / len(titles) <= 0.55
    assert sum(count > 1 for count in revisions.values()) >= 16
    assert min(lengths) >= 80
    assert sum(length >= 400 for length in lengths) >= 4


def test_a_document_with_several_revisions_has_exactly_one_in_force() -> None:
    for document, count in Counter(row["document"] for row in CORPUS).items():
        revisions = [row for row in CORPUS if row["document"] == document]
        if count > 1 and all(row["status"] != "withdrawn" for row in revisions):
            assert sum(in_force(row, TODAY) for row in revisions) == 1, document
            assert len({row["text"] for row in revisions}) == count, document


def test_revisions_of_a_document_never_overlap_in_time() -> None:
    for document in {row["document"] for row in CORPUS}:
        dated = sorted(
            (row["valid_from"], row["valid_to"] or "9999-12-31")
            for row in CORPUS
            if row["document"] == document and row["valid_from"] is not None
        )
        assert all(end <= start for (_, end), (start, _) in pairwise(dated)), document


def test_query_ids_and_questions_are_unique() -> None:
    assert len({query["id"] for query in QUERIES}) == len(QUERIES)
    assert len({query["question"] for query in QUERIES}) == len(QUERIES)


def test_queries_use_the_agreed_values() -> None:
    readers = {group for row in CORPUS for group in row["readers"]} - {"*"}
    for query in QUERIES:
        assert all(query[field] for field in ("slices", "origin", "reference")), query["id"]
        assert set(query["slices"]) <= SLICES, query["id"]
        assert query["severity"] in {"low", "medium", "high"}, query["id"]
        assert query["difficulty"] in {"easy", "medium", "hard"}, query["id"]
        assert query["task"] in {"lookup", "procedure", "comparison", "policy", "troubleshooting"}, query["id"]
        assert query["critical"] == (query["severity"] == "high"), query["id"]
        assert query["requester"]["groups"], query["id"]
        assert set(query["requester"]["groups"]) <= readers | {"maintenance", "warehouse"}, query["id"]
        assert query["language"] == ("ru" if is_russian(query["question"]) else "en"), query["id"]
        assert date.fromisoformat(query["as_of"]) <= date.fromisoformat(TODAY), query["id"]


def test_queries_have_the_promised_size_and_mix() -> None:
    russian = sum(query["language"] == "ru" for query in QUERIES)
    assert len(QUERIES) >= 124
    assert 0.4 <= russian / len(QUERIES) <= 0.6
    assert len(MUST_REFUSE) >= 27
    assert sum(query["critical"] for query in ANSWERABLE) >= 10
    assert sum(query["critical"] for query in MUST_REFUSE) >= 10
    assert sum(len(query["relevant"]) > 1 for query in QUERIES) >= 8
    assert sum(query["as_of"] != TODAY for query in QUERIES) >= 5


def test_slices_meet_the_quotas_of_the_dataset() -> None:
    counted = Counter(name for query in QUERIES for name in query["slices"])
    assert set(SETTINGS["quotas"]) == SLICES
    assert {name: counted[name] for name in SLICES if counted[name] < max(10, SETTINGS["quotas"][name])} == {}


@pytest.mark.parametrize("language", ["ru", "en"])
def test_some_questions_are_in_the_other_language_than_their_documents(language: str) -> None:
    crossed = [
        query
        for query in ANSWERABLE
        if query["language"] == language and all(is_russian(row["text"]) != (language == "ru") for row in gold(query))
    ]
    assert len(crossed) >= 3


def test_every_relevant_document_is_admissible() -> None:
    faults = [
        (query["id"], entry["document"])
        for query in ANSWERABLE
        for entry in query["relevant"]
        if entry["document"] not in {row["document"] for row in gold(query)}
    ]
    assert faults == []


def test_labels_are_well_formed() -> None:
    for query in ANSWERABLE:
        named = [entry["document"] for entry in query["relevant"]]
        needs = Counter(entry["need"] for entry in query["relevant"] if "need" in entry)
        assert len(set(named)) == len(named) > 0, query["id"]
        assert all(entry["grade"] in (1, 2) for entry in query["relevant"]), query["id"]
        assert any(entry["grade"] == 2 for entry in query["relevant"]), query["id"]
        assert all(count > 1 for count in needs.values()), query["id"]
        assert query["required_claims"], query["id"]
        assert "unanswerable" not in query["slices"], query["id"]


def test_alternatives_each_state_the_figures_of_the_answer() -> None:
    for query in ANSWERABLE:
        if any("need" in entry for entry in query["relevant"]):
            claimed = figures(" ".join(query["required_claims"]))
            for row in gold(query):
                assert claimed <= figures(f"{row['document']} {row['title']} {row['text']}"), (
                    query["id"],
                    row["document"],
                )


def test_figures_of_claims_and_references_stand_in_the_gold_revision() -> None:
    faults = {
        query["id"]: unsupported
        for query in ANSWERABLE
        for text in [" ".join([query["reference"], *query["required_claims"]])]
        if (unsupported := unsupported_figures(query, without_years(query, text)))
    }
    assert faults == {}


def without_years(query: Row, text: str) -> str:
    """The reference may repeat the year that the question names."""
    return re.sub(r"\b20\d\d\b", " ", text) if re.search(r"\b20\d\d\b", query["question"]) else text


def test_a_question_about_the_past_has_another_answer_today() -> None:
    for query in ANSWERABLE:
        if query["as_of"] != TODAY:
            today = {**query, "as_of": TODAY}
            then = {row["revision"] for row in gold(query)}
            assert then.isdisjoint(row["revision"] for row in gold(today)), query["id"]


def test_must_refuse_queries_carry_no_labels() -> None:
    for query in MUST_REFUSE:
        assert [query["relevant"], query["required_claims"]] == [[], []], query["id"]
        assert {"unanswerable", "sensitive"} & set(query["slices"]), query["id"]


def test_documents_that_hold_the_answers_to_refuse_are_not_admissible() -> None:
    """For each refusal owed to access, status, date or scope: the document that would answer, were it admissible."""
    held_by = {
        "How many days of annual holiday do I get?": "HR-01",
        "Какая вилка у оклада мастера?": "HR-11",
        "How much does a test engineer earn?": "HR-11",
        "Какова себестоимость редуктора K-9?": "FIN-09",
        "How many jobs disappear in Lindvik when the P-40 line moves?": "HR-14",
        "Когда сборку насосов P-40 переносят на площадку Озёрный?": "MGT-02",
        "Which discount does the dealer Motorhuset Lade have?": "SALES-03",
        "How is Gruvmek AS rated?": "FIN-07",
        "What is the break-glass account called?": "IT-07",
        "За что объявляют выговор?": "HR-12",
        "Заплатит ли компания выкуп, если зашифруют серверы?": "IT-06",
        "За какую сумму совет директоров готов купить «Норд-Вал»?": "MGT-02",
        "On which port is the broker host PB-1 reached?": "IT-07",
        "Каким моментом затягивают болты M12 на фланце корпуса K-7?": "TI-204",
        "Каким моментом затягивать болты M20 фланца корпуса K-11?": "TI-230",
        "Сколько литров масла заливают в K-11?": "TI-230",
        "Which day is free under the four-day week?": "HR-16",
        "How long will the four-day week pilot run?": "HR-16",
        "For how many hours a day may an exoskeleton be worn?": "HSE-12",
        "Сколько дней хранят сообщения в мессенджере «Ладья»?": "IT-11",
        "В каком респираторе режут асбестовые прокладки?": "HSE-10",
        "How many drops a minute should the packed gland of the P-40 leak?": "TI-299",
        "After how many hours is the braided packing of the P-40 replaced?": "TI-299",
    }
    refused = {query["question"]: query for query in MUST_REFUSE}
    assert set(held_by) <= set(refused)
    for question, document in held_by.items():
        assert any(row["document"] == document for row in CORPUS), document
        assert document not in {row["document"] for row in admissible(refused[question])}, question
    for question, query in refused.items():
        if "sensitive" in query["slices"]:
            assert question in held_by, question
