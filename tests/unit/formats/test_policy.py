"""Policies in TOML: what they say, what is refused, where presets come in."""

from pathlib import Path

import pytest

from ragassay.formats.policy import PRESETS, load_policy
from ragassay.gates.deciding import flags
from ragassay.metrics.dictionary import find
from ragassay.records import FaultyInput, Gate

ROOT = Path(__file__).parents[3]


def read(tmp_path, text):
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return load_policy(path)


def faults(tmp_path, text):
    with pytest.raises(FaultyInput) as refused:
        read(tmp_path, text)
    return {fault.code: fault for fault in refused.value.faults}


def test_a_policy_says_what_it_says(tmp_path):
    policy = read(
        tmp_path,
        """
name = "выпуск"
coverage = 0.9
require = ["recall@10"]
stages = ["retrieval", "answers"]
[[gates]]
metric = "recall@10"
at_least = 0.8
target = 0.85
on = "bound"
slice = "language=ru"
stage = "retrieval"
[[gates]]
metric = "withheld_rate"
no_worse_by = 0.02
""",
    )
    assert (policy.name, policy.coverage, policy.level, policy.critical) == ("выпуск", 0.9, 0.95, True)
    assert policy.gates == (
        Gate(metric="recall@10", at_least=0.8, target=0.85, on="bound", slice="language=ru", stage="retrieval"),
        Gate(metric="withheld_rate", no_worse_by=0.02),
    )


def test_all_faults_come_at_once_with_what_was_meant(tmp_path):
    found = faults(
        tmp_path,
        """
nmae = "x"
preset = "strickt"
coverage = 95
[[gates]]
metric = "recal@10"
at_least = 0.8
[[gates]]
metric = "recall@10"
at_most = 0.8
[[gates]]
metric = "mrr"
at_leest = 0.5
[[gates]]
metric = "hit_rate@10"
at_least = 85
stage = "one"
[[gates]]
metric = "map@10"
at_least = 0.8
target = 0.7
[[gates]]
metric = "ndcg@10"
at_least = 0.8
no_worse_by = 0.1
""",
    )
    assert found.keys() == {
        *("unknown_key", "unknown_preset", "out_of_bounds", "unknown_metric", "wrong_direction", "no_threshold"),
        *("target_below_gate", "two_gates", "missing_key"),
    }
    assert "did you mean strict" in found["unknown_preset"].remedy
    assert "did you mean recall" in found["unknown_metric"].message
    assert found["wrong_direction"].line == 8
    assert found["wrong_direction"].remedy == "write at_least"


@pytest.mark.parametrize("value", ["nan", "inf", "-0.1", "1.1"])
def test_a_threshold_that_no_value_can_meet_is_refused(tmp_path, value):
    text = f'name = "x"\n[[gates]]\nmetric = "recall@10"\nat_least = {value}\n'
    assert "out_of_bounds" in faults(tmp_path, text)


@pytest.mark.parametrize("text", ["name = ", 'name = "x"\ngates = 3', 'name = "x"\n[[gates]]\nmetric = 3', "\x00"])
def test_what_is_no_policy_is_a_fault_and_no_trace(tmp_path, text):
    assert faults(tmp_path, text)


def test_unknown_stages_and_repeated_gates_are_faults(tmp_path):
    gate = '[[gates]]\nmetric = "recall@10"\nat_least = 0.8\nstage = "late"\n'
    assert "unknown_stage" in faults(tmp_path, f'name = "x"\nstages = ["early"]\n{gate}')
    assert "repeated_gate" in faults(tmp_path, f'name = "x"\nstages = ["late"]\n{gate}{gate}')


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_policies_whose_values_are_targets(preset):
    policy = load_policy(preset)
    assert policy.preset == preset
    assert policy.gates
    assert all(gate.target is not None and gate.threshold == gate.target for gate in policy.gates)
    assert any("starting point" in flag for flag in flags(policy))


def test_a_policy_replaces_what_its_preset_says_of_the_same_metric(tmp_path):
    own = '[[gates]]\nmetric = "grounded_claim_rate"\nat_least = 0.7\ntarget = 0.95\n'
    policy = read(tmp_path, f'name = "x"\npreset = "strict"\n{own}')
    about = [gate for gate in policy.gates if find(gate.metric).id == "grounded_claim_rate"]
    assert about == [Gate(metric="grounded_claim_rate", at_least=0.7, target=0.95)]
    assert len(policy.gates) == len(load_policy("strict").gates)


def test_groundedness_without_refusals_is_flagged(tmp_path):
    grounded = 'name = "x"\n[[gates]]\nmetric = "faithfulness"\nat_least = 0.7\n'
    assert any("refusals" in flag for flag in flags(read(tmp_path, grounded)))
    refusing = grounded + '[[gates]]\nmetric = "withheld_rate"\nat_most = 0.1\n'
    assert not any("refusals" in flag for flag in flags(read(tmp_path, refusing)))


def test_the_policies_that_people_are_shown_can_be_read(tmp_path):
    example = load_policy(ROOT / "examples" / "handbook" / "policy.toml")
    assert example.critical
    page = (ROOT / "docs" / "gates.md").read_text(encoding="utf-8")
    shown = page.partition("```toml\n")[2].partition("```")[0]
    assert next(gate.metric for gate in read(tmp_path, shown).gates) == "recall@5"
