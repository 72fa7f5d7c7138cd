import pytest

from ragassay.judges.naming import judge_named
from ragassay.records import FaultyInput
from ragassay.statistics.calibration import Calibration


def test_an_endpoint_is_a_judge():
    card = judge_named("llm:org/model@v2@http://localhost:8000/v1").card
    assert (card.kind, card.name) == ("llm", "org/model@v2")


@pytest.mark.parametrize("name", ["embeded", "", "llm:", "llm:model", "llm:@http://localhost/v1", "model@http://x/v1"])
def test_unknown_names_are_told_what_there_is(name):
    with pytest.raises(FaultyInput, match="llm:MODEL@URL"):
        judge_named(name)


def test_a_calibration_of_another_judge_is_a_fault():
    other = Calibration(judge="else", n=50, slope=1.0, intercept=0.0, threshold=0.5, low=0.4, high=0.6)
    with pytest.raises(FaultyInput, match="is for judge else"):
        judge_named("llm:m@http://localhost:8000/v1", other)
