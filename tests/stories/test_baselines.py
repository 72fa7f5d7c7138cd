"""A team pins what it released, and every later version is held against it."""

import json

POLICY = 'name = "m"\ncritical = false\n[[gates]]\nmetric = "recall@10"\nno_worse_by = 0.9\n'


def measured(ragassay, out, *options):
    return ragassay("eval", "queries.jsonl", "answers.jsonl", "--corpus", "corpus.jsonl", "--out", out, *options)


def test_a_name_stands_wherever_a_run_is_named(ragassay, files):
    (files / "policy.toml").write_text(POLICY, encoding="utf-8")
    measured(ragassay, "one")
    told = ragassay("baseline", "set", "release", "one", "--json")
    assert told.code == 0
    pin = told.json["baselines"][0]
    assert (pin["name"], pin["version"]) == ("release", 1)
    gated = ragassay("gate", "one", "--policy", "policy.toml", "--baseline", "release", "--json")
    assert (gated.code, gated.json["baseline"]) == (0, pin["run"])
    assert measured(ragassay, "two", "--policy", "policy.toml", "--baseline", "release").code == 0
    assert ragassay("compare", "release", "two").code == 0
    assert ragassay("show", "release@1", "--json").json["run"] == pin["run"]
    assert not (files / "ragassay-runs").exists()


def test_the_list_tells_the_history(ragassay, files):
    assert "no baselines yet" in ragassay("baseline", "list").out
    measured(ragassay, "one")
    measured(ragassay, "two", "--k", "3")
    ragassay("baseline", "set", "release", "one")
    refused = ragassay("baseline", "set", "release", "two")
    assert refused.code == 2
    assert "since" in refused.err and "--reason" in refused.err
    assert ragassay("baseline", "set", "release", "two", "--reason", "we read three results").code == 0
    told = ragassay("baseline", "list")
    assert "release@1" in told.out and "release@2" in told.out and "we read three results" in told.out
    assert [each["version"] for each in ragassay("baseline", "list", "--json").json["baselines"]] == [1, 2]


def test_other_queries_need_a_new_version_and_the_refusal_gives_the_command(ragassay, files):
    (files / "policy.toml").write_text(POLICY, encoding="utf-8")
    measured(ragassay, "one")
    ragassay("baseline", "set", "release", "one")
    rows = (files / "queries.jsonl").read_text(encoding="utf-8").replace("the cup", "the other cup")
    (files / "queries.jsonl").write_text(rows, encoding="utf-8")
    told = measured(ragassay, "other", "--policy", "policy.toml", "--baseline", "release", "--json")
    assert told.code == 3
    message = told.json["verdict"]["gates"][0]["message"]
    assert "the queries or their labels differ" in message
    assert "`ragassay baseline set NAME RUN --reason WHY`" in message
    said = ragassay("baseline", "set", "release", "other", "--reason", "the cup was another one")
    assert said.code == 0
    assert ragassay("gate", "other", "--policy", "policy.toml", "--baseline", "release").code == 0
    old = ragassay("gate", "other", "--policy", "policy.toml", "--baseline", "release@1", "--json")
    assert (old.code, old.json["gates"][0]["reason"]) == (3, "not_comparable")


def test_another_definition_of_a_metric_needs_a_new_version_too(ragassay, files):
    measured(ragassay, "one")
    card = json.loads((files / "one" / "run.json").read_text(encoding="utf-8"))
    card["card"]["metrics"] = [name.replace("mrr:v1", "mrr:v0") for name in card["card"]["metrics"]]
    (files / "one" / "run.json").write_text(json.dumps(card), encoding="utf-8")
    ragassay("baseline", "set", "release", "one")
    measured(ragassay, "two")
    told = ragassay("compare", "release", "two", "--json")
    refused = {each["field"]: each["message"] for each in told.json["mismatches"] if each["refuses"]}
    assert list(refused) == ["metrics.mrr"]
    assert "the definition of mrr changed" in refused["metrics.mrr"]
    assert "`ragassay baseline set NAME RUN --reason WHY`" in refused["metrics.mrr"]


def test_a_changed_copy_and_an_unknown_name_decide_nothing(ragassay, files):
    (files / "policy.toml").write_text(POLICY, encoding="utf-8")
    measured(ragassay, "one")
    ragassay("baseline", "set", "release", "one")
    unknown = ragassay("gate", "one", "--policy", "policy.toml", "--baseline", "relase")
    assert unknown.code == 2
    assert "baseline list" in unknown.err
    (files / "ragassay-baselines" / "release-1" / "fractions.parquet").write_bytes(b"PAR1")
    told = ragassay("gate", "one", "--policy", "policy.toml", "--baseline", "release", "--json")
    assert (told.code, told.json["errors"][0]["code"]) == (2, "baseline_changed")
    assert told.json["errors"][0]["file"].endswith("fractions.parquet")
    assert not (files / "one" / "verdict.json").exists()
