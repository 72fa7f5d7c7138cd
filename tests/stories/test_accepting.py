"""Somebody must sign a release, and asks what was shown of it: six controls, each with what shows it."""

import json
import shutil

import polars as pl
import pytest
from desk import write_lines

TORQUE = "Tighten the M12 bolts of the flange to 80 N·m."
MOMENT = "Болты М12 фланца затягивают моментом 80 Н·м."
GONE = "I could not find this in the documents I have."
ANYBODY = {"requester": {"groups": ["assembly"]}, "scope": {"site": "north"}, "origin": "support ticket 2026-08"}
QUERIES = [
    {"id": "q1", "question": "What is the torque for the M12 bolts of the flange?", "language": "en", "critical": True}
    | {"answerable": True, "relevant": ["TI-204"], "reference": TORQUE, **ANYBODY},
    {"id": "q2", "question": "Каким моментом затягивают болты М12 фланца?", "language": "ru", "critical": True}
    | {"answerable": True, "relevant": ["TI-205"], "reference": MOMENT, **ANYBODY},
    {"id": "q3", "question": "Who won the cup of the works in 2024?", "language": "en", "answerable": False}
    | {
        "relevant": [],
        "requester": {"groups": ["assembly"]},
        "scope": {"site": "north"},
        "origin": "synthetic, proofread by quality",
    },
]
CORPUS = [
    {"document": name, "revision": revision, "status": status, "readers": ["assembly"], "applies_to": {"site": ["*"]}}
    for name in ("TI-204", "TI-205")
    for revision, status in (("B", "superseded"), ("C", "in_force"))
]
CARD = (
    'name = "desk"\nversion = "2"\nk = [1]\nas_of = "2026-10-01"\nlabelling_rules = "relevant: it states the answer"\n'
)
POLICY = """
name = "desk"
[[gates]]
metric = "recall@1"
at_least = 0.5
target = 0.9
[[gates]]
metric = "recall@1"
no_worse_by = 0.9
[[gates]]
metric = "withheld_rate"
at_most = 0.5
"""


def answers(version, first=TORQUE, revision="C"):
    told = {"q1": (first, "TI-204", TORQUE), "q2": (MOMENT, "TI-205", MOMENT), "q3": (GONE, "TI-204", TORQUE)}
    return [
        {"query": query, "answer": said if said == GONE else f"{said[:-1]} [1].", "system": f"desk {version}"}
        | {"retrieved": [{"passage": f"{name}#1", "document": name, "revision": revision, "text": text, "score": 1.0}]}
        | {"citations": [] if said == GONE else [{"marker": "[1]", "passage": f"{name}#1"}]}
        for query, (said, name, text) in told.items()
    ]


@pytest.fixture
def release(desk, ragassay):
    """Two runs of a well-kept dataset, judged by people: `old` and `new`."""
    folder = desk / "set"
    folder.mkdir()
    (folder / "dataset.toml").write_text(CARD, encoding="utf-8")
    write_lines(folder / "queries.jsonl", QUERIES)
    write_lines(folder / "corpus.jsonl", CORPUS)
    write_lines(
        desk / "labels.jsonl",
        [{"claim": text, "context": text, "label": "supports"} for text in (TORQUE, MOMENT)]
        + [{"claim": GONE, "context": TORQUE, "label": "neutral"}],
    )
    (desk / "policy.toml").write_text(POLICY, encoding="utf-8")

    def measured(name, rows):
        write_lines(desk / f"{name}.jsonl", rows)
        told = ragassay("eval", "set", f"{name}.jsonl", "--labels", "labels.jsonl", "--out", name)
        assert told.code == 0, told.err
        return desk / name

    measured("old", answers("1.0"))
    measured("new", answers("2.0"))
    return measured


def accepted(ragassay, *options, run="new"):
    return ragassay("accept", run, "--policy", "policy.toml", "--baseline", "old", *options, "--json")


def outcomes(document):
    return {control["name"]: control["outcome"] for control in document["controls"]}


def checks(document):
    return {each["name"]: each for control in document["controls"] for each in control["checks"]}


def test_without_a_signature_the_release_is_not_shown_and_with_it_all_is_met(ragassay, release, desk):
    told = accepted(ragassay)
    assert {name for name, each in checks(told.json).items() if each["outcome"] != "met"} == {"approval"}
    assert (told.code, told.json["outcome"]) == (3, "not_shown")
    signed = {"approves": told.json["content"], "person": "A. Keeper", "date": "2026-11-30"}
    (desk / "new" / "approval.json").write_text(json.dumps(signed), encoding="utf-8")
    told = accepted(ragassay)
    assert (told.code, told.json["outcome"]) == (0, "met")
    assert set(outcomes(told.json).values()) == {"met"}
    assert "A. Keeper" in checks(told.json)["approval"]["found"]


def test_a_signature_is_bound_to_what_was_signed(ragassay, release, desk):
    signed = {"approves": accepted(ragassay).json["content"], "person": "A. Keeper", "date": "2026-11-30"}
    (desk / "new" / "approval.json").write_text(json.dumps(signed), encoding="utf-8")
    (desk / "policy.toml").write_text(POLICY.replace("0.9", "0.8"), encoding="utf-8")
    told = accepted(ragassay)
    assert (told.code, checks(told.json)["approval"]["outcome"]) == (3, "not_shown")
    assert "other evidence" in checks(told.json)["approval"]["found"]


def test_every_link_leads_to_something(ragassay, release, desk):
    document = accepted(ragassay).json
    links = [link for each in checks(document).values() for link in each["links"]]
    assert len(links) > 30
    for link in links:
        name, _, place = link.partition("#")
        path = desk / "new" / name
        assert path.exists(), link
        if name.endswith(".json"):
            found = json.loads(path.read_text(encoding="utf-8"))
            for key in place.split("/")[1:]:
                found = found[int(key) if isinstance(found, list) else key]
        elif place and place not in ("judge_numerator", "by_people"):
            assert place in pl.read_parquet(path).columns, link


def test_a_critical_query_that_was_lost_stands_in_the_way(ragassay, release):
    release("worse", answers("3.0", first="Tighten the M12 bolts of the flange to 70 N·m."))
    told = accepted(ragassay, run="worse")
    assert told.code in (1, 3)
    assert checks(told.json)["critical_kept"]["outcome"] != "met"
    assert "met" not in (outcomes(told.json)["quality"], outcomes(told.json)["release"])


def test_a_superseded_source_is_a_breach_of_control(ragassay, release):
    release("stale", answers("3.0", revision="B"))
    told = accepted(ragassay, run="stale")
    assert (told.code, outcomes(told.json)["control"]) == (1, "not_met")


def test_a_run_that_somebody_changed_is_found_out(ragassay, release, desk):
    shutil.copytree(desk / "new", desk / "changed")
    card = desk / "changed" / "run.json"
    run = json.loads(card.read_text(encoding="utf-8"))
    run["summary"]["metrics"]["withheld_rate"]["value"] = 0.25
    card.write_text(json.dumps(run), encoding="utf-8")
    told = accepted(ragassay, run="changed")
    assert told.code == 1
    assert checks(told.json)["rederived"]["outcome"] == "not_met"
    assert "run.json#/summary/metrics/withheld_rate" in checks(told.json)["rederived"]["found"]


def test_a_run_alone_shows_what_it_has_and_says_how_to_show_the_rest(ragassay, release, desk):
    told = ragassay("accept", "new")
    assert told.code == 3
    assert told.out.splitlines()[-1] == "exit code 3"
    assert max(map(len, told.out.splitlines())) <= 80
    for words in ("Scope: met", "Quality: not shown", "no policy was given", "--baseline", "claim no"):
        assert words in told.out
    assert {"acceptance.json", "acceptance.md", "acceptance.html"} <= {path.name for path in (desk / "new").iterdir()}


def test_the_same_evidence_gives_the_same_bytes(ragassay, release, desk):
    once = accepted(ragassay).out
    page = (desk / "new" / "acceptance.html").read_bytes()
    assert accepted(ragassay).out == once
    assert (desk / "new" / "acceptance.html").read_bytes() == page


def test_faults_are_told_and_nothing_is_written(ragassay, release, desk):
    (desk / "new" / "approval.json").write_text('{"approves": 1}', encoding="utf-8")
    told = accepted(ragassay)
    assert (told.code, told.json["errors"][0]["code"]) == (2, "unreadable_approval")
    assert ragassay("accept", "nowhere").code == 2
    assert ragassay("baseline", "set", "pinned", "old").code == 0
    told = ragassay("accept", "pinned", "--json")
    assert (told.code, told.json["errors"][0]["code"]) == (2, "baseline_pinned")
    assert not (desk / "new" / "acceptance.json").exists()
    assert ragassay("gate", "old", "--policy", "policy.toml", "--baseline", "pinned").code in (0, 1, 3)
