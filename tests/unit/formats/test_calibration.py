import tomllib

import pytest

from ragassay.formats.calibration import read_calibration, write_calibration
from ragassay.records import FaultyInput
from ragassay.statistics.calibration import Calibration

FITTED = Calibration(
    judge='a "b"\n',
    n=60,
    slope=1 / 3,
    intercept=-0.1,
    threshold=0.5,
    low=0.0,
    high=1.0000000000000002,
    contexts=("ab", "cd"),
)


def test_it_comes_back_to_the_last_digit(tmp_path):
    write_calibration(tmp_path / "c.toml", FITTED)
    assert read_calibration(tmp_path / "c.toml") == FITTED
    assert tomllib.loads((tmp_path / "c.toml").read_text())["n"] == 60


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("threshold = 0.5", "threshold = 1.5", "contradict each other"),
        ("threshold = 0.5", "threshold = nan", "contradict each other"),
        ("slope = 0.3333333333333333", "slope = -1.0", "contradict each other"),
        ("threshold = 0.5", "threshold = 'x'", "Expected `float`"),
        ("n = 60", "", "missing required field"),
        ("n = 60", "n = [", "Invalid value|Unclosed|nclosed array"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, old, new, told):
    path = tmp_path / "c.toml"
    write_calibration(path, FITTED)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(FaultyInput, match=told):
        read_calibration(path)
