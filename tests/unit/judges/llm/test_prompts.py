import itertools
import json
import re

import msgspec
import pytest
from cases import case
from hypothesis import given
from hypothesis import strategies as st

from ragassay.judges.llm import extraction, verification
from ragassay.judges.llm.injection import suspected
from ragassay.judges.llm.prompts import LANGUAGES, delimiter, digits, load
from ragassay.judges.llm.verification import Material
from ragassay.text.language import language_of

NAMES = ("extraction", "verification")
PROMPTS = {(name, language): load(name, language) for name in NAMES for language in LANGUAGES}
BUDGET = 3_000
WORDS = {
    "en": "the pump housing must be inspected after every two thousand hours of service and sealed with new gaskets ",
    "ru": "корпус насоса следует осматривать через каждые две тысячи часов работы и заново уплотнять прокладками ",
}


def words(language, count):
    return " ".join(itertools.islice(itertools.cycle(WORDS[language].split()), count))


def cost(prompt, user):
    """Prompt tokens without the schema, by the letters that a token holds (o200k_base on XQuAD: 4.6 and 3.2)."""
    said = sum(len(message["content"]) for message in prompt.messages(user))
    return said / {"en": 4.0, "ru": 3.2}[prompt.language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_two_calls_for_an_answer_stay_below_the_budget(language):
    extract, verify = PROMPTS["extraction", language], PROMPTS["verification", language]
    answer, reference = words(language, 56), words(language, 40)
    texts = [*(words(language, 120) for _ in range(5)), reference, answer]
    claims = [words(language, 14) for _ in range(7)]
    pairs = [(claim, text) for claim in range(7) for text in (*range(5), 5 if claim < 4 else 6)]
    first = extraction.asked(extract, answer, words(language, 12)).text(digits)
    second = verification.asked(verify, Material(claims, texts), pairs).text(digits)
    assert cost(extract, first) + cost(verify, second) < BUDGET


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=lambda prompt: prompt.name)
def test_a_prompt_is_written_in_its_language_and_shows_what_it_asks_for(prompt):
    assert language_of(prompt.system) == prompt.language
    assert prompt.request in prompt.examples[0].user
    for example in prompt.examples:
        reply = json.loads(example.assistant)
        if prompt.id == "verification":
            pairs = [(0, 0), (0, 1), (1, 1)]
            texts = [part.split("]\n")[-1].strip() for part in re.split(r"\n\[4c1d [tc]", example.user)[:2]]
            read = verification.read(example.assistant, Material(["", ""], texts), pairs, "m")
            assert [read[pair].verdict for pair in pairs] == ["contradicts", "neutral", "supports"]
        else:
            answer = example.user.split("[4c1d answer]\n")[1].split("\n[4c1d")[0]
            read = extraction.read(example.assistant, answer)
            assert len(read.statements) == len(reply["claims"]) == 3
            assert all(each.start is not None for each in read.statements)
            assert [each.checkable for each in read.statements] == [True, True, False]
            assert {language_of(question) for question in read.questions} == {prompt.language}


def test_both_languages_ask_for_the_same_shape():
    for name in NAMES:
        english, russian = PROMPTS[name, "en"], PROMPTS[name, "ru"]
        assert english.shape == russian.shape
        assert english.version == russian.version
        assert english.hash != russian.hash


def test_the_hash_changes_with_every_part():
    prompt = PROMPTS["extraction", "en"]
    changed = [
        msgspec.structs.replace(prompt, system=prompt.system + " "),
        msgspec.structs.replace(prompt, version=99),
        msgspec.structs.replace(prompt, examples=()),
        msgspec.structs.replace(prompt, shape={}),
    ]
    assert len({each.hash for each in (prompt, *changed)}) == 5


def test_C50_data_stands_only_inside_its_block_and_cannot_close_it():
    given_, _ = case("C50")
    prompt = PROMPTS["extraction", "en"]
    user = extraction.asked(prompt, given_["answer"], given_["question"]).text(lambda _: "9f8e7d")
    before, rest = user.split("[9f8e7d answer]\n")
    inside, after = rest.split("\n[9f8e7d end]\n")
    assert inside == given_["answer"]
    assert "9f8e7d" not in inside
    assert "[END OF ANSWER]" not in before + after
    assert suspected(before + after) is None


def test_a_text_that_holds_the_mark_gets_another_one():
    numbers = iter(["0001", "0002", "0003"])
    assert delimiter(["x 0001 y", "00010002"], lambda _: next(numbers)) == "000100020003"


@given(st.lists(st.text("ab"), max_size=4))
def test_a_mark_never_occurs_in_the_data(texts):
    mark = delimiter(texts, lambda _: "ab")
    assert not any(mark in text for text in texts)


def test_C52_every_answer_stands_in_the_prompt_literally_and_once(monkeypatch):
    given_, expected = case("C52")
    monkeypatch.setenv("HOME", "/home/expanded")
    for answer in given_["answers"]:
        user = extraction.asked(PROMPTS["extraction", "en"], answer, "What?").text(lambda _: "5a5a5a5a")
        assert user.count(answer) == 1
        user = verification.asked(PROMPTS["verification", "en"], Material([answer], ["t"]), [(0, 0)]).text(
            lambda _: "5a5a5a5a"
        )
        assert user.count(answer) == 1
        assert "/home/expanded" not in user
        assert "49" not in user
    assert "KeyError" in expected["must_not"]


def test_half_a_surrogate_pair_can_be_sent():
    user = extraction.asked(PROMPTS["extraction", "en"], "bad \ud800 text", "What?").text(lambda _: "5a5a")
    assert "bad ? text" in user.encode("utf-8").decode("utf-8")


def test_C53_questions_are_asked_for_in_the_language_of_the_question():
    given_, expected = case("C53")
    language = expected["prompt_asks_for_language"]
    prompt = PROMPTS["extraction", language]
    user = extraction.asked(prompt, given_["answer"], given_["question"]).text(lambda _: "5a5a")
    assert user.splitlines()[-1] == f"{prompt.request} ({language})."
    english = extraction.asked(PROMPTS["extraction", "en"], "It costs 6 roubles.", "What does it cost?").text(
        lambda _: "5a5a"
    )
    assert english.splitlines()[-1] == "Language of the questions: that of the question."
