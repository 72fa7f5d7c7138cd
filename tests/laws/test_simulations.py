"""The laws of chance in small: `make laws` runs them at full size."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

SPECIFICATION = importlib.util.spec_from_file_location("simulations", Path(__file__).with_name("simulations.py"))
simulations = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(simulations)
EVERY = [(number, *each) for number, each in enumerate(simulations.simulations(alarms=300, intervals=100))]


def named(number, simulation, arguments, _):
    return f"{number}-{simulation.__name__}-{'-'.join(str(each) for each in arguments)}"[:60]


@pytest.mark.parametrize(("number", "simulation", "arguments", "repeats"), EVERY, ids=[named(*each) for each in EVERY])
def test_the_law_holds(number, simulation, arguments, repeats):
    law = simulation(np.random.Generator(np.random.PCG64([7, number])), repeats, *arguments)
    assert law.holds, simulations.line(law)


def law(hits, limit, *, is_alarm=False, repeats=4_000):
    return simulations.Law("", "", hits, repeats, limit, is_alarm)


def test_a_law_fails_where_chance_cannot_explain_it():
    assert not law(3_600, 0.93).holds
    assert law(3_700, 0.93).holds
    assert not law(280, 0.05, is_alarm=True).holds
    assert law(220, 0.05, is_alarm=True).holds
    assert law(0, 0.05, is_alarm=True).holds


def test_an_interval_of_another_level_is_caught(monkeypatch):
    monkeypatch.setattr(simulations, "LEVEL", 0.8)
    generator = np.random.Generator(np.random.PCG64(1))
    assert not simulations.wilson_coverage(generator, 500, 400, 0.8).holds
    assert not simulations.corrected_coverage(generator, 200, simulations.JUDGES[0]).holds


def test_tests_that_look_at_many_metrics_without_adjusting_are_caught(monkeypatch):
    monkeypatch.setattr(simulations, "holm", list)
    assert not simulations.holm_alarms(np.random.Generator(np.random.PCG64(1)), 200).holds


def test_the_interval_of_a_judge_alone_almost_never_holds_the_truth():
    generator = np.random.Generator(np.random.PCG64(1))
    assert simulations.judge_alone_coverage(generator, 200, simulations.FLATTERING) < 0.2


def test_a_law_that_fails_fails_the_program(monkeypatch, capsys):
    found = [law(0, 0.05, is_alarm=True), law(3_600, 0.93)]
    monkeypatch.setattr(simulations, "laws", lambda **_: iter(found))
    assert simulations.main() == 1
    assert "fails" in capsys.readouterr().out
    monkeypatch.setattr(simulations, "laws", lambda **_: iter(found[:1]))
    assert simulations.main() == 0
