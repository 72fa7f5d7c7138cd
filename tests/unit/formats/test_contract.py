"""A contract file: read whole, or refused with everything that is wrong in it."""

from pathlib import Path

import pytest

from ragassay.contract import contract_hash
from ragassay.formats.contract import load_terms
from ragassay.records import Fault, FaultyInput, GradeTerms, Terms

FULL = """
name = "handbook"
version = "2"
[filter]
access = "known"
revision = "strict"
scope = "off"
[search.thresholds]
similarity = 0.6
bm25 = 4
[grade]
context_sufficiency = 0.9
when_judge_fails = "open"
[verify]
unsupported = "mark"
[expand.synonyms]
"редуктор" = ["мотор-редуктор", "gearbox"]
[budget]
grade = 50
"""


def read(tmp_path: Path, text: str) -> Terms:
    (tmp_path / "contract.toml").write_text(text, encoding="utf-8")
    return load_terms(tmp_path / "contract.toml")


def faults(tmp_path: Path, text: str) -> tuple[Fault, ...]:
    with pytest.raises(FaultyInput) as raised:
        read(tmp_path, text)
    return raised.value.faults


def test_everything_that_a_contract_may_say(tmp_path: Path):
    terms = read(tmp_path, FULL)
    assert (terms.name, terms.version) == ("handbook", "2")
    assert (terms.filter.access, terms.filter.revision, terms.filter.scope) == ("known", "strict", "off")
    assert terms.search.thresholds == {"similarity": 0.6, "bm25": 4.0}
    assert terms.grade == GradeTerms(context_sufficiency=0.9, when_judge_fails="open")
    assert (terms.verify.unsupported, terms.verify.contradicted) == ("mark", "refuse")
    assert terms.expand.synonyms == {"редуктор": ("мотор-редуктор", "gearbox")}
    assert (terms.budget.grade, terms.budget.verify) == (50.0, 2000.0)


def test_what_is_not_said_is_the_runtime_preset_and_closed(tmp_path: Path):
    terms = read(tmp_path, 'name = "x"')
    assert terms == Terms(name="x")
    assert terms.search.thresholds == {"similarity": 0.7}
    assert (terms.grade.context_sufficiency, terms.grade.context_relevancy) == (0.8, 0.7)
    assert terms.grade.when_judge_fails == terms.verify.when_judge_fails == "closed"
    assert terms.filter.access == "strict"


def test_the_bundled_example_reads():
    assert load_terms("examples/contract/contract.toml").name == "handbook"


@pytest.mark.parametrize(
    ("text", "code", "field", "line", "hint"),
    [
        ('name = "x"\n[serch]\n', "unknown_key", "serch", 2, "search"),
        (
            'name = "x"\n[grade]\n\ncontext_suficiency = 0.8',
            "unknown_key",
            "grade.context_suficiency",
            4,
            "context_suff",
        ),
        (
            'name = "x"\n[search.thresholds]\nsimilarty = 0.7',
            "unknown_key",
            "search.thresholds.similarty",
            3,
            "similarity",
        ),
        ('name = "x"\n[search.thresholds]\nunknown = 0.7', "unknown_key", "search.thresholds.unknown", 3, "remove it"),
        ('name = "x"\n[verify]\nunsupported = "repare"', "bad_value", "verify.unsupported", 3, "repair"),
        ('name = "x"\n[grade]\nwhen_judge_fails = true', "bad_value", "grade.when_judge_fails", 3, "open, closed"),
        ('name = "x"\n[grade]\ncontext_relevancy = 70', "out_of_bounds", "grade.context_relevancy", 3, "for 80 %"),
        ('name = "x"\n[grade]\ncontext_relevancy = nan', "out_of_bounds", "grade.context_relevancy", 3, "0 to 1"),
        ('name = "x"\n[grade]\ncontext_relevancy = "0.7"', "bad_value", "grade.context_relevancy", 3, "float"),
        ('name = "x"\n[grade]\ncontext_relevancy = true', "bad_value", "grade.context_relevancy", 3, "float"),
        (
            'name = "x"\n[search.thresholds]\ndistance = -1',
            "out_of_bounds",
            "search.thresholds.distance",
            3,
            "0 or more",
        ),
        ('name = "x"\n[search.thresholds]\nbm25 = inf', "out_of_bounds", "search.thresholds.bm25", 3, "finite"),
        ('name = "x"\n[search]\nthresholds = {}', "bad_value", "search.thresholds", 3, "similarity = 0.7"),
        ('name = "x"\n[budget]\ngrade = 0', "out_of_bounds", "budget.grade", 3, "1 to"),
        ('name = "x"\nfilter = 3', "bad_value", "filter", 2, "[filter]"),
        ('name = "x"\n[expand]\nsynonyms = {a = "b"}', "bad_value", "expand.synonyms", 2, 'word = ["synonym"'),
        ('name = "x"\n[expand.synonyms]\n" " = ["b"]', "bad_value", "expand.synonyms.' '", None, "none of them empty"),
        ('name = "x"\n[expand.synonyms]\na = []', "bad_value", "expand.synonyms.'a'", None, "at least one synonym"),
        ('name = "x"\n[expand]\ndictionary = 3', "bad_value", "expand.dictionary", 2, "file name"),
        ('name = " "', "bad_value", "name", 1, "a text"),
        ('version = "1"', "missing_key", "name", None, "name ="),
        ("name = ", "broken_toml", None, None, "mend the line"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    tmp_path: Path, text: str, code: str, field: str | None, line: int | None, hint: str
):
    (fault,) = faults(tmp_path, text)
    assert (fault.code, fault.field) == (code, field)
    assert line is None or fault.line == line
    assert hint in str(fault)


def test_every_fault_is_told_at_once(tmp_path: Path):
    text = 'nam = "x"\n[grade]\ncontext_relevancy = 70\n[verify]\ncitation = "drop"\nx = 1\n[expand]\ndictionary = "no"'
    assert [fault.code for fault in faults(tmp_path, text)] == [
        "missing_key",
        "unknown_key",
        "out_of_bounds",
        "bad_value",
        "unknown_key",
        "unreadable_file",
    ]


def test_a_dictionary_may_stand_in_a_file_beside(tmp_path: Path):
    (tmp_path / "words.toml").write_text('gearbox = ["gear unit"]\n', encoding="utf-8")
    inline = read(tmp_path, 'name = "x"\n[expand.synonyms]\ngearbox = ["gear unit"]\n')
    beside = read(tmp_path, 'name = "x"\n[expand]\ndictionary = "words.toml"\n')
    assert inline == beside
    assert contract_hash(inline) == contract_hash(beside)


def test_a_word_with_two_entries_is_a_fault(tmp_path: Path):
    (tmp_path / "words.toml").write_text('gearbox = ["gear unit"]\n', encoding="utf-8")
    text = 'name = "x"\n[expand]\ndictionary = "words.toml"\nsynonyms = {gearbox = ["box"]}'
    (fault,) = faults(tmp_path, text)
    assert (fault.code, fault.file) == ("repeated_word", "words.toml")


def test_the_hash_is_of_what_is_said_not_of_how(tmp_path: Path):
    spaced = FULL.replace(" = ", "   =  ").replace("bm25   =  4\n", "bm25 = 4.0 # well\n")
    moved = FULL.replace("[budget]\ngrade = 50\n", "").replace("[filter]", "[budget]\ngrade = 50\n[filter]")
    first = contract_hash(read(tmp_path, FULL))
    assert contract_hash(read(tmp_path, spaced)) == first
    assert contract_hash(read(tmp_path, moved)) == first
    assert contract_hash(read(tmp_path, FULL.replace("0.6", "0.61"))) != first
    assert contract_hash(read(tmp_path, FULL.replace("gearbox", "gear unit"))) != first
